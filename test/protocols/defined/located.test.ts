import { expect, test } from '@jest/globals';
import {
  createLedger,
  createRoundsCollector,
  deployedRoundsPlayer,
  digestOf,
  memoryStore,
  open,
  pureCap,
  seededRandom,
  verifyCertificate,
} from 'ldpkit';
import { audit, transcriptTarget } from 'ldpkit/audit';
import { conduct } from 'ldpkit/simulate';
import { assertContract, assertControls, attackRound, checkContract } from 'ldpkit/testing';
import { located, off } from './located.ts';

const REQUEST = { epsilon: 1, grade: 'deployment' };
const cases = [
  {
    name: 'two rounds',
    make: () => located.make(REQUEST),
    others: [
      located.make({ ...REQUEST, epsilon: 2 }),
      located.make({ ...REQUEST, cells: 8 }),
      located.make({ epsilon: 1 }),
    ],
    data: Array.from({ length: 12 }, (_, i) => (i + 0.5) / 12),
    refused: {
      null: null,
      'a text': '3.16227766',
      'a negative number': -2.2360679,
      'too much': 1234567.5,
      NaN,
      'a list': [0.31622776],
    },
  },
];

test('rounds from a definition keep all laws', () => {
  assertContract(located, cases);
});

test('their cases notice every control', () => {
  assertControls(located, cases);
});

type Rounds = typeof located.rounds;
let calls = 0;

test.each<[string, Partial<Rounds>, string]>([
  [
    'a device that plays another round than it was sent',
    { remake: (plan) => located.rounds.first(plan) },
    'is made again by the device from its own plan',
  ],
  [
    'rounds that begin again',
    { next: (plan) => located.rounds.first(plan), estimate: () => ({}) as never },
    'all data',
  ],
  [
    'an estimate without the last round',
    { estimate: () => ({ players: 1, mean: 0, standardError: 1 }) },
    'an estimate needs all rounds',
  ],
  [
    'rounds that count in the plan how often they were asked for',
    {
      next(plan, finished) {
        Object.assign(plan, { asked: finished.length });
        return located.rounds.next(plan, finished);
      },
    },
    'going on and estimating change neither plan nor tallies',
  ],
  [
    'an estimate that is another one each time',
    {
      estimate: (...given) => {
        calls++;
        return { ...located.rounds.estimate(...given), players: calls };
      },
    },
    'asked twice they answer the same',
  ],
  [
    'a device that believes any interval',
    {
      remake(_plan, sent) {
        const received = sent as ReturnType<Rounds['first']>;
        return { ...received, digest: digestOf(received as never) };
      },
    },
    'a text or an object stands for a number',
  ],
])('the laws of rounds refuse %s (control)', (_, change, law) => {
  let played = 0;
  // Rounds without an end would be played for ever.
  const next: Rounds['next'] = (...given) => {
    if (++played > 1000) throw new Error('more than a thousand rounds');
    return (change.next ?? located.rounds.next)(...given);
  };
  const broken = { ...located, rounds: { ...located.rounds, ...change, next } };
  expect(
    checkContract(broken, cases)
      .map((violation) => violation.law)
      .join(),
  ).toContain(law);
});

const PLAYERS = 4000;
const held = (i: number) => 0.3 + 0.02 * ((i % 11) / 11);
const TRUTH = 0.3 + 0.02 * (5 / 11);

test('a survey in two rounds finds the mean, and its certificate verifies', () => {
  const survey = open(located, REQUEST);
  expect(verifyCertificate(located, JSON.parse(JSON.stringify(survey.certificate())))).toMatchObject({
    verified: true,
  });
  const random = seededRandom('located');
  const collector = survey.collector();
  for (let i = 0; i < PLAYERS; i++) {
    if (i === PLAYERS / 4) collector.close();
    const received = JSON.parse(JSON.stringify(collector.round));
    expect(collector.receive(survey.device({ random }).report(received, held(i)), i).outcome).toBe('counted');
  }
  collector.close();
  // Off by five standard errors with probability 6e-7; the standard error is that of the widest spread.
  expect(off(collector.estimate(), TRUTH)).toBeLessThan(5);
  // The control: an estimate that forgets where the interval begins.
  const { mean, standardError } = collector.estimate();
  expect(off({ mean: mean - 0.25, standardError }, TRUTH)).toBeGreaterThan(5);
});

/** The second round of a plan, after 1000 players. */
function secondRound() {
  const plan = located.make(REQUEST);
  const { finished } = conduct(located, plan, { players: 1000, datum: held }, { seed: 'a pilot' });
  return { plan, finished, round: finished[1].round };
}

test('no lie about a round is believed for one datum and not for another', () => {
  const { plan, finished } = secondRound();
  for (const { round } of finished) expect(attackRound(located, plan, round, [0, 0.3, 1, 'x'])).toEqual([]);
});

test('a device answers one round, and refuses what its plan cannot ask before it spends anything', () => {
  const { plan, round, finished } = secondRound();
  const store = memoryStore();
  const ledger = createLedger({ cap: pureCap(1), store });
  const player = deployedRoundsPlayer(located, { request: plan.request, digest: plan.digest }, { ledger });
  const { low, high } = round.asked;
  for (const asked of [
    { low: 0, high: 1 },
    { low: high, high: low },
    { low, high: low },
    { low: Number.NaN, high },
    { low: -1e308, high: 1e308 },
    { low, high: low + 0.01 },
    { low },
    [low, high],
    null,
    undefined,
    new Proxy({}, { get: () => Number.NaN }),
  ]) {
    expect(() => player.report({ ...round, asked }, 0.3)).toThrow('"round.asked');
  }
  expect(() => player.report({ ...round, digest: plan.digest }, 0.3)).toThrow('"round.digest"');
  expect(() => player.report({ ...round, round: 2 }, 0.3)).toThrow('"round.round"');
  expect(ledger.entries()).toEqual([]);
  // Of the first round the device computes itself what is asked: an honest digest is needed, and no other is one.
  expect(
    player.report({ round: 0, digest: finished[0].round.digest, asked: { low: 0.3, high: 0.31 } }, 0.3).length,
  ).toBe(4 + 4 + located.name.length + 16 + 4 + 4);
  expect(() => player.report(round, 0.3)).toThrow('this player has answered');
});

test('rounds that this program did not make are made again, from bytes of a collector too', () => {
  const { plan, finished } = secondRound();
  const copies = finished.map(({ round, tally }) => structuredClone({ round, tally }));
  expect(located.rounds.estimate(plan, copies)).toEqual(located.rounds.estimate(plan, finished));
  const [pilot, last] = copies;
  const { sums, ...rest } = pilot.tally;
  const other = { round: pilot.round, tally: { ...rest, sums: { counts: sums.counts.slice().reverse() } } };
  expect(() => located.rounds.estimate(plan, [other, structuredClone(last)])).toThrow('"finished[1].round.digest"');
  expect(() => located.rounds.estimate(plan, [pilot])).toThrow('"finished" expected all 2 rounds, got 1');
  const collector = createRoundsCollector(located, plan);
  collector.receive(located.report.encode(collector.round!, Uint32Array.of(3)), 'a');
  const resumed = createRoundsCollector(located, plan, { saved: structuredClone(collector.save()) });
  expect(resumed.round).toEqual(collector.round);
});

// Bounds hold with probability 0.99, so that a sound protocol is refuted with probability 0.01 at most; the seed is fixed.
test('an audit of the transcript refutes nothing, and refutes a claim of half of it (control)', () => {
  const { plan, finished } = secondRound();
  const target = transcriptTarget(
    located,
    plan,
    finished.map(({ round }) => round),
  );
  const attack = () => ({ trials: 0, random: seededRandom('audit') });
  expect(audit(target, attack()).verdict).toBe('consistent');
  expect(audit({ ...target, claimed: { kind: 'pure', epsilon: 0.5 } }, attack()).verdict).toBe('violation');
});
