import { describe, expect, test } from '@jest/globals';
import { gradientWaves, gradientWavesPlan } from '../../protocols/gradient-waves/index.ts';
import type { GradientWavesPlan, GradientWavesRequest, WaveDatum } from '../../protocols/gradient-waves/parameters.ts';
import { excessOrder, gradientNoise } from '../../protocols/gradient-waves/protocol.ts';
import { coordinateNoise, gradientOf, nextPoint, type PointGradient } from '../../protocols/gradient-waves/server.ts';
import { fillNormal, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';

const { abs, hypot, log, sqrt } = Math;

const DIMENSION = 3;

/** A plan whose hinge risk is linear: margins stay below ½. */
function planWith(change: Partial<GradientWavesRequest> = {}) {
  return gradientWavesPlan({ variant: 'hinge', epsilon: 1, dimension: DIMENSION, radius: 0.5, waves: 10, ...change });
}

describe('the noise of a wave', () => {
  // 40,000 reports of one record: the mean squared distance of single reports has a relative standard deviation of
  // √(2/p)/√40,000 = .0041 or less; 4 of them are exceeded with probability 6e-5. k-closest reports have the same norm.
  test.each(['simulation', 'deployment'] as const)('is p·c_ε·B²/m, %s', (grade) => {
    const plan = planWith({ grade, variant: 'logistic', radius: 1 });
    const wave = gradientWaves.rounds.first(plan);
    // A gradient of 0 lies on the padding, across all that is summed.
    const datum: WaveDatum = { features: [0, 0, 0], label: 1 };
    const random = seededRandom(`noise ${grade}`);
    let squared = 0;
    const reports = 40_000;
    for (let i = 0; i < reports; i++) {
      const tally = gradientWaves.server.empty(wave);
      gradientWaves.server.add(wave, tally, gradientWaves.player.randomize(wave, datum, random));
      const { gradient } = gradientOf(plan, { round: wave, tally });
      squared += hypot(...gradient) ** 2 / reports;
    }
    const ratio = squared / gradientNoise(plan, 1);
    expect(abs(ratio - 1)).toBeLessThan(0.0165);
    // Controls: the bound B forgotten (1/.731² = 1.87 here), and the padding counted (4/3).
    expect(abs(squared / (DIMENSION * plan.mechanism.coordinateVariance) - 1)).toBeGreaterThan(0.4);
    expect(abs(squared / ((DIMENSION + 1) * coordinateNoise(plan)) - 1)).toBeGreaterThan(0.2);
  });
});

/**
 * Records x = ±e₁ … ±e_p with E y·x = θ: for ‖w‖ ≤ ½ the hinge risk is ½ − ⟨w, θ⟩ exactly, whose least value is ½ − ½‖θ‖.
 */
function excessOf(players: number, theta: readonly number[], seed: string): number {
  const plan = planWith();
  const random = seededRandom(`data ${seed}`);
  const axes = theta.map((_, j) => Float64Array.from(theta, (_, i) => (i === j ? 1 : 0)));
  const datum = (): WaveDatum => {
    const j = Math.floor(DIMENSION * uniform(random));
    return { features: axes[j], label: uniform(random) < (1 + DIMENSION * theta[j]) / 2 ? 1 : -1 };
  };
  const { w } = conduct(gradientWaves, plan, { players, datum }, { seed }).estimate;
  return 0.5 * hypot(...theta) - theta.reduce((sum, entry, j) => sum + entry * w[j], 0);
}

/**
 * On the hardest problem for n players the signal is of the size of the noise of all of them, √(p·c_ε/n): here twice
 * that, where the excess still depends much on the noise.
 */
function thetaOf(plan: GradientWavesPlan, players: number): readonly number[] {
  const size = (2 * excessOrder(plan, players)) / plan.radius;
  return [0.6 * size, -0.64 * size, 0.48 * size];
}

/** The mean excess with its standard error, of 150 runs at each n. */
function measured(signal: (players: number) => readonly number[]) {
  const runs = 150;
  return [1000, 4000, 16_000].map((players) => {
    const values = Array.from({ length: runs }, (_, run) => excessOf(players, signal(players), `${players} ${run}`));
    const mean = values.reduce((sum, value) => sum + value, 0) / runs;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (runs - 1);
    return { players, mean, error: sqrt(variance / runs) };
  });
}

/** The slope of ln(mean) against ln n by least squares with weights, and its standard error. */
function slopeOf(points: ReturnType<typeof measured>): { readonly slope: number; readonly error: number } {
  const rows = points.map(({ players, mean, error }) => ({
    x: log(players),
    y: log(mean),
    weight: (mean / error) ** 2,
  }));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const centre = rows.reduce((sum, { x, weight }) => sum + weight * x, 0) / total;
  const spread = rows.reduce((sum, { x, weight }) => sum + weight * (x - centre) ** 2, 0);
  const slope = rows.reduce((sum, { x, y, weight }) => sum + weight * (x - centre) * y, 0) / spread;
  return { slope, error: 1 / sqrt(spread) };
}

/** The mean excess over its order on the hardest problem, from Gaussian gradients with `factor` times the noise. */
function predicted(factor: number): number {
  const plan = planWith();
  const players = 4000;
  const theta = thetaOf(plan, players);
  const variance = coordinateNoise(plan) / (players / plan.waves);
  const random = seededRandom('predicted');
  const draws = 3000;
  const normals = new Float64Array(DIMENSION);
  let excess = 0;
  for (let draw = 0; draw < draws; draw++) {
    const past: PointGradient[] = [];
    for (let t = 0; t < plan.waves; t++) {
      fillNormal(normals, random, 0, DIMENSION);
      const gradient = Float64Array.from(theta, (entry, j) => factor * sqrt(variance) * normals[j] - entry);
      past.push({ w: nextPoint(plan, past), gradient, variance });
    }
    const w = nextPoint(plan, past);
    excess += (0.5 * hypot(...theta) - theta.reduce((sum, entry, j) => sum + entry * w[j], 0)) / draws;
  }
  return excess / excessOrder(plan, players);
}

describe('the excess risk', () => {
  const hardest = (players: number): readonly number[] => thetaOf(planWith(), players);
  const points = measured(hardest);

  test('falls as R·√(p·c_ε·B²/n) on the hardest problem for n players', () => {
    const { slope, error } = slopeOf(points);
    // Four standard errors: 6e-5.
    expect(abs(slope + 0.5)).toBeLessThan(4 * error);
    expect(error).toBeLessThan(0.05);
  });

  test('has the constant that gradients with exactly this noise give', () => {
    const ratios = points.map(({ players, mean, error }) => {
      const order = excessOrder(planWith(), players);
      return { ratio: mean / order, weight: (order / error) ** 2 };
    });
    const weights = ratios.reduce((sum, { weight }) => sum + weight, 0);
    const ratio = ratios.reduce((sum, one) => sum + one.weight * one.ratio, 0) / weights;
    // The prediction is exact to 5 % (four standard errors of 3,000 draws); four standard errors of the measured mean: 6e-5.
    const tolerance = 4 / sqrt(weights) + 0.05 * ratio;
    expect(abs(ratio - predicted(1))).toBeLessThan(tolerance);
    // Control: noise whose standard deviation is a quarter larger.
    expect(abs(ratio - predicted(1.25))).toBeGreaterThan(tolerance);
  });

  test('control: on one fixed problem it falls faster', () => {
    const { slope, error } = slopeOf(measured(() => hardest(1000)));
    expect(abs(slope + 0.5)).toBeGreaterThan(4 * error);
  });
});
