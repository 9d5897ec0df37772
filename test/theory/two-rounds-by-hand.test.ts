// The two rounds of the slides: every constant of the algorithm from where it comes from. A local mean of m samples in [−B, B] is
// beyond t with probability 2·exp(−mt²/(2B²)) at most (Hoeffding), so that of n none is with probability 1 − ξ where that is ξ/n;
// and noise on something of sensitivity Δ is (ε, δ) by the classical Gaussian mechanism at σ = Δ√(2 ln(1.25/δ))/ε, which the slides
// use with 2 for 1.25.
import { describe, expect, test } from '@jest/globals';
import { naive, printed, printedNaive, twoRound } from '../../protocols/user-level-mean/index.ts';
import { concentrationRadius } from '../../protocols/user-level-mean/scalar/noisy-means.ts';
import { pairFailure } from '../../protocols/user-level-mean/scalar/question.ts';
import { gdpDelta } from '../../src/privacy/gaussian.ts';

const { abs, ceil, exp, log, max, sqrt } = Math;
const budget = { epsilon: 1, delta: 1e-6 };

describe('the printed rounds', () => {
  test.each([
    [1, 20_000, 10_000, 0.05],
    [3, 500, 40, 0.2],
  ])(
    'B = %p, n = %p, m = %p, ξ = %p: at the radius the tail is ξ/n, and a bin is twice as long',
    (bound, players, samples, failure) => {
      const radius = concentrationRadius(bound, { players, samples }, failure);
      expect(2 * exp((-samples * radius ** 2) / (2 * bound ** 2))).toBeCloseTo(failure / players, 12);
      const plan = printed({ ...budget, bound, players, samples, failure });
      // The range is 2B long.
      expect(plan.pilot.mechanism.categories).toBe(max(2, ceil(bound / radius)));
      expect([plan.pilot.lower, plan.pilot.upper]).toEqual([-bound, bound]);
    },
  );

  test('by hand: n = 20,000, m = 10⁴, ξ = .05: ln(8·10⁵) = 13.5924, bins of .10428, which are 20; of a fifth less 24, of more 16', () => {
    const plan = printed({ ...budget, players: 20_000, samples: 10_000, failure: 0.05 });
    expect(plan.pilot.mechanism.categories).toBe(20);
  });

  test('bins go from 20 to 21 where ln(2n/ξ) falls below what 20 of them span', () => {
    // 2B/width = 20 at m = 800·ln(2n/ξ) = 10,873.9.
    const bins = [10_873, 10_874].map(
      (samples) => printed({ ...budget, players: 20_000, samples, failure: 0.05 }).pilot.mechanism.categories,
    );
    expect(bins).toEqual([20, 21]);
  });

  test('noise is 8σ²·ln(6/δ)/ε′² with σ half the interval: √(8·15.6073)/.0647353 = 172.61 at ε = 1, δ = 10⁻⁶', () => {
    const plan = printed({ ...budget, players: 20_000, samples: 100 });
    expect(plan.pilotEpsilon).toBeCloseTo(0.0647353, 7);
    expect(plan.sigma).toBeCloseTo(172.6105, 3);
    // As a classical mechanism: Δ = 2 at (ε′, δ/3).
    const classical = (2 * sqrt(2 * log(2 / (budget.delta / 3)))) / plan.pilotEpsilon;
    expect(plan.sigma / classical).toBeCloseTo(1, 12);
  });

  test('calibrated exactly, the bin has ε/2 and the noise is the least at (ε/2, δ)', () => {
    const plan = printed({ ...budget, players: 20_000, samples: 100, calibration: 'exact' });
    expect(plan.pilotEpsilon).toBe(0.5);
    expect(gdpDelta(2 / plan.sigma, 0.5) / 1e-6).toBeCloseTo(1, 6);
  });
});

describe('the naive estimator', () => {
  test('as printed has √(2 ln(2/δ))/ε: 5.38677 at ε = 1, δ = 10⁻⁶', () => {
    expect(printedNaive({ ...budget, players: 10, samples: 10 }).question.sigma).toBeCloseTo(5.38677, 5);
    expect(printedNaive({ epsilon: 2, delta: 0.1, players: 10, samples: 10 }).question.sigma).toBeCloseTo(1.22387, 4);
  });

  test('corrected has the least noise at (ε, δ) for a local mean that moves by 2B', () => {
    const { question } = naive({ ...budget, players: 10, samples: 10, bound: 7 });
    expect(gdpDelta(2 / question.sigma, 1) / 1e-6).toBeCloseTo(1, 6);
    expect([question.lower, question.upper]).toEqual([-7, 7]);
  });

  test('in whole numbers has one coordinate, and within a hundredth the same noise', () => {
    const { question } = naive({ ...budget, players: 10, samples: 10, grade: 'deployment' });
    expect(question.noise?.dimension).toBe(1);
    expect(abs(gdpDelta(2 / question.sigma, 1) / 1e-6 - 1)).toBeLessThan(0.05);
    expect(question.sigma).toBe(question.noise?.deviation);
  });
});

test('the corrected pilot has a tenth of the players, or as many more twentieths as make a wrong pair rarer than 10⁻⁶', () => {
  let between = 0;
  for (let players = 400; players < 60_000; players = ceil(1.004 * players)) {
    const { share, pilot } = twoRound({ ...budget, players, samples: 100, spread: 0.5 });
    const failure = (part: number): number => pairFailure(pilot.mechanism, part * players);
    if (share < 0.4999) expect(failure(share)).toBeLessThanOrEqual(1e-6 * (1 + 1e-9));
    if (share > 0.1001) {
      expect(failure(share - 0.05)).toBeGreaterThan(1e-6 * (1 - 1e-9));
      if (share < 0.4999) between++;
    }
  }
  expect(between).toBeGreaterThan(50);
});
