// Errors, conditions and budgets of the user-level estimators (slides, second half) at points where they can be worked out by hand,
// or against an integral or an enumeration.
import { describe, expect, test } from '@jest/globals';
import { contraction, requiredPlayers } from '../../protocols/user-level-erm/descent.ts';
import type { ErmPlan } from '../../protocols/user-level-erm/gradients.ts';
import { descent, descentBound } from '../../protocols/user-level-erm/index.ts';
import { expectedGradientError } from '../../protocols/user-level-erm/protocol.ts';
import { edgeBias, expectedSquaredError, oneBit, twoRound, vector } from '../../protocols/user-level-mean/index.ts';
import { oneBitError } from '../../protocols/user-level-mean/scalar/one-bit.ts';
import { pairFailure } from '../../protocols/user-level-mean/scalar/question.ts';
import { randomizedResponse } from '../../src/mechanism/categories.ts';
import { normalCdf } from '../../src/numeric/normal.ts';
import { gdpDelta } from '../../src/privacy/gaussian.ts';
import { localisationFloor, naiveError, skewBias } from '../evidence/user-level-mean/closed-forms.ts';

const { exp, floor, log, max, min, PI, sqrt } = Math;

describe('errors', () => {
  const setting = { players: 100, samples: 25, spread: 2 };

  test('of one bit: s√(π/2)/√(mn)·(e^ε + 1)/(e^ε − 1) = .04·1.253314·2.163953', () => {
    expect(oneBitError(setting, 1)).toBeCloseTo(0.1084845, 6);
  });

  test('of one bit by enumeration: the mean of signs around the median, over its slope', () => {
    // A bit is +1 with probability ½ + κ·(x/σ)φ(0) near the centre, κ the contrast: variance 1/4 over n times slope².
    const contrast = (exp(1) - 1) / (exp(1) + 1);
    const deviation = 2 / sqrt(25);
    const slope = (contrast * (normalCdf(1e-4) - normalCdf(-1e-4))) / 2e-4 / deviation;
    expect(oneBitError(setting, 1)).toBeCloseTo(sqrt(0.25 / 100) / slope, 6);
  });

  test('of naive means: s²/m and the least Gaussian noise for 2B, over n', () => {
    const noise = 100 * naiveError(setting, { epsilon: 1, delta: 1e-5 }, 3) ** 2 - 4 / 25;
    expect(gdpDelta(6 / sqrt(noise), 1) / 1e-5).toBeCloseTo(1, 6);
    // With hardly any noise it is s/√(mn).
    expect(naiveError(setting, { epsilon: 400, delta: 0.9 }, 1e-6)).toBeCloseTo(0.04, 6);
  });

  test('of a mean at the edge of a bin: E max(0, y − μ), by a sum over the normal density', () => {
    const deviation = 2 / 5;
    let mean = 0;
    for (let x = 0.0005; x < 12; x += 0.001) mean += (x * deviation * exp(-x * x * 0.5) * 0.001) / sqrt(2 * PI);
    expect(edgeBias(setting)).toBeCloseTo(mean, 6);
  });

  test('of skewness: the median of a mean of m exponential numbers is 1/(3m) below their mean', () => {
    // P(Gamma(m) ≤ m − ⅓) by Simpson's rule for m = 40; the exact median is m − ⅓ + .02/m.
    const m = 40;
    const at = m + 40 * skewBias({ samples: m, spread: 1 }, 2);
    const density = (t: number): number => exp((m - 1) * log(t) - t - logFactorial(m - 1));
    const parts = 20_000;
    let below = 0;
    for (let i = 1; i <= parts; i++) below += (density(((i - 0.5) * at) / parts) * at) / parts;
    expect(Math.abs(below - 0.5)).toBeLessThan(1e-4);
    expect(skewBias({ samples: 25, spread: 2 }, 1.5)).toBeCloseTo(-0.02, 14);
  });

  test('the floor of not finding the mean: B²·e^{−cn·min(ε, ε²)}', () => {
    expect(localisationFloor(10, 0.5, 0.3, 2)).toBeCloseTo(4 * exp(-0.75), 12);
    expect(localisationFloor(10, 2, 0.3, 2)).toBeCloseTo(4 * exp(-6), 12);
  });
});

function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += log(i);
  return sum;
}

describe('the corrected two rounds', () => {
  const base = { epsilon: 1, players: 100_000, samples: 400 };

  test('a wrong pair of k bins: k·Φ(−.45/√v), v the larger variance of the frequency of an empty and of a full bin', () => {
    // ε = ln 3, k = 3: p = 3/5, q = 1/5, gap .4. Empty: .2·.8/(.16n) = 1/n; full: .6·.4/(.16n) = 1.5/n.
    const mechanism = randomizedResponse({ epsilon: log(3), categories: 3 });
    expect(pairFailure(mechanism, 60)).toBeCloseTo(3 * normalCdf(-0.45 * sqrt(40)), 10);
    // ε = ln 27, k = 10: p = 3/4, q = 1/36. The full bin again.
    const sharp = randomizedResponse({ epsilon: log(27), categories: 10 });
    const gap = 3 / 4 - 1 / 36;
    const variance = max(3 / 16, 35 / 36 ** 2) / gap ** 2 / 9;
    expect(pairFailure(sharp, 9)).toBeCloseTo(10 * normalCdf(-0.45 / sqrt(variance)), 10);
  });

  test('has bins four deviations of a local mean long, and margins of a local mean’s tail', () => {
    const plan = twoRound({ ...base, spread: 0.5, failure: 0.05 });
    // 4·.5/20 = .1 on a range of 2.
    expect(plan.pilot.mechanism.categories).toBe(20);
    // Hoeffding's tail at `range` is ξ/n.
    expect(2 * exp((-400 * plan.range ** 2) / (2 * 0.25))).toBeCloseTo(0.05 / base.players, 12);
    const triple = twoRound({ ...base, spread: 0.5, failure: 0.05, interval: 'triple' });
    expect(triple.pilot.mechanism.categories).toBe(floor(2 / triple.range));
    // No margin is longer than the whole range.
    expect(twoRound({ ...base, samples: 1 }).range).toBe(2);
  });

  test('gives round 1 the least of .1, .15, … .5 at which a wrong pair is rarer than one in a million', () => {
    for (const players of [300, 3000, 5000, 8000, 100_000]) {
      const { share, pilot } = twoRound({ ...base, players });
      const wrong = (part: number): number => pairFailure(pilot.mechanism, max(1, part * players));
      if (share < 0.5 - 1e-9) expect(wrong(share)).toBeLessThanOrEqual(1e-6);
      if (share > 0.1 + 1e-9) expect(wrong(share - 0.05)).toBeGreaterThan(1e-6);
      expect(share).toBeGreaterThanOrEqual(0.1);
      expect(share).toBeLessThanOrEqual(0.5);
      expect((share / 0.05) % 1).toBeCloseTo(Math.round(share / 0.05) - floor(share / 0.05), 9);
    }
    expect(twoRound({ ...base, players: 300 }).share).toBe(0.5);
    expect(twoRound({ ...base, players: 10_000_000 }).share).toBe(0.1);
  });

  test('with the same players and pure reports splits ε, in its share', () => {
    const plan = twoRound({ ...base, epsilon: 2, samePlayers: true, share: 0.25 });
    if (plan.final.kind !== 'sign') throw new Error('signs are needed');
    // Randomized response at ε₂ = 1.5 has the contrast tanh(.75).
    expect(plan.final.coin.contrast).toBeCloseTo(0.635149, 6);
    expect(plan.final.coin.exactEpsilon).toBeCloseTo(1.5, 12);
    expect(plan.share).toBe(1);
  });

  test.each([0.05, 0.3, 0.9])(
    'with the same players and noise, a share %p of μ² for the bin: no more is spent, and no less',
    (share) => {
      const delta = 1e-6;
      const plan = twoRound({ ...base, delta, samePlayers: true, share });
      if (plan.final.kind !== 'noisy') throw new Error('noise is needed');
      const mu = 2 / plan.final.sigma;
      // By Gaussian composition, the bin as 2Φ⁻¹(e^ε/(1 + e^ε)), or by basic composition, the bin as ε: the larger μ that either allows.
      const pilot = bisect((epsilon) => gaussianOfPure(epsilon) - sqrt(share) * muAt(1, delta));
      const gaussian = sqrt(max(0, muAt(1, delta) ** 2 - gaussianOfPure(pilot) ** 2));
      const basic = pilot < 1 ? muAt(1 - pilot, delta) : 0;
      expect(mu / max(gaussian, basic)).toBeCloseTo(1, 6);
    },
  );
});

describe('one-bit rounds', () => {
  const base = { epsilon: 1, spread: 0.5 };
  const CONTRAST = (exp(1) - 1) / (exp(1) + 1);

  /**
   * Rounds that search: answers worth a tenth of n·κ² bits narrow a range to 4/bits of it, to a half at most and to a sixteenth at
   * best; two rounds at least and five at most.
   */
  function searches(range: number, players: number): number {
    const factor = Math.min(16, max(2, (0.1 * players * CONTRAST ** 2) / 4));
    let rounds = 2;
    while (rounds < 5 && factor ** rounds < range) rounds++;
    return rounds;
  }

  test.each([100, 1000, 100_000])(
    'with m = %p samples are as many as halve, or better, what is not known of the mean',
    (samples) => {
      const found = new Set<string>();
      for (let players = 60; players < 4000; players = Math.ceil(1.02 * players)) {
        // Thresholds all over 2B, in deviations .5/√m of a local mean.
        const thresholds = oneBit({ ...base, samples, players, pilot: 'thresholds' });
        expect(thresholds.shares).toHaveLength(searches(4 * sqrt(samples), players) + 2);
        // Bins of four deviations, then two of their widths.
        const bins = oneBit({ ...base, samples, players, pilot: 'bins' });
        const categories = floor(2 / (2 / sqrt(samples)));
        if (bins.pilot.kind !== 'bin') throw new Error('bins are needed');
        expect(bins.pilot.mechanism.categories).toBe(categories);
        expect(bins.shares).toHaveLength(3 + searches((4 / categories) * 2 * sqrt(samples), players));
        // By itself it takes bins where their pair is wrong once in a million at most, and thresholds need more than two rounds.
        const reliable = pairFailure(bins.pilot.mechanism, 0.1 * players) <= 1e-6;
        const chosen = oneBit({ ...base, samples, players });
        expect(chosen.pilot.kind).toBe(reliable && searches(4 * sqrt(samples), players) > 2 ? 'bin' : 'sign');
        found.add(`${thresholds.shares.length} ${bins.shares.length}`);
      }
      expect(found.size).toBeGreaterThan(1);
    },
  );

  test('without a spread a quarter of the largest is taken for the forecast, and bins are as long as the largest asks for', () => {
    for (let players = 100; players < 4000; players = Math.ceil(1.05 * players)) {
      const given = { epsilon: 1, bound: 3, samples: 900, players } as const;
      // 2B over B/4/√m.
      expect(oneBit({ ...given, pilot: 'thresholds' }).shares).toHaveLength(searches(8 * 30, players) + 2);
      const bins = oneBit({ ...given, pilot: 'bins' });
      // 2B/(4B/√m) = 15 bins; 4B/15 over B/4/√m.
      if (bins.pilot.kind !== 'bin') throw new Error('bins are needed');
      expect(bins.pilot.mechanism.categories).toBe(15);
      expect(bins.shares).toHaveLength(3 + searches(32, players));
    }
  });

  test('a public spread is that of local means over √m', () => {
    expect(oneBit({ ...base, samples: 25, players: 500 }).deviation).toBeCloseTo(0.1, 14);
    expect(oneBit({ epsilon: 1, samples: 25, players: 500 }).deviation).toBeUndefined();
  });
});

/** Φ(μ/2) = e^ε/(1 + e^ε). */
const gaussianOfPure = (epsilon: number): number => 2 * bisect((z) => normalCdf(z) - exp(epsilon) / (1 + exp(epsilon)));

/** The largest μ with δ_μ(ε) ≤ δ. */
const muAt = (epsilon: number, delta: number): number => bisect((mu) => gdpDelta(max(1e-9, mu), epsilon) - delta);

/** The root of an increasing function in (0, 20). */
function bisect(of: (x: number) => number): number {
  let [low, high] = [0, 20];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (of(middle) > 0) high = middle;
    else low = middle;
  }
  return low;
}

describe('user-level descent', () => {
  const plan = {
    step: 0.3,
    strongConvexity: 0.5,
    iterations: 3,
    gradients: 'signs',
    gradient: { coin: { contrast: 0.4 } },
    dimension: 3,
    samples: 8,
    players: 1000,
    shares: [0.3, 0.2, 0.25, 0.25],
    rounds: [1, 1, 2],
    samePlayers: false,
  } as unknown as ErmPlan;

  test('three steps that contract by .85 each, and errors of .1 over τ₁ = ½: .614125·2 + .2', () => {
    expect(contraction(plan)).toBeCloseTo(0.85, 14);
    expect(descentBound(plan, { start: 2, gradientError: 0.1 })).toBeCloseTo(1.42825, 12);
  });

  test('is above the worst run of a scalar descent, and that comes near it', () => {
    let distance = 2;
    for (let t = 0; t < 3; t++) distance = (1 - 0.3 * 0.5) * distance + 0.3 * 0.1;
    const bound = descentBound(plan, { start: 2, gradientError: 0.1 });
    // The sum of the errors stops after three terms: (1 − .85³)·.2 of .2.
    expect(bound - distance).toBeCloseTo(0.2 * 0.614125, 12);
  });

  test('the error of a gradient by its own signs: 3·√((π/2)/(8·500))·1.2/.4', () => {
    expect(expectedGradientError(plan, 1.2)).toBeCloseTo(0.17835, 5);
    // The same players answer in all rounds, of which the last iteration has two.
    expect(expectedGradientError({ ...plan, samePlayers: true, shares: [1, 1, 1, 1] }, 1.2)).toBeCloseTo(0.089175, 5);
    expect(expectedGradientError({ ...plan, samePlayers: true }, 1.2)).toBeCloseTo(0.126112, 5);
  });

  test('of local means that are all the same what is left is what the search leaves', () => {
    for (const form of ['sign', 'unit'] as const) {
      const asked = vector({ epsilon: 1, players: 2000, samples: 5, dimension: 3, form });
      expect(expectedSquaredError(asked, 0) / expectedSquaredError(asked, 1e-9)).toBeCloseTo(1, 6);
    }
    const request = {
      epsilon: 8,
      players: 60_000,
      samples: 50,
      dimension: 3,
      loss: 'logistic',
      iterations: 6,
    } as const;
    const curved = { radius: 2, strongConvexity: 0.1, force: true, gradients: 'two-round', spread: 0.4 } as const;
    const twice = descent({ ...request, ...curved });
    expect(twice.gradient.pilot.kind).toBe('bin');
    expect(expectedGradientError(twice, 0) / expectedGradientError(twice, 1e-9)).toBeCloseTo(1, 6);
  });

  test('players: (Bd²/(ετ₁R))²/m = 500²/10, or 60·D/κ² = 480/.213552 where that is more', () => {
    const fields = { epsilon: 1, samples: 10, dimension: 5, gradientBound: 2, strongConvexity: 0.1, radius: 1 };
    expect(requiredPlayers(fields)).toBe(25_000);
    expect(requiredPlayers({ ...fields, samples: 1000 })).toBe(2248);
    expect(requiredPlayers({ ...fields, samples: 1000, dimension: 4, gradientBound: 0.1 })).toBe(1124);
    expect(min(1, requiredPlayers({ ...fields, radius: 2 }) / 6250)).toBe(1);
    expect(requiredPlayers({ ...fields, radius: 2 })).toBe(6250);
  });
});
