import { describe, expect, test } from '@jest/globals';
import {
  isVector,
  type UserLevelMeanRequest,
  userLevelMean,
  userLevelMeanPlan,
} from '../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanRound } from '../../protocols/user-level-mean/parameters.ts';
import { binQuestion, pairEdge, popularBin } from '../../protocols/user-level-mean/scalar/question.ts';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { playRounds } from './round-protocol.ts';
import { several, severalBase, users } from './user-level-mean-cases.ts';

describe.each(several)('two rounds in several dimensions: $variant %#', (request) => {
  const plan = userLevelMeanPlan(request);
  const data = users(7, 3, 0.99, 'play');
  const finished = playRounds(userLevelMean, plan, { data, reports: 700 });

  test('are two, of a plan in several dimensions', () => {
    expect([finished.length, isVector(plan)]).toEqual([2, true]);
  });

  test('are certified within their claim', () => {
    const { totals, alternatives, releases } = userLevelMean.theory.certificate(plan);
    const within = totals.some(({ withinClaim }) => withinClaim === true);
    expect(within).toBe(true);
    expect(alternatives ?? false).toBe(request.variant === 'twoRound' && request.samePlayers !== true);
    expect(releases).toHaveLength(2);
    // All D coordinates of every player are counted in both rounds: D = 4.
    if (request.variant === 'printed') expect(releases.map(({ count }) => count)).toEqual([4, 4]);
  });

  test('have the likelihoods of an audit, within the ε of the answer', () => {
    const [{ round }] = finished;
    for (const pair of userLevelMean.auditing!.pairs(round, seededRandom(3))) {
      const ratio = userLevelMean.auditing!.logLikelihoodRatio?.(round, pair);
      const [p, q] = [pair.first, pair.second].map((datum) => userLevelMean.auditing!.channel?.(round, datum));
      const worst = largestRatio(round, ratio, pair.first);
      if (ratio === undefined) expect(round.kind).toBe('residual');
      else expect(worst).toBeLessThanOrEqual(claimedOf(request, plan) * (1 + 1e-9));
      if (p === undefined || q === undefined) continue;
      expect(Array.from(p).reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 9);
      const most = Math.max(...Array.from(p, (x, i) => Math.abs(Math.log(x / q[i]))));
      expect(most).toBeLessThanOrEqual(request.epsilon * (1 + 1e-9));
      expect(worst).toBeLessThanOrEqual(most * (1 + 1e-9));
    }
  });
});

/** The largest |log ratio| among 200 reports of a datum. */
function largestRatio(
  round: UserLevelMeanRound,
  ratio: ((report: { values: never }) => number) | undefined,
  datum: { samples: ArrayLike<number> },
): number {
  const random = seededRandom('ratio');
  let worst = 0;
  for (let i = 0; ratio !== undefined && i < 200; i++) {
    worst = Math.max(worst, Math.abs(ratio(userLevelMean.player.randomize(round, datum, random) as { values: never })));
  }
  return worst;
}

/** ε of the answer of one player in round 1. */
function claimedOf(request: UserLevelMeanRequest, plan: ReturnType<typeof userLevelMeanPlan>): number {
  return request.variant === 'printed' && 'pilotEpsilon' in plan ? 4 * plan.pilotEpsilon : request.epsilon;
}

// The univariate constants spend .13 of ε = 1 at δ = 1e-6, by Gaussian composition, and D coordinates √D times as much.
test.each(['printed', 'unsplit', 'exact'] as const)('the budget of 256 coordinates, calibration %s', (calibration) => {
  const request = { variant: 'printed', ...severalBase, epsilon: 1, dimension: 256, delta: 1e-6, calibration } as const;
  const { totals, claimed } = userLevelMean.theory.certificate(userLevelMeanPlan(request));
  expect(claimed).toEqual({ kind: 'approximate', epsilon: 1, delta: 1e-6 });
  expect(totals.some(({ withinClaim }) => withinClaim === true)).toBe(calibration !== 'unsplit');
  const least = Math.min(...totals.map(({ epsilonAtDelta }) => epsilonAtDelta ?? Infinity));
  if (calibration === 'unsplit') expect(least).toBeGreaterThan(1.5);
  // Concentrated privacy knows a tenth better than the Gaussian composition that was planned with.
  if (calibration === 'exact') expect(least).toBeGreaterThan(0.85);
});

describe('a round made again on a device', () => {
  test.each(several)('is the one that was made, from its public numbers alone: $variant %#', (request) => {
    const plan = userLevelMeanPlan(request);
    const finished = playRounds(userLevelMean, plan, { data: users(7, 3, 0.99, 'play'), reports: 700 });
    for (const { round } of finished) {
      // Noise, bounds and lengths that were sent are not read.
      const sent = JSON.parse(JSON.stringify({ ...round, bound: 1e9, sigma: 0, length: 1, mechanism: null }));
      expect(userLevelMean.rounds.remake(plan, lists(sent)).digest).toBe(round.digest);
    }
    const twice = request.variant === 'printed' || (request.variant === 'twoRound' && request.samePlayers === true);
    expect(userLevelMean.rounds.answers(plan)).toBe(twice ? 2 : 1);
  });

  const residual = { round: 1, centre: [0, 0, 0], radius: 1 };
  const interval = { lower: -0.5, upper: 0.5 };
  const noisy = { round: 1, questions: [interval, interval, interval, interval] };
  test.each([
    ['twoRound', null],
    ['twoRound', { ...residual, round: 2 }],
    ['twoRound', { ...residual, round: '0' }],
    ['twoRound', { ...residual, centre: [0, 0] }],
    ['twoRound', { ...residual, centre: [0, 0, NaN] }],
    ['twoRound', { ...residual, centre: [0, 0, 1e200] }],
    ['twoRound', { ...residual, radius: 0 }],
    ['twoRound', { ...residual, radius: Infinity }],
    ['printed', { ...noisy, round: -1 }],
    ['printed', { round: 1 }],
    ['printed', { round: 1, questions: [interval, interval, interval] }],
    ['printed', { round: 1, questions: [interval, interval, interval, { lower: 0.5, upper: 0.5 }] }],
    ['printed', { round: 1, questions: [interval, interval, interval, { lower: -9, upper: 0.5 }] }],
    ['printed', { round: 1, questions: [interval, interval, interval, { lower: 0, upper: 9 }] }],
    ['printed', { round: 1, questions: [interval, interval, interval, { lower: 0, upper: NaN }] }],
  ])('refuses %s %p', (variant, sent) => {
    const request = {
      ...severalBase,
      variant,
      ...(variant === 'printed' ? { delta: 1e-6 } : {}),
    } as UserLevelMeanRequest;
    const plan = userLevelMeanPlan(request);
    expect(() => userLevelMean.rounds.remake(plan, sent)).toThrow(/^"round/);
    // Control: the honest one is made.
    const honest = variant === 'printed' ? noisy : residual;
    expect(userLevelMean.rounds.remake(plan, honest).round).toBe(1);
  });
});

/** Typed arrays come out of JSON as objects with numbers for names. */
function lists(sent: { centre?: object }): object {
  return sent.centre === undefined ? sent : { ...sent, centre: Object.values(sent.centre) };
}

test('where the noise of round 1 is far above the range, round 2 asks around the middle, and the error is that of its own noise', () => {
  // A pure ε of round 1, and nearly no noise in round 2 by its δ.
  const plan = userLevelMeanPlan({
    variant: 'twoRound',
    epsilon: 1e-6,
    delta: 0.9,
    players: 200,
    samples: 5,
    dimension: 2,
  });
  if (!('pilot' in plan) || plan.pilot.kind !== 'unit') throw new Error('expected a pilot of unit vectors');
  // The control: what reports of round 1 tell of a coordinate by themselves.
  expect(Math.sqrt(plan.pilot.residual.coordinateVariance / 20)).toBeGreaterThan(1e4);
  const random = seededRandom('far above');
  const data = Array.from({ length: 200 }, () => ({
    samples: Float64Array.from({ length: 10 }, () => uniform(random)),
  }));
  let squared = 0;
  for (let seed = 0; seed < 20; seed++) {
    const { estimate } = conduct(userLevelMean, plan, { players: 200, datum: (i) => data[i] }, { seed });
    expect(estimate.standardError.every((error) => error < 1)).toBe(true);
    squared += estimate.unprojected.reduce((sum, x) => sum + (x - 0.5) ** 2, 0) / 20;
  }
  const { error } = userLevelMean.theory.forecast!(plan, { players: 200, spread: Math.sqrt(1 / 12) });
  // .21 of 40 squares, with a deviation of .024: more than .35 has probability 1e-8. It was 8e4.
  expect(Math.sqrt(squared)).toBeLessThan(3 * error);
});

test.each([
  // It was 1.71, .45 and .65 of a forecast without what a clip leaves, and for a mean as long as can be (the control).
  [{ epsilon: 4, players: 300, dimension: 5 }, 0.1],
  [{ epsilon: 1, players: 20, dimension: 16 }, 0.1],
  [{ epsilon: 1, players: 50, dimension: 5 }, 0.1],
])('the error where round 1 is a unit vector is the forecast within a factor 1.5: %p', (request, spread) => {
  const plan = userLevelMeanPlan({ variant: 'twoRound', samples: 20, ...request });
  const { players, dimension } = request;
  const random = seededRandom('by unit vectors');
  const runs = 60;
  let squared = 0;
  for (let seed = 0; seed < runs; seed++) {
    const mean = Float64Array.from({ length: dimension }, () => uniform(random) - 0.5);
    const datum = () => ({
      samples: mean.map((x) => x + (spread / Math.sqrt(20)) * Math.sqrt(12) * (uniform(random) - 0.5)),
    });
    const { estimate } = conduct(userLevelMean, plan, { players, datum }, { seed });
    squared += estimate.mean.reduce((sum, x, j) => sum + (x - mean[j]) ** 2, 0) / runs;
  }
  const { error } = userLevelMean.theory.forecast!(plan, { players, spread });
  const ratio = Math.sqrt(squared) / error;
  // 1.39, 1.11 and 1.08, with deviations of .06 and less: two of them, and so .05, for the first, 1e-6 for the others.
  expect(ratio).toBeGreaterThan(1 / 1.5);
  expect(ratio).toBeLessThan(1.5);
});

// Randomized response: equal counts are equal frequencies. Some of 13 bins are told once each, and nothing else; none of them as far from the middle as another.
test.each([[[3, 8]], [[0, 11]], [[1, 4, 9]], [[0, 1, 10]]])(
  'the best bins of few players, told %j, are as far from one bound as those of the reflection from the other',
  (told) => {
    const question = binQuestion(1, 13, 4);
    const counted = (bins: readonly number[]) => {
      const sums = new Float64Array(13);
      for (const bin of bins) sums[bin]++;
      return { players: bins.length, sums };
    };
    const reflected = counted(told.map((bin) => 12 - bin));
    expect(pairEdge(question, counted(told)) + pairEdge(question, reflected)).toBeCloseTo(0, 12);
    const [bin, back] = [counted(told), reflected].map((tally) => popularBin(question, tally, 0));
    expect([bin.lower + back.upper, bin.upper + back.lower].map(Math.abs).every((sum) => sum < 1e-12)).toBe(true);
  },
);
