import { describe, expect, test } from '@jest/globals';
import {
  atLeastClaim,
  atMostClaim,
  atMostSlopeClaim,
  boundClaim,
  DEVIATIONS,
  meanClaim,
  meansClaim,
  otherSlopeClaim,
  rangeClaim,
  slopeClaim,
  toleranceOf,
} from '../../../src/testing/claim.ts';

describe('a slope', () => {
  const fit = { slope: -0.46, error: 0.01 };
  const law = { what: 'slope', expected: -0.5 };

  test('is as expected within 4.5 standard errors and the slack, and not beyond', () => {
    expect(DEVIATIONS).toBe(4.5);
    expect(toleranceOf(0.02, 0.1)).toBeCloseTo(0.19, 14);
    expect(slopeClaim(law, fit)).toEqual({
      asked: 'slope: −0.5 ± 0.045 (4.5 standard errors)',
      measured: '−0.460 ± 0.010',
      met: true,
    });
    expect(slopeClaim(law, { ...fit, slope: -0.45 }).met).toBe(false);
    expect(slopeClaim({ ...law, slack: 0.02 }, { ...fit, slope: -0.45 })).toMatchObject({
      asked: 'slope: −0.5 ± 0.065 (4.5 standard errors and 0.02)',
      met: true,
    });
  });

  test('is not where nothing is known', () => {
    const coarse = { ...law, largestTolerance: 0.2 };
    expect(slopeClaim(coarse, { slope: -0.5, error: 0.05 })).toMatchObject({ met: false, undecided: true });
    // Beyond even a coarse tolerance it is missed.
    const missed = slopeClaim(coarse, { slope: 5, error: 0.05 });
    expect([missed.met, missed.undecided]).toEqual([false, undefined]);
    expect(slopeClaim(law, { slope: Number.NaN, error: 0.01 }).met).toBe(false);
  });

  test('is at most something from below only', () => {
    expect(atMostSlopeClaim(law, fit).met).toBe(true);
    expect(atMostSlopeClaim(law, { ...fit, slope: -3 }).met).toBe(true);
    expect(atMostSlopeClaim(law, { ...fit, slope: -0.45 }).met).toBe(false);
  });

  test('refutes what is printed by a distance beyond chance', () => {
    expect(otherSlopeClaim('slope', { printed: -1, apart: 0.4 }, fit).met).toBe(true);
    expect(otherSlopeClaim('slope', { printed: -1, apart: 0.5 }, fit).met).toBe(false);
  });
});

describe('a mean', () => {
  test('is a number, or lies between two', () => {
    expect(meanClaim({ what: 'ratio', expected: 1 }, { mean: 1.04, error: 0.01 }).met).toBe(true);
    expect(meanClaim({ what: 'ratio', expected: 1 }, { mean: 1.05, error: 0.01 }).met).toBe(false);
    expect(rangeClaim('ratio', [0.9, 1], { mean: 1.04, error: 0.01 }).met).toBe(true);
    expect(rangeClaim('ratio', [0.9, 1], { mean: 1.05, error: 0.01 }).met).toBe(false);
    expect(rangeClaim('ratio', [0.9, 1], { mean: 0.85, error: 0.01 }).met).toBe(false);
  });

  test('one of many counts standard errors beyond the slack', () => {
    const mean = (value: number) => [{ mean: value, error: 0.01 }];
    expect(meansClaim('one', mean(1.04), [1]).met).toBe(true);
    expect(meansClaim('one', mean(1.05), [1]).met).toBe(false);
    expect(meansClaim('one', mean(1.05), [1], 0.02).met).toBe(true);
    expect(meansClaim('one', mean(Number.NaN), [1]).met).toBe(false);
    expect(meansClaim('none', [], []).met).toBe(false);
    expect(meansClaim('one', mean(1.04), [1]).measured).toBe('ratios 1.04 to 1.04, at most 4 standard errors off');
    expect(meansClaim('nothing', mean(0.02), [0]).measured).toBe('at most 2 standard errors off');
  });

  test('along a stream stays below a bound that says something', () => {
    const means = [
      { mean: 2, error: 0.1 },
      { mean: 1, error: 0.1 },
    ];
    const claim = boundClaim('1/n', [10, 20], means, (n) => 16 / n);
    expect(claim).toEqual({
      asked: '1/n is above the mean at all 2 checkpoints from n = 10 to 20',
      measured: 'bound over mean: 0.8 at the end, 0.8 to 0.8 along the way',
      met: true,
    });
    expect(boundClaim('1/n', [10, 20], means, (n) => 10 / n).met).toBe(false);
    expect(boundClaim('nothing', [10, 20], means, () => Number.POSITIVE_INFINITY).met).toBe(false);
  });
});

test('bounds look at the worst number, and at how close the bound is', () => {
  expect(atMostClaim('at most 1', [0.2, 0.9], 1).met).toBe(true);
  expect(atMostClaim('at most 1', [0.2, 1.1], 1).met).toBe(false);
  expect(atMostClaim('at most 1', [0.2, 0.9], 1, 0.95).met).toBe(false);
  expect(atMostClaim('at most 1', [], 1).met).toBe(false);
  expect(atLeastClaim('at least 1', [1.2, 3], 1).met).toBe(true);
  expect(atLeastClaim('at least 1', [0.9, 3], 1).met).toBe(false);
  expect(atLeastClaim('at least 1', [], 1).met).toBe(false);
});
