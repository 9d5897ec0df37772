// A hostile server against every protocol and variant: whatever it changes in what it sends, a device refuses it or plays what was agreed,
// and whether it answers tells nothing of the datum.
import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import type { EuclideanMedianRequest } from '../../protocols/euclidean-median/parameters.ts';
import { frequency } from '../../protocols/frequency/index.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import type { GeneralizedLinearRequest } from '../../protocols/generalized-linear/parameters.ts';
import { gradientWaves, gradientWavesPlan } from '../../protocols/gradient-waves/index.ts';
import { LOSSES } from '../../protocols/gradient-waves/parameters.ts';
import { type HingeRequest, hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { mean } from '../../protocols/mean/index.ts';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import type { ErmRound } from '../../protocols/user-level-erm/gradients.ts';
import { descent, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import type { ErmLoss } from '../../protocols/user-level-erm/objective.ts';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import { deployedPlayer, deployedRoundsPlayer } from '../../src/core/device.ts';
import { createLedger, guaranteeCap, memoryStore } from '../../src/core/ledger.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { attackPlayer, attackRound, attackStep, liesAbout } from '../../src/testing/hostile.ts';
import { euclideanMedianCase } from './euclidean-median-cases.ts';
import { smallRequest as smallWaves, waveCase, waveOf } from './gradient-waves-cases.ts';
import { hingeCase } from './hinge-cases.ts';
import { onlineCase } from './online-sgd-cases.ts';
import { playRounds } from './round-protocol.ts';
import { frequencyCase, meanCase as meanOf } from './survey-cases.ts';
import { ermCase, roundOf, smallRequest, smallTwoRoundRequest } from './user-level-erm-cases.ts';
import { meanCase, users } from './user-level-mean-cases.ts';

/** Two data of the domain, and some outside it in every way. */
function few({
  data,
  refused,
}: {
  readonly data: readonly unknown[];
  readonly refused: { readonly [what: string]: unknown };
}): unknown[] {
  const strange = Object.values(refused);
  return [data[0], data[1], ...strange.filter((_, i) => i % Math.ceil(strange.length / 3) === 0)];
}

const deployed = { epsilon: 1, degree: 1, dimension: 2, grade: 'deployment' } as const;

describe('a device of a one-shot protocol plays what was agreed, or nothing', () => {
  const data = few(hingeCase({ variant: 'lifted', ...deployed }));
  test.each<HingeRequest>([
    { variant: 'lifted', ...deployed },
    { variant: 'sampled', ...deployed },
    { variant: 'gaussian', delta: 1e-6, ...deployed },
  ])('hinge, $variant', (request) => {
    expect(attackPlayer(hinge, hingeParameters(request), data)).toEqual([]);
  });

  test.each<GeneralizedLinearRequest>([
    { variant: 'lifted', ...deployed },
    { variant: 'lifted', task: 'regression', ...deployed },
    { variant: 'sampled', task: 'regression', ...deployed },
    { variant: 'gaussian', delta: 1e-6, ...deployed },
  ])('generalized-linear, $variant $task', (request) => {
    expect(attackPlayer(generalizedLinear, generalizedLinearParameters(request), data)).toEqual([]);
  });

  test.each<EuclideanMedianRequest>([
    { variant: 'lifted', ...deployed },
    { variant: 'gaussian', delta: 1e-6, ...deployed },
  ])('euclidean-median, $variant', (request) => {
    const points = few(euclideanMedianCase(request));
    expect(attackPlayer(euclideanMedian, euclideanMedianParameters(request), points)).toEqual([]);
  });

  test.each([
    { variant: 'randomizedResponse', categories: 5 },
    { variant: 'hadamardResponse', categories: 12 },
    { variant: 'subsetSelection', edges: [0, 1, 2.5, 3, 9] },
    { categories: 5 },
  ])('frequency, %j', (question) => {
    const request = { epsilon: 1, grade: 'deployment', ...question };
    expect(attackPlayer(frequency, frequency.make(request), few(frequencyCase(request)))).toEqual([]);
  });

  test.each([
    { variant: 'oneBit', bounds: [[-60, 240]] },
    {
      variant: 'kClosest',
      bounds: [
        [0, 1],
        [-4, 3],
      ],
    },
    { variant: 'oneBit', dimension: 3, radius: 2 },
    { dimension: 3, radius: 2 },
  ])('mean, %j', (place) => {
    const request = { epsilon: 1, grade: 'deployment', ...place };
    expect(attackPlayer(mean, mean.make(request), few(meanOf(request)))).toEqual([]);
  });

  test('a player that believes made parameters is found out', () => {
    const request: HingeRequest = { variant: 'gaussian', delta: 1e-6, ...deployed };
    const honest = hingeParameters(request);
    // As it was before: parameters that carry no request are played as they are.
    const believing = { ...hinge, make: (asked: object) => ({ ...honest, ...asked }) as typeof honest };
    const sent = { ...honest, request: { ...honest } as never };
    const lies = [...liesAbout(sent)].filter(({ what }) => what === 'request.noise.sigma = 1');
    expect(attackPlayer(believing, sent, data, lies)).toEqual(['request.noise.sigma = 1: believed']);
  });

  test('a player that refuses what is outside the domain is found out', () => {
    const honest = hingeParameters({ variant: 'lifted', ...deployed });
    const refusing = { ...hinge, player: { ...hinge.player, clip: (_: unknown, datum: unknown) => datum as never } };
    expect(attackPlayer(refusing, honest, data, []).some((line) => line.startsWith('honest:'))).toBe(true);
  });
});

const users20 = { epsilon: 1, players: 60000, samples: 20, grade: 'deployment' } as const;
const means: readonly UserLevelMeanRequest[] = [
  { variant: 'naive', delta: 1e-6, ...users20 },
  { variant: 'twoRound', delta: 1e-6, ...users20 },
  { variant: 'twoRound', ...users20 },
  { variant: 'twoRound', delta: 1e-6, samePlayers: true, ...users20 },
  { variant: 'oneBit', ...users20 },
  { variant: 'oneBit', spread: 0.25, pilot: 'bins', ...users20 },
  { variant: 'vector', dimension: 3, form: 'sign', rounds: 3, ...users20 },
  { variant: 'vector', dimension: 3, form: 'unit', rounds: 3, ...users20 },
  { variant: 'vector', dimension: 3, form: 'gaussian', delta: 1e-6, rounds: 3, domain: 'ball', ...users20 },
  { variant: 'twoRound', dimension: 4, ...users20 },
  { variant: 'twoRound', dimension: 4, delta: 1e-6, form: 'gaussian', ...users20 },
  { variant: 'twoRound', dimension: 4, samePlayers: true, ...users20 },
  { variant: 'coordinates', dimension: 2, rounds: 3, ...users20 },
];
const losses: readonly ErmLoss[] = ['logistic', 'squared', 'squared-hinge', 'huber-hinge', 'huber'];

describe('a device of a protocol in rounds: whether it answers tells nothing of the datum', () => {
  test.each(means)('user-level-mean, %j', (request) => {
    const plan = userLevelMeanPlan(request);
    const { domain: _, ...boxed } = { domain: 'box', ...request };
    const data = few(meanCase(boxed as UserLevelMeanRequest, 0));
    const answered = users(7, request.dimension ?? 1, 0.5, 'hostile');
    for (const { round } of playRounds(userLevelMean, plan, { data: answered, reports: 1400 })) {
      expect(attackRound(userLevelMean, plan, round, data)).toEqual([]);
    }
  });

  test.each(losses)('user-level-erm, %s', (loss) => {
    const request = smallRequest(loss, { grade: 'deployment' });
    const plan = descent(request);
    const data = few(ermCase(request, 0));
    for (const place of [0, plan.shares.length - 1]) {
      expect(attackRound(userLevelErm, plan, roundOf(plan, place), data)).toEqual([]);
    }
  });

  test.each(losses)('user-level-erm, gradients of two rounds, %s', (loss) => {
    const request = smallTwoRoundRequest(loss, { grade: 'deployment' });
    const plan = descent(request);
    const data = few(ermCase(request, 0));
    for (const place of [0, 1, plan.shares.length - 1]) {
      expect(attackRound(userLevelErm, plan, roundOf(plan, place), data)).toEqual([]);
    }
  });

  // The hinge loss, with more that is no record, is attacked in gradient-waves.test.ts.
  test.each(LOSSES.filter((variant) => variant !== 'hinge'))('gradient-waves, %s', (variant) => {
    const request = smallWaves({ variant, grade: 'deployment' });
    const plan = gradientWavesPlan(request);
    const data = few(waveCase(request, 0));
    for (const round of [1, 4]) {
      expect(attackRound(gradientWaves, plan, waveOf(request, round), data)).toEqual([]);
    }
  });

  test('a player of an iterate beyond the ball, who answered or not by its record, is found out', () => {
    const request = smallRequest('squared', { grade: 'deployment' });
    const plan = descent(request);
    // As it was before: the round is played as it came, and gradients beyond their bound are refused.
    const believing = {
      ...userLevelErm,
      rounds: { ...userLevelErm.rounds, remake: (_: unknown, received: unknown) => received as ErmRound },
      player: {
        ...userLevelErm.player,
        randomize: (
          round: ErmRound,
          datum: { readonly features: ArrayLike<number>; readonly responses: ArrayLike<number> },
        ) => {
          const slope = round.theta[0] * datum.features[0] - datum.responses[0];
          if (Math.abs(slope * datum.features[0]) > plan.objective.gradientBound) throw new RangeError('"features"');
          return { values: new Uint32Array(1) };
        },
      },
    };
    const data = [
      { features: [0.9, 0, 0], responses: [1] },
      { features: [0, 0, 0.1], responses: [1] },
    ];
    const round = roundOf(plan, 0);
    expect(attackRound(userLevelErm, plan, round, data)).toEqual([]);
    // Only the iterate is changed: a believed dimension of 10⁹ would fill gigabytes.
    const lies = [...liesAbout(round)].filter(({ what }) => what.startsWith('theta'));
    expect(attackRound(believing, plan, round, data, lies).some((line) => line.startsWith('theta.0'))).toBe(true);
  });

  test('46 probes with iterates beyond the ball get no answer, whatever the record', () => {
    const plan = descent(smallRequest('squared', { grade: 'deployment' }));
    const round = roundOf(plan, 0);
    for (let probe = 0; probe < 46; probe++) {
      const forged = { ...round, theta: round.theta.map((x, i) => (i === 0 ? 2.5 * 2 ** probe : x)) };
      for (const features of [
        [1e-9, 0, 0],
        [1, 0, 0],
      ]) {
        const ledger = createLedger({ cap: guaranteeCap(userLevelErm.theory.guarantee(plan)), store: memoryStore() });
        const device = deployedRoundsPlayer(userLevelErm, plan, { ledger });
        expect(() => device.report(forged, { features, responses: [0.5] })).toThrow(/^"theta" expected an l2 norm/);
        // The player itself refuses as well, and before the record.
        expect(() => userLevelErm.player.randomize(forged, null as never, seededRandom(1))).toThrow(
          /^"theta" expected/,
        );
        expect(ledger.entries()).toEqual([]);
      }
    }
  });

  test('30 probes with another bound are all answered under the bound of the plan', () => {
    const plan = userLevelMeanPlan({ variant: 'oneBit', ...users20 });
    const round = userLevelMean.rounds.first(plan);
    for (let probe = 0; probe < 30; probe++) {
      const ledger = createLedger({ cap: guaranteeCap(userLevelMean.theory.guarantee(plan)), store: memoryStore() });
      const device = deployedRoundsPlayer(userLevelMean, plan, { ledger });
      const bytes = device.report({ ...round, bound: 2 ** -probe }, { samples: [0.3] });
      expect(userLevelMean.report.decode(round, bytes).values).toHaveLength(1);
    }
  });
});

describe('a device of a stream: whether it answers tells nothing of the datum', () => {
  const streams: readonly OnlineSgdRequest[] = [
    { variant: 'privUnit', model: { kind: 'huber', features: 2 }, epsilon: 1, grade: 'deployment' } as OnlineSgdRequest,
    {
      variant: 'gaussian',
      model: { kind: 'logistic', features: 2 },
      epsilon: 1,
      delta: 1e-6,
      grade: 'deployment',
    } as OnlineSgdRequest,
    {
      variant: 'gaussian',
      model: { kind: 'huber-scale', features: 2 },
      epsilon: 1,
      delta: 1e-6,
      grade: 'deployment',
    } as OnlineSgdRequest,
    {
      variant: 'privUnit',
      model: { kind: 'multinomial', features: 2, classes: 3 },
      epsilon: 1,
      grade: 'deployment',
    } as OnlineSgdRequest,
    {
      variant: 'privUnit',
      model: { kind: 'response', loss: 'squared', features: 2, clip: 1 },
      epsilon: 1,
      grade: 'deployment',
    } as OnlineSgdRequest,
  ];
  test.each(streams)('online-sgd, %j', (request) => {
    const plan = onlineSgdPlan(request);
    const step = onlineSgd.server.step(plan, onlineSgd.server.start(plan));
    expect(attackStep(onlineSgd, plan, step, few(onlineCase(request)))).toEqual([]);
    // The plan itself is believed as little.
    const answering = {
      ...onlineSgd,
      player: {
        ...onlineSgd.player,
        randomize: (_: unknown, datum: never) => onlineSgd.player.randomize(step, datum, seededRandom(1)),
      },
    };
    expect(
      attackPlayer(
        {
          ...answering,
          player: {
            randomize: (_, datum) => answering.player.randomize(_, datum as never),
            clip: (_, datum) => onlineSgd.player.clip(step, datum),
          },
        },
        plan,
        few(onlineCase(request)),
      ),
    ).toEqual([]);
  });
});

test('variants without exact noise are on no device', () => {
  const ledger = createLedger({ cap: { allows: 'anything', covers: () => true }, store: memoryStore() });
  for (const variant of ['printed', 'copies'] as const) {
    const made = hingeParameters({ variant, epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 });
    expect(() => deployedPlayer(hinge, made, { ledger })).toThrow(/^"grade"/);
  }
});
