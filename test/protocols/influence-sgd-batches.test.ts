// PIDP-SGD by mini-batches: the noise on the mean of a batch of B records has (B_IF/B)·σ, B_IF of them important.
import { describe, expect, test } from '@jest/globals';
import { trainBatches } from '../../protocols/influence-sgd/curator.ts';
import { fillRecordGradient, logisticRegression, printed, splitBudget } from '../../protocols/influence-sgd/index.ts';
import type { InfluenceParameters } from '../../protocols/influence-sgd/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { labelled } from './influence-sgd-data.ts';

const model = logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 });
const records = labelled(60, 3, 'batches');
const parameters = printed({
  ...splitBudget({ epsilon: 1, delta: 2e-3 }),
  records: 60,
  ...model.constants,
  curvature: 0.2,
  radius: 2,
  localRounds: 10,
  globalRounds: 3,
});

/** So that about half of all draws want noise, and the noise is much larger than the gradient. */
const noisy: InfluenceParameters = {
  ...parameters,
  localRounds: 1,
  globalRounds: 1,
  steps: 1,
  sigma: 1000,
  contributionSigma: 1,
  remainder: 0,
  radius: 441,
};

describe('training by mini-batches', () => {
  test('without important records makes a step along the mean gradient of its batch, and no noise', () => {
    // A radius so large that every contribution passes.
    const calm = { ...noisy, radius: 1e12 };
    const { theta, important } = trainBatches(calm, model, records, seededRandom('calm'), { batch: 60 });
    expect(important).toBe(0);
    // At the origin a gradient is −½y·x, of norm ½, and so is the step at most, over the smoothness.
    const gradient = new Float64Array(3);
    fillRecordGradient(model, new Float64Array(3), records, 0, calm.lipschitz, gradient);
    expect(Math.hypot(...gradient)).toBeCloseTo(0.5, 9);
    expect(Math.hypot(...theta)).toBeLessThanOrEqual(calm.step * 0.5);
    expect(Math.hypot(...theta)).toBeGreaterThan(0);
  });

  test('has noise of (B_IF/B)·σ, not √(B_IF/B)·σ and not σ', () => {
    const batch = 8;
    const runs = 4000;
    const sums = [0, 0, 0];
    let counted = 0;
    let shares = 0;
    for (let run = 0; run < runs; run++) {
      const { theta, important } = trainBatches(noisy, model, records, seededRandom(`noise ${run}`), { batch });
      shares += important / batch / runs;
      if (important === 0) continue;
      const share = important / batch;
      const square = theta.reduce((sum, entry) => sum + (entry / (noisy.step * noisy.sigma)) ** 2, 0) / 3;
      counted++;
      [share ** 2, share, 1].forEach((variance, k) => {
        sums[k] += square / variance;
      });
    }
    expect(shares).toBeGreaterThan(0.3);
    expect(shares).toBeLessThan(0.8);
    // A mean of 4,000 mean squares of three normals has a standard error of √(2/3)/√4000 = 1.3 %: six of them are 8 %, false alarm 2e-9.
    // Gradients, a thousandth of the noise, do not count.
    expect(Math.abs(sums[0] / counted - 1)).toBeLessThan(0.08);
    expect(Math.abs(sums[1] / counted - 1)).toBeGreaterThan(0.2);
    expect(Math.abs(sums[2] / counted - 1)).toBeGreaterThan(0.2);
  });

  test('refuses a batch that is none', () => {
    for (const batch of [0, 61, 1.5]) {
      expect(() => trainBatches(parameters, model, records, seededRandom('x'), { batch })).toThrow('"batch" expected');
    }
  });
});
