import { describe, expect, test } from '@jest/globals';
import { oneBit, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { RESIDUAL_REACH, residualRadius } from '../../../../protocols/user-level-mean/scalar/sign-fit.ts';
import { meanErrors } from '../../../../src/node/kinds/users/question.ts';
import { exponential, uniform } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { conduct } from '../../../../src/simulation/runner.ts';

describe('the radius of unbiased bits', () => {
  test('balances a tail of any law against the noise: w² = κ√n/2, by hand', () => {
    const skewed = { skew: 2, standardError: 0.1 };
    // κ√n = 0.5·400: w = 10.
    expect(residualRadius(skewed, 0.5, 160_000, 1)).toEqual([RESIDUAL_REACH, 10]);
    expect(residualRadius({ ...skewed, skew: -2 }, 0.5, 160_000, 1)).toEqual([10, RESIDUAL_REACH]);
    // Of a γ that may be 0 neither tail is known to be the longer one.
    expect(residualRadius({ skew: 2, standardError: 1.1 }, 0.5, 160_000, 1)).toEqual([10, 10]);
  });

  test('is ±4σ where the samples are many or the players few', () => {
    const skewed = { skew: 2, standardError: 0.1 };
    expect(residualRadius(skewed, 0.5, 160_000, 1e4)).toEqual([RESIDUAL_REACH, RESIDUAL_REACH]);
    expect(residualRadius(skewed, 0.5, 1000, 1)).toEqual([RESIDUAL_REACH, RESIDUAL_REACH]);
  });

  test('is never so short that more than σ(√(w² + 1) − w)/2 is lost: two points are the worst law', () => {
    // Mass p at distance a above and 1 − p below, of mean 0 and variance 1: a² = (1 − p)/p.
    for (const w of [4, 6, 10]) {
      let worst = 0;
      for (let p = 1e-4; p < 0.5; p *= 1.01) worst = Math.max(worst, p * (Math.sqrt((1 - p) / p) - w));
      const bound = (Math.sqrt(w * w + 1) - w) / 2;
      expect(worst).toBeLessThanOrEqual(bound * (1 + 1e-12));
      expect(worst).toBeGreaterThan(0.99 * bound);
      expect(bound).toBeLessThan(1 / (4 * w));
    }
  });
});

test('days of which one in twelve is ten times as late: the automatic choice is the unbiased bits, far from the median', () => {
  // One sample a player, exponential around −0.9 with a mean of 0.02, for a share of 1/12 of 0.2: κ₃ = 4.9.
  const players = 40_000;
  const random = seededRandom('late days');
  const samples = Float64Array.from({ length: players }, () =>
    Math.min(1, exponential(uniform(random) < 1 / 12 ? 0.2 : 0.02, random) - 0.9),
  );
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / players;
  const median = samples.slice().sort()[players / 2];
  const plan = oneBit({ epsilon: 2, players, samples: 1 });
  const withoutSkew = oneBit({ epsilon: 2, players, samples: 1, skew: 0 });
  const population = { players, datum: (index: number) => ({ samples: samples.subarray(index, index + 1) }) };
  const error = (of: typeof plan): number =>
    meanErrors(
      Array.from({ length: 12 }, (_, i) => conduct(userLevelMean, of, population, { seed: `a ${i + 1}` }).estimate),
      [mean],
    ).error;
  // Seeds are fixed. The root of a mean of 12 squares is beyond 1.6 times its expectation, 0.25 of the gap, once in 1e4.
  expect(error(plan)).toBeLessThan(0.4 * (mean - median));
  // Signs, because somebody said that there is no skewness: they miss by most of the gap (control).
  expect(error(withoutSkew)).toBeGreaterThan(0.6 * (mean - median));
});
