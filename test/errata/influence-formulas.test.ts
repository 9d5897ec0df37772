// docs/errata.md, further formulas of Kang, Li, Liu, Wang: the noise (2) with T = O(log n), the direction of the decision, the norm
// in Theorem 4, the sign of E, the sensitivity of a contribution, and the variance that the proof of Theorem 1 drops.

import { describe, expect, test } from '@jest/globals';
import {
  descendNoisily,
  empiricalHessian,
  empiricalRisk,
  exposedExample,
  gradientPerturbation,
  influence,
  logisticRegression,
  momentsSigma,
  optimum,
  printed,
  printedSigma,
  remainderBound,
  splitBudget,
} from '../../protocols/influence-sgd/index.ts';
import { decisionThreshold } from '../../protocols/influence-sgd/parameters.ts';
import { skipProbability } from '../../protocols/influence-sgd/theory.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { drawnProbability, drawnRecordDelta } from '../evidence/influence-sgd/bounds.ts';
import { selectRecords } from '../evidence/influence-sgd/records.ts';
import { labelled, sizeOf } from '../protocols/influence-sgd-data.ts';

const { ceil, log } = Math;

describe('the noise (2), σ = c·G·√(T·log(1/δ))/(nε), with the T = O(log n) of Theorem 1', () => {
  const budget = { epsilon: 1, delta: 1e-6 };

  test.each([1e3, 1e4, 1e5])('leaves δ = T/n, not 10⁻⁶, at n = %p, and the moments accountant does not', (records) => {
    const steps = ceil(log(records));
    const descent = { ...budget, records, steps, lipschitz: 1 };
    const sigma = printedSigma(descent);
    const drawn = drawnProbability({ records, steps });
    expect(sigma).toBeLessThan(0.03);
    expect(drawnRecordDelta({ ...descent, sigma })).toBeGreaterThan(0.99 * drawn);
    expect(0.99 * drawn).toBeGreaterThan(100 * budget.delta);
    const corrected = momentsSigma({ ...descent, batch: 1 });
    expect(drawnRecordDelta({ ...descent, sigma: corrected })).toBeLessThan(budget.delta);
    expect(corrected).toBeGreaterThan(50 * sigma);
  });

  test('no constant c helps: it would have to grow like n/√log n', () => {
    const needed = [1e3, 1e4, 1e5].map((records) => {
      const descent = { ...budget, records, steps: ceil(log(records)), lipschitz: 1 };
      return momentsSigma({ ...descent, batch: 1 }) / printedSigma({ ...descent, noiseConstant: 1 });
    });
    expect(needed[1] / needed[0]).toBeGreaterThan(5);
    expect(needed[2] / needed[1]).toBeGreaterThan(5);
  });
});

describe('the decision of line 10', () => {
  test('lets fewer contributions pass as ε₁ grows, not more: from 4rδ₁ down to 2rδ₁', () => {
    const at = (epsilon1: number): number => decisionThreshold({ epsilon1, delta1: 1e-3, radius: 5 });
    expect([0.01, 0.1, 1, 3].map(at).every((x, i, all) => i === 0 || x < all[i - 1])).toBe(true);
    expect(at(1e-9)).toBeCloseTo(4 * 5 * 1e-3, 10);
    expect(at(50)).toBeCloseTo(2 * 5 * 1e-3, 10);
  });

  test('as printed hardly any step of a regression on 25 000 records goes without noise: the threshold is about rδ₁', () => {
    const model = logisticRegression({ dimension: 11, ridge: 1e-2, radius: 10 });
    const found = [0.01, 0.1, 1, 3].map((epsilon) => {
      const parameters = printed({
        ...splitBudget({ epsilon, delta: 1e-5 }),
        records: 25_000,
        ...model.constants,
        radius: 10,
        localRounds: 25_000,
        globalRounds: 1,
      });
      return skipProbability(new Float64Array(11), parameters);
    });
    // At a contribution of 0, where passing is likeliest.
    expect(found.every((share) => share < 1e-20)).toBe(true);
  });

  test('adding E to a negative coordinate makes it smaller: such a record passes more often than without E', () => {
    const { parameters } = exposedExample({
      variant: 'printed',
      budget: splitBudget({ epsilon: 1, delta: 2e-6 }),
      records: 20,
      dimension: 1,
      steps: 1,
    });
    const sharp = { threshold: 0.1, contributionSigma: 0.01 };
    const { remainder } = parameters;
    const c = -(0.05 + remainder / 2);
    const asPrinted = skipProbability(Float64Array.of(c + remainder), sharp);
    const outward = skipProbability(Float64Array.of(c - remainder), sharp);
    expect(asPrinted).toBeGreaterThan(skipProbability(Float64Array.of(c), sharp));
    expect(outward).toBeLessThan(skipProbability(Float64Array.of(c), sharp));
  });

  test('twice the contribution moves by 4G/(nζ) between two data sets, not by the printed 2G/(nζ)', () => {
    // Two data sets of n records at θ = 0: all at 0 but for x = 1 with label +1 or −1. G = ½ there, ζ = λ = 1, H = 1 + 1/(4n).
    const n = 100;
    const model = logisticRegression({ dimension: 1, ridge: 1, radius: 1 });
    const parameters = printed({
      ...splitBudget({ epsilon: 1, delta: 1e-5 }),
      records: n,
      ...model.constants,
      radius: 1,
      localRounds: 1,
      globalRounds: 1,
    });
    const [plus, minus] = [1, -1].map((label) => {
      const features = new Float64Array(n);
      features[0] = 1;
      const labels = new Int8Array(n).fill(1);
      labels[0] = label;
      const target = new Float64Array(1);
      const records = { records: n, dimension: 1, features, labels };
      influence(parameters, model, records, new Float64Array(1), seededRandom('x'))(0, target);
      return 2 * target[0];
    });
    const g = 0.5;
    expect(Math.abs(plus - minus)).toBeGreaterThan((2 * g) / n);
    expect(Math.abs(plus - minus)).toBeGreaterThan((3.9 * g) / n);
    expect(Math.abs(plus - minus)).toBeLessThanOrEqual((4 * g) / n);
  });
});

describe('Theorem 4 with ‖H‖₂ ≥ ζ as printed', () => {
  test('fails: the norm is the largest eigenvalue, and the error is set by the smallest', () => {
    // The second feature is below .01 and the labels say nothing: the Hessian has eigenvalues of about .12 and .00001.
    const ridge = 1e-6;
    const n = 400;
    const base = labelled(n, 2, 'norm');
    const features = base.features.map((x, i) => (i % 2 === 0 ? x : 0.01 * x));
    const records = {
      ...base,
      features: features as Float64Array,
      labels: base.labels.map((_, i) => (i % 2 === 0 ? 1 : -1)),
    };
    const model = logisticRegression({ dimension: 2, ridge, radius: 100 });
    const { theta } = optimum(model, records, { tolerance: 1e-13 });
    const parameters = printed({
      ...splitBudget({ epsilon: 1, delta: 1e-5 }),
      records: n,
      ...model.constants,
      radius: 100,
      localRounds: 1,
      globalRounds: 1,
    });
    const contributionOf = influence(parameters, model, records, theta, seededRandom('x'));
    const c = new Float64Array(2);
    let largest = 0;
    for (let z = 0; z < 100; z++) {
      const rows = Array.from({ length: n }, (_, i) => i).filter((i) => i !== z);
      const left = optimum(model, selectRecords(records, rows), { start: theta, tolerance: 1e-13 });
      contributionOf(z, c);
      largest = Math.max(largest, sizeOf(left.theta.map((x, j) => x - theta[j] - c[j])));
    }
    const bound = (curvature: number): number => remainderBound({ records: n, ...model.constants, curvature });
    const eigenvalues = symmetricEigen(empiricalHessian(model, theta, records), 2).values;
    expect(eigenvalues[1]).toBeGreaterThan(20 * eigenvalues[0]);
    // Measured: 5.95e-3 against the printed 4.9e-4, twelve times as much.
    expect(largest).toBeGreaterThan(10 * bound(eigenvalues[1]));
    expect(largest).toBeLessThan(bound(ridge));
  });
});

describe('the variance of a drawn gradient, which the proof of Theorem 1 drops', () => {
  /** The mean excess risk of T = O(log n) steps of 1/L without any noise, on single records or on all. */
  function excessAt(records: number, single: boolean): number {
    const data = labelled(records, 3, `variance ${records}`);
    const model = logisticRegression({ dimension: 3, ridge: 0.25, radius: 4 });
    const best = optimum(model, data);
    const parameters = {
      ...gradientPerturbation({
        accountant: 'gdp',
        epsilon: 1,
        delta: 1e-5,
        records,
        batch: single ? 1 : records,
        lipschitz: 1,
        steps: ceil(8 * log(records)),
        step: 1 / model.constants.smoothness,
      }),
      sigma: 0,
    };
    const runs = single ? 400 : 1;
    const random = seededRandom(`variance run ${records}`);
    let excess = 0;
    for (let run = 0; run < runs; run++) {
      excess += (empiricalRisk(model, descendNoisily(parameters, model, data, random), data) - best.risk) / runs;
    }
    return excess;
  }

  test('leaves an excess risk that no n lowers, where the mean gradient leaves none', () => {
    const single = [100, 400, 1600].map((records) => excessAt(records, true));
    // Theorem 1 has them fall by 16 from one n to the next (before the logarithm); they stay within a quarter.
    expect(single.every((excess) => excess > 0.05)).toBe(true);
    expect(Math.max(...single) / Math.min(...single)).toBeLessThan(1.25);
    expect(excessAt(400, false)).toBeLessThan(1e-10);
  });
});
