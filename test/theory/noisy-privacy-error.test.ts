import { describe, expect, test } from '@jest/globals';
import * as gradientDescent from '../../protocols/noisy-gradient-descent/index.ts';
import * as noisyNewton from '../../protocols/noisy-newton/index.ts';
import { unpackSymmetric } from '../../src/inference/packed-symmetric.ts';
import { symmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import { curvatureMoment } from '../../src/protocol/m-estimation/moments.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { linearRecords } from '../protocols/noisy-records.ts';

// Theorems on noisy gradient descent and noisy Newton, part 2: ‖θ⁽ᴷ⁾ − θ̂‖ = O_p(√K·p/(μn)), θ̂ the minimiser on the same records.
const { abs, log, sqrt } = Math;
const model = { kind: 'huber', features: 3, scale: 2 } as const;
const TRUTH = [1, 1, 1, 1];

/** Records with their minimiser and the eigenvalues of the Hessian there. */
function sample(n: number) {
  const records = linearRecords(n, `privacy error ${n}`);
  const exact = gradientDescent.descent({ mu: 1e12, records: n, model, start: TRUTH, steps: 150, regions: false });
  const { theta } = gradientDescent.descend(exact, records, seededRandom('exact'));
  const hessian = unpackSymmetric(curvatureMoment(exact.model, records, theta), 4);
  return { n, records, theta, curvatures: symmetricEigen(hessian, 4).values };
}

type Sample = ReturnType<typeof sample>;
type Fit = gradientDescent.NoisyFit;

/** √ of the mean of ‖θ⁽ᴷ⁾ − θ̂‖² over coins; the same coins for every plan, so that ratios have next to no noise. */
function privacyError({ theta }: Sample, runs: number, run: (random: ReturnType<typeof seededRandom>) => Fit): number {
  const random = seededRandom('coins');
  let sum = 0;
  for (let r = 0; r < runs; r++) {
    random.seek(r);
    const { theta: noisy } = run(random);
    for (let i = 0; i < 4; i++) sum += (noisy[i] - theta[i]) ** 2;
  }
  return sqrt(sum / runs);
}

const shared = { model, start: TRUTH, regions: false } as const;
const descentPlan = (n: number, mu: number, steps: number) =>
  gradientDescent.descent({ ...shared, mu, records: n, steps, force: true });
const newtonPlan = (n: number, mu: number, steps: number) =>
  noisyNewton.newton({ ...shared, mu, records: n, steps, force: true });
const descentError = (data: Sample, mu: number, steps: number, runs: number) => {
  const plan = descentPlan(data.n, mu, steps);
  return privacyError(data, runs, (random) => gradientDescent.descend(plan, data.records, random));
};
const newtonError = (data: Sample, mu: number, steps: number, runs: number) => {
  const plan = newtonPlan(data.n, mu, steps);
  return privacyError(data, runs, (random) => noisyNewton.solve(plan, data.records, random));
};

const samples = [500, 1000, 2000].map(sample);

describe.each([
  ['noisy gradient descent', descentError, 40],
  ['noisy Newton', newtonError, 3],
] as const)('the privacy error of %s', (name, errorOf, steps) => {
  test('falls like 1/n', () => {
    const errors = samples.map((data) => errorOf(data, 8, steps, 40));
    const slope = log(errors[2] / errors[0]) / log(4);
    // The coins are the same; records differ, and the curvatures of 500 of them are off by some 5 %, so that the slope is by .03.
    expect(abs(slope + 1)).toBeLessThan(0.1);
    // Control: the error of sampling has the slope −½.
    expect(abs(slope + 0.5)).toBeGreaterThan(0.1);
  });

  test('falls like 1/μ', () => {
    const [low, high] = [4, 32].map((mu) => errorOf(samples[1], mu, steps, 40));
    expect(abs(log(high / low) / log(8) + 1)).toBeLessThan(0.06);
  });

  test('grows like √K', () => {
    const [few, many] = [steps, 4 * steps].map((count) => errorOf(samples[0], 32, count, 80));
    // Coins of the last step are others: a ratio of two errors of 80 draws each in about 2.5
    // directions has relative sd √(2·2/200)/2 = .07, its logarithm to the base 4 .05: 4 sd.
    expect(abs(log(many / few) / log(4) - 0.5)).toBeLessThan(0.2);
  });

  test('is what the theory says, constant included', () => {
    const runs = 240;
    const data = samples[1];
    const expected =
      name === 'noisy Newton'
        ? noisyNewton.privacyError(newtonPlan(data.n, 16, steps), data.curvatures)
        : gradientDescent.privacyError(descentPlan(data.n, 16, steps), data.curvatures);
    const ratio = errorOf(data, 16, steps, runs) / expected;
    // The mean of 240 sums of squares in about 2.5 directions: relative sd of the root ½√(2/(2.5·240)) = .029; 4 sd.
    expect(abs(ratio - 1)).toBeLessThan(0.12);
    // Controls: noise that is √2 too large, as for the printed matrix, or for a sensitivity of B instead of 2B.
    expect(abs(ratio / sqrt(2) - 1)).toBeGreaterThan(0.12);
    expect(abs(ratio / 2 - 1)).toBeGreaterThan(0.12);
  });
});

test('errors have the size of the lower-bound curve at the same guarantee: the rate is that of the minimax error', () => {
  // μ = 1 implies (4.3772, 1e-5).
  const curve = { deviation: 2, dimension: 4, epsilon: 4.3772, delta: 1e-5 };
  const ratios = [500, 1000, 2000].map((n) => {
    const plan = gradientDescent.descent({ mu: 1, records: n, model, regions: false });
    let sum = 0;
    for (let r = 0; r < 30; r++) {
      const { theta } = gradientDescent.descend(plan, linearRecords(n, `curve ${r}`), seededRandom(`curve ${r}`));
      sum += theta.reduce((square, entry) => square + (entry - 1) ** 2, 0) / 30;
    }
    return sqrt(sum) / gradientDescent.minimaxErrorRate({ ...curve, records: n });
  });
  // The constant is not stated. A root of 30 sums of squares in three directions has relative sd ½√(2/90) = .075.
  expect(Math.min(...ratios)).toBeGreaterThan(0.8);
  expect(Math.max(...ratios)).toBeLessThan(2);
});
