import { describe, expect, test } from '@jest/globals';
import {
  atLeastClaim,
  atMostClaim,
  exactRate,
  fittedRate,
  meansClaim,
  measuredMean,
  measuredPoints,
  measuredSums,
  rateClaim,
  summed,
} from '../../../src/simulation/measured-claim.ts';

describe('means', () => {
  test('by hand: 1, 2, 3, 6 have mean 3 and standard error √(14/3/4)', () => {
    const { mean, error } = measuredMean([1, 2, 3, 6]);
    expect(mean).toBe(3);
    expect(error).toBeCloseTo(Math.sqrt(14 / 12), 14);
  });

  test('from sums are those of the numbers', () => {
    const values = [0.3, -1.2, 4, 2.5, 0.1];
    const squares = values.map((value) => value * value);
    const kept = measuredSums(
      5,
      summed(values, (value) => value),
      summed(squares, (value) => value),
    );
    const { mean, error } = measuredMean(values);
    expect(kept.mean).toBeCloseTo(mean, 14);
    expect(kept.error).toBeCloseTo(error, 14);
  });
});

describe('rates', () => {
  const x = [10, 100, 1000];

  test('of an exact power are its exponent, whatever the errors', () => {
    const means = x.map((value, i) => ({ mean: 3 * value ** -0.7, error: 0.01 * (i + 1) * value ** -0.7 }));
    expect(fittedRate(x, means).slope).toBeCloseTo(-0.7, 12);
    expect(
      exactRate(
        x,
        x.map((value) => 3 * value ** -0.7),
      ),
    ).toBeCloseTo(-0.7, 12);
  });

  test('of two points have the standard error by hand: that of the log-ratio over log 10', () => {
    const fit = fittedRate(
      [1, 10],
      [
        { mean: 4, error: 0.2 },
        { mean: 1, error: 0.12 },
      ],
    );
    expect(fit.slope).toBeCloseTo(-Math.log10(4), 12);
    expect(fit.error).toBeCloseTo(Math.hypot(0.05, 0.12) / Math.log(10), 12);
  });

  test('are met within five standard errors and the slack, refuted beyond, and refuted where nothing is known', () => {
    const claim = (slope: number, error: number) =>
      rateClaim({ what: 'error in n', slope: -0.5, slack: 0.02, widest: 0.2 }, { slope, error });
    expect(claim(-0.55, 0.01).met).toBe(true);
    expect(claim(-0.58, 0.01).met).toBe(false);
    expect(claim(-0.5, 0.04).met).toBe(false);
    expect(claim(Number.NaN, 0.01).met).toBe(false);
    expect(claim(-0.55, 0.01).asked).toBe('log-log slope of the error in n: -0.5 ± 0.07');
    expect(claim(-0.55, 0.01).measured).toBe('-0.550 ± 0.010');
  });
});

describe('claims', () => {
  test('of bounds look at the worst number, and at how close the bound is', () => {
    expect(atMostClaim('at most 1', [0.2, 0.9], 1).met).toBe(true);
    expect(atMostClaim('at most 1', [0.2, 1.1], 1).met).toBe(false);
    expect(atMostClaim('at most 1', [0.2, 0.9], 1, 0.95).met).toBe(false);
    expect(atMostClaim('at most 1', [], 1).met).toBe(false);
    expect(atLeastClaim('at least 1', [1.2, 3], 1).met).toBe(true);
    expect(atLeastClaim('at least 1', [0.9, 3], 1).met).toBe(false);
    expect(atLeastClaim('at least 1', [], 1).met).toBe(false);
  });

  test('of means count standard errors beyond the slack', () => {
    const mean = (value: number) => [{ mean: value, error: 0.01 }];
    expect(meansClaim('one', mean(1.04), [1]).met).toBe(true);
    expect(meansClaim('one', mean(1.06), [1]).met).toBe(false);
    expect(meansClaim('one', mean(1.06), [1], 0.02).met).toBe(true);
    expect(meansClaim('one', mean(Number.NaN), [1]).met).toBe(false);
    expect(meansClaim('one', mean(1.04), [1]).measured).toBe('ratios 1.04 to 1.04, at most 4 standard errors off');
    expect(meansClaim('nothing', mean(0.02), [0]).measured).toBe('at most 2 standard errors off');
  });

  test('error bars are two standard errors and stay positive', () => {
    expect(measuredPoints([7], [{ mean: 3, error: 2 }])).toEqual([{ x: 7, y: 3, low: 1, high: 7 }]);
  });
});
