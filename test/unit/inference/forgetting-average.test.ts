import { describe, expect, test } from '@jest/globals';
import {
  type AverageWeights,
  createPolynomialAverage,
  createSuffixAverage,
  effectiveShare,
  extendPolynomialAverage,
  extendSuffixAverage,
  type ForgettingAverage,
  suffixAverage,
} from '../../../src/inference/iterate-average.ts';

const SUFFIX = { kind: 'suffix', share: 0.3 } as const;
const POLYNOMIAL = { kind: 'polynomial', power: 2 } as const;

/** The average of a path of n numbers, by one of both kinds. */
function average(weights: AverageWeights, path: ArrayLike<number>): ForgettingAverage {
  const suffix = createSuffixAverage(1);
  const polynomial = createPolynomialAverage(1);
  for (let i = 0; i < path.length; i++) {
    extendSuffixAverage(suffix, [path[i]]);
    if (weights.kind === 'polynomial') extendPolynomialAverage(polynomial, [path[i]], weights.power);
  }
  if (weights.kind === 'suffix') return suffixAverage(suffix, weights.share);
  return { mean: polynomial.mean, effective: effectiveShare(weights) * path.length };
}

/** The weights of all iterates, by the average of the paths that are 1 once and 0 otherwise. */
function weightsOf(weights: AverageWeights, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => {
    const path = new Float64Array(n);
    path[i] = 1;
    return average(weights, path).mean[0];
  });
}

describe('averages that forget the start', () => {
  test.each([1, 2, 63, 64, 65, 127, 128, 1000])(
    'a suffix of %i iterates is at least its share and little more',
    (n) => {
      const found = weightsOf(SUFFIX, n);
      const { effective } = average(SUFFIX, new Float64Array(n));
      expect(effective).toBeGreaterThanOrEqual(0.3 * n);
      expect(effective).toBeLessThanOrEqual(Math.ceil(0.3 * n) + n / 32);
      found.forEach((weight, i) => {
        expect(weight).toBeCloseTo(i >= n - effective ? 1 / effective : 0, 14);
      });
    },
  );

  test('weights of polynomial decay grow like i^η, and those of η = 0 are equal', () => {
    const n = 400;
    const found = weightsOf(POLYNOMIAL, n);
    expect(found.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(found[199] / found[399]).toBeCloseTo((200 * 201) / (400 * 401), 12);
    for (const weight of weightsOf({ kind: 'polynomial', power: 0 }, 50)) expect(weight).toBeCloseTo(1 / 50, 14);
  });

  test.each([SUFFIX, POLYNOMIAL])(
    'the variance of independent iterates is that of the iterates that count: %p',
    (weights) => {
      const n = 2000;
      const squares = weightsOf(weights, n).reduce((sum, weight) => sum + weight * weight, 0);
      const { effective } = average(weights, new Float64Array(n));
      expect(Math.abs(effective * squares - 1)).toBeLessThan(0.002);
      expect(Math.abs(effectiveShare(weights) * n * squares - 1)).toBeLessThan(0.11);
      // Control: that of all iterates is far away.
      expect(n * squares).toBeGreaterThan(1.5);
    },
  );
});
