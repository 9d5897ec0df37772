// Theorems 1 and 6 of Kang, Li, Liu, Wang: the excess empirical risk of noisy descent with steps 1/L falls like log(n)/n² when all
// steps have noise, and like k·log(n)/n³ when k of n records call for it.
import { describe, expect, test } from '@jest/globals';
import {
  descendNoisily,
  empiricalRisk,
  excessRiskBound,
  generalizationBound,
  gradientPerturbation,
  logisticRegression,
  optimum,
  populationRiskBound,
} from '../../protocols/influence-sgd/index.ts';
import { fillNormal } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillSphere } from '../../src/random/sphere.ts';
import { uniformInteger } from '../../src/random/uniform.ts';
import { labelled } from '../protocols/influence-sgd-data.ts';

const { ceil, log, sqrt } = Math;

/** The least-squares slope of log y against log x. */
function slopeOf(x: readonly number[], y: readonly number[]): number {
  const u = x.map(log);
  const v = y.map(log);
  const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
  const [a, b] = [mean(u), mean(v)];
  return u.reduce((sum, x, i) => sum + (x - a) * (v[i] - b), 0) / u.reduce((sum, x) => sum + (x - a) ** 2, 0);
}

describe('Theorem 1, descent along the mean gradient with noise in every step', () => {
  const ridge = 0.25;
  const model = logisticRegression({ dimension: 4, ridge, radius: 4 });
  const sizes = [150, 300, 600, 1200];
  const runs = 60;
  const found = sizes.map((n) => {
    const records = labelled(n, 4, `theorem 1, ${n}`);
    const best = optimum(model, records);
    const { smoothness } = model.constants;
    // O(log n) steps, enough for (1 − μ/L)^T to be below n⁻³.
    const steps = ceil((3 * log(n)) / -Math.log1p(-ridge / smoothness));
    const parameters = gradientPerturbation({
      accountant: 'gdp',
      epsilon: 1,
      delta: 1e-5,
      records: n,
      batch: n,
      lipschitz: 1,
      steps,
      step: 1 / smoothness,
    });
    const random = seededRandom(`theorem 1 noise, ${n}`);
    let excess = 0;
    for (let run = 0; run < runs; run++) {
      excess += (empiricalRisk(model, descendNoisily(parameters, model, records, random), records) - best.risk) / runs;
    }
    const gap = empiricalRisk(model, new Float64Array(4), records) - best.risk;
    const bound = excessRiskBound({ gap, pl: ridge, smoothness, dimension: 4, sigma: parameters.sigma, steps });
    return { excess, bound };
  });

  test('is below the bound, which is not more than ten times too large', () => {
    expect(found.filter(({ excess, bound }) => !(excess < bound))).toEqual([]);
    expect(found.filter(({ excess, bound }) => !(excess > bound / 10))).toEqual([]);
  });

  test('falls like log(n)/n²: slope −2 within .2', () => {
    // 60 runs give each mean a relative error of √(2/(60·4)) = .09, and the slope one of .06.
    const slope = slopeOf(
      sizes,
      found.map(({ excess }, i) => excess / log(sizes[i])),
    );
    expect(slope).toBeGreaterThan(-2.2);
    expect(slope).toBeLessThan(-1.8);
  });
});

describe('Theorem 6, steps on single records, k = 20 of which call for noise', () => {
  // Linear regression without errors: every gradient vanishes at θ*, so that the variance which the proof drops vanishes as well.
  const m = 3;
  const k = 20;
  const runs = 12_000;
  const sizes = [100, 200, 400, 800];

  /** The mean excess risk after T = O(log n) steps of 1/L = 1 from a distance of 1; records are on the sphere, E xxᵀ = I/m. */
  function excessAt(n: number, noisedShare: number): { excess: number; bound: number } {
    const random = seededRandom(`theorem 6, ${n}`);
    const sigma = 3 / n;
    const steps = ceil(10 * log(n));
    const x = new Float64Array(m);
    const noise = new Float64Array(m);
    let excess = 0;
    for (let run = 0; run < runs; run++) {
      const off = Float64Array.of(1, 0, 0);
      for (let t = 0; t < steps; t++) {
        fillSphere(x, random);
        let inner = 0;
        for (let j = 0; j < m; j++) inner += off[j] * x[j];
        const noised = uniformInteger(n, random) < noisedShare * n;
        if (noised) fillNormal(noise, random);
        for (let j = 0; j < m; j++) off[j] -= inner * x[j] + (noised ? sigma * noise[j] : 0);
      }
      for (let j = 0; j < m; j++) excess += (off[j] * off[j]) / (2 * m) / runs;
    }
    // On ½‖θ − θ*‖²/m the descent with single records of norm 1 contracts like one with μ/L = 1/m; L of the mean is 1/m, α = 1.
    const gap = 1 / (2 * m);
    const bound = excessRiskBound({ gap, pl: 1 / m, smoothness: 1, dimension: m, sigma, steps, noisedShare });
    return { excess, bound };
  }

  const marked = sizes.map((n) => excessAt(n, k / n));
  const all = sizes.map((n) => excessAt(n, 1));

  test('is below the bound', () => {
    expect([...marked, ...all].filter(({ excess, bound }) => !(excess < bound))).toEqual([]);
    expect([...marked, ...all].filter(({ excess, bound }) => !(excess > bound / 10))).toEqual([]);
  });

  test('falls like k/n³ when k records call for noise, and like 1/n² when all do: within .2', () => {
    // σ = 3/n without its factor √log n. A run meets 3k/n noises that still count: 300 or more over the runs at n = 800.
    const slope = slopeOf(
      sizes,
      marked.map(({ excess }) => excess),
    );
    expect(slope).toBeGreaterThan(-3.2);
    expect(slope).toBeLessThan(-2.8);
    const control = slopeOf(
      sizes,
      all.map(({ excess }) => excess),
    );
    expect(control).toBeGreaterThan(-2.2);
    expect(control).toBeLessThan(-1.8);
  });
});

describe('Theorems 2, 3 and 7, the population risk', () => {
  const numbers = { excessRisk: 1e-4, leastRisk: 1e-3, records: 1000, lipschitz: 2, smoothness: 1.5, pl: 0.5 };

  test('is the bound of Theorem 2 at the best τ, found by search, and the excess empirical risk', () => {
    const at = (tau: number): number =>
      (8 * (tau + 1.5) * 1e-4) / 0.5 + (16 * 4 * (tau + 1.5)) / (1e6 * 0.25) + (1.5 * (1e-4 + 1e-3)) / tau;
    let least = Infinity;
    for (let i = -2000; i <= 2000; i++) least = Math.min(least, at(10 ** (i / 400)));
    expect(generalizationBound(numbers)).toBeLessThanOrEqual(least);
    expect(generalizationBound(numbers)).toBeGreaterThan(least * (1 - 1e-4));
    expect(populationRiskBound(numbers)).toBeCloseTo(generalizationBound(numbers) + 1e-4, 12);
  });

  test('covers the population risk of regularised logistic regression, by 20 000 fresh records', () => {
    const model = logisticRegression({ dimension: 4, ridge: 0.25, radius: 4 });
    const records = labelled(300, 4, 'population');
    const fresh = labelled(20_000, 4, 'population, fresh');
    const { theta, risk } = optimum(model, records);
    const population = empiricalRisk(model, theta, fresh) - optimum(model, fresh).risk;
    const bound = populationRiskBound({
      excessRisk: 0,
      leastRisk: risk,
      records: 300,
      ...model.constants,
      pl: 0.25,
    });
    expect(population).toBeGreaterThan(0);
    expect(population).toBeLessThan(bound);
    expect(sqrt(bound)).toBeLessThan(2);
  });
});
