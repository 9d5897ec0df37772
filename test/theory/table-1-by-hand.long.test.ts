// Table 1 and what its forecasts are made of: the players of theorem 11 with its constants, worked out again from the definitions, and
// the parts of a forecast by hand.
import { describe, expect, test } from '@jest/globals';
import { forecastNoise } from '../../protocols/euclidean-median/forecast.ts';
import {
  createMedianForecaster,
  gaussian as medianGaussian,
  lifted as medianLifted,
  printed as medianPrinted,
  pointPopulation,
} from '../../protocols/euclidean-median/index.ts';
import { gradientVariance } from '../../protocols/generalized-linear/margin/channels.ts';
import { createForecaster } from '../../protocols/generalized-linear/margin/forecast.ts';
import { printed } from '../../protocols/hinge/index.ts';
import { weiszfeld } from '../../src/optimize/weiszfeld.ts';
import { lossByName } from '../../src/risk/named-loss.ts';
import { playersUntil } from '../../src/simulation/study.ts';
import { printedPlayers } from '../evidence/hinge/table-1.ts';

const { abs, acos, cos, log10, max, PI, sqrt } = Math;

/** The Chebyshev coefficients of f on [−1, 1]: (2/π)∫ f(cos φ)·cos kφ dφ by midpoints. */
function coefficientsOf(f: (t: number) => number, count: number): number[] {
  const nodes = 4000;
  return Array.from({ length: count }, (_, k) => {
    let sum = 0;
    for (let i = 0; i < nodes; i++) sum += f(cos(((i + 0.5) * PI) / nodes)) * cos((k * (i + 0.5) * PI) / nodes);
    return (sum * (k === 0 ? 1 : 2)) / nodes;
  });
}

const valueAt = (series: readonly number[], t: number): number =>
  series.reduce((sum, c, k) => sum + c * cos(k * acos(t)), 0);

/** c_0 … c_d in powers of t, from T_{k+1} = 2t·T_k − T_{k−1}. */
function powersOf(series: readonly number[]): number[] {
  const sum = new Array<number>(series.length).fill(0);
  let [before, now] = [[0], [1]];
  series.forEach((c, k) => {
    now.forEach((entry, i) => {
      sum[i] += c * entry;
    });
    const factor = k === 0 ? 1 : 2;
    const next = [0, ...now.map((entry) => factor * entry)];
    if (k > 0)
      before.forEach((entry, i) => {
        next[i] -= entry;
      });
    [before, now] = [now, next];
  });
  return sum;
}

// β = α/2; the least degree with 2·sup|P − f′| ≤ α/4; and n with 2σ/√n = α, σ² the variance of the printed estimator at ‖w‖ = 1 and
// a margin of ½. A target above 1 has a degree so low that the variance can be had as a number.
describe('players of theorem 11', () => {
  test.each([
    [2, 3],
    [1.2, 3],
    [1, 10],
    [0.7, 2],
  ])('α = %p in %p dimensions', (target, dimension) => {
    const beta = target / 2;
    const slope = (t: number): number => -(1 + (0.5 - t) / sqrt((0.5 - t) ** 2 + beta ** 2)) / 2;
    let degree = 0;
    let series: number[] = [];
    for (let error = Infinity; 2 * error > target / 4; ) {
      degree++;
      series = coefficientsOf(slope, degree + 1);
      error = 0;
      for (let i = -3000; i <= 3000; i++) error = max(error, abs(valueAt(series, i / 3000) - slope(i / 3000)));
    }
    const parameters = printed({ epsilon: 1, delta: 1e-6, degree, dimension });
    const w = Float64Array.from({ length: dimension }, (_, i) => [0.5, sqrt(0.75)][i] ?? 0);
    const features = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
    const coefficients = powersOf(series);
    const variance = gradientVariance(parameters, 'product', { coefficients, w, features, label: 1 });
    // Its largest term stands for the sum of d + 1: less than a tenth of a power of ten at these degrees.
    expect(abs(printedPlayers(target, dimension) - log10((4 * variance) / target ** 2))).toBeLessThan(0.04);
  });
});

describe('what a forecast is made of', () => {
  test('the printed estimator: the bound R·σ/√n + 2R·γ, where it is below the risk of w = 0', () => {
    const parameters = printed({ epsilon: 4, delta: 1e-6, degree: 1, dimension: 3 });
    const loss = { ...lossByName('squared'), kinks: [] };
    for (const [radius, players] of [
      [1, 1e14],
      [0.5, 1e15],
    ]) {
      const { excessRisk, noise, bias } = createForecaster(3, { loss, radius, signal: 1 })(parameters, players);
      expect(excessRisk).toBeCloseTo(radius * noise + 2 * radius * bias, 12);
      expect(noise).toBeGreaterThan(0);
    }
    // Control: with few players nothing is better than the start, and the bound is not what is said.
    const { excessRisk, noise } = createForecaster(3, { loss, signal: 1 })(parameters, 100);
    expect(excessRisk).toBeLessThan(noise / 10);
  });

  test.each([0.3, 5, 30, 500, 7000, 2e5, 4e9])('the players at which c/n is 1 are found to a tenth: c = %p', (c) => {
    const found = playersUntil(1, (players) => c / players);
    expect(found / max(1, c)).toBeGreaterThanOrEqual(1);
    expect(found / max(1, c)).toBeLessThan(1.1);
  });

  test('no number of players is enough for a floor above the target', () => {
    expect(playersUntil(1, (players) => 1.01 + 1 / players)).toBe(Infinity);
  });
});

const squareOf = (vector: Float64Array): number => vector.reduce((sum, entry) => sum + entry * entry, 0);

describe('forecasts of the Euclidean median', () => {
  const population = pointPopulation(3);

  test('printed: the second moment at E‖m − x‖² about the median m', () => {
    const { point } = weiszfeld({ dimension: 3, points: population.points }, { tolerance: 1e-9 });
    let squares = 0;
    for (let i = 0; i < population.members; i++) {
      for (let j = 0; j < 3; j++) squares += (point[j] - population.points[3 * i + j]) ** 2 / population.members;
    }
    const parameters = medianPrinted({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 });
    const { noise } = createMedianForecaster(3)(parameters, 400);
    // C as printed is 3 in 3 dimensions, each factor has variance (r/p + σ²)/4, and P at β = .1 is ½ + c₁t.
    const [, c1] = coefficientsOf((t) => (1 + t / sqrt(t * t + 0.01)) / 2, 2);
    const expected = 9 * (0.25 + (c1 ** 2 * (squares / 3 + parameters.sigma ** 2)) / 4);
    expect((400 * noise ** 2) / expected).toBeCloseTo(1, 8);
    // The noise of the report is most of it: r by itself, from two budgets.
    const other = medianPrinted({ epsilon: 400, delta: 1e-6, degree: 1, dimension: 3 });
    const found = createMedianForecaster(3)(other, 400).noise ** 2 * 400;
    expect((((found / 9 - 0.25) * 4) / c1 ** 2 - other.sigma ** 2) * 3).toBeCloseTo(squares, 4);
  });

  // Draws have the covariance of the powers of 20,000 members. Their mean square, of 32 draws or more of which a few numbers are large, is known to a quarter;
  // without the members it would be next to nothing.
  test('what is left of the noise of copies without σ is who the members are', () => {
    const parameters = medianGaussian({ epsilon: 1e12, delta: 1e-6, degree: 1, dimension: 3 });
    const { draws, exact } = forecastNoise(parameters, population);
    const found = draws.reduce((sum, draw) => sum + squareOf(draw), 0) / draws.length;
    let expected = 0;
    for (let i = 0; i < population.members; i += 40) {
      const one = { dimension: 3, members: 1, points: population.points.subarray(3 * i, 3 * i + 3) };
      const powers = forecastNoise(parameters, one).exact;
      expected += squareOf(powers.map((power, entry) => power - exact[entry])) / (population.members / 40);
    }
    expect(found / expected).toBeGreaterThan(0.5);
    expect(found / expected).toBeLessThan(1.6);
  });

  test('every member reports where a report has few numbers, and a thousand where it has many', () => {
    const reporting = (degree: number, dimension: number): number => {
      const made = pointPopulation(dimension);
      let seen = 0;
      const points = Object.assign(made.points.slice(), {
        subarray: (from: number, to: number) => {
          seen++;
          return made.points.subarray(from, to);
        },
      });
      forecastNoise(medianLifted({ epsilon: 4, degree, dimension }), { ...made, points });
      // Once for the exact moments.
      return seen - made.members;
    };
    expect(reporting(0, 2)).toBe(20_000);
    // 24 draws of 2·10⁷/(24·1000) = 833 numbers each would be fewer.
    expect(reporting(0, 1000)).toBe(1000);
  });
});
