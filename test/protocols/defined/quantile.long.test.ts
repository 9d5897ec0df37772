import { expect, test } from '@jest/globals';
import {
  bits,
  checkPositive,
  createLedger,
  defineStream,
  deployedSequentialPlayer,
  memoryStore,
  open,
  pureCap,
  seededRandom,
  verifyCertificate,
} from 'ldpkit';
import { audit } from 'ldpkit/audit';
import { clipNumber, uniform } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';
import { assertContract, assertControls, attackStep, checkContract } from 'ldpkit/testing';
import { quantile } from './quantile.ts';

const REQUEST = { epsilon: 1, block: 4, grade: 'deployment' };
const cases = [
  {
    name: 'blocks of four',
    make: () => quantile.make(REQUEST),
    others: [
      quantile.make({ ...REQUEST, epsilon: 2 }),
      quantile.make({ ...REQUEST, block: 3 }),
      quantile.make({ ...REQUEST, grade: 'simulation' }),
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

test('a stream from a definition keeps all laws', () => {
  assertContract(quantile, cases);
});

test('its cases notice every control', () => {
  assertControls(quantile, cases);
});

type Server = typeof quantile.server;
const random = seededRandom('an estimate with coins');

test.each<[string, Partial<Server>, string]>([
  ['a server that takes reports of any step', { accept: () => 'in time' }, 'a stale report'],
  [
    'a state that is saved in part',
    { save: (plan) => quantile.server.save(plan, quantile.server.start(plan)) },
    'saved',
  ],
  ['an estimate of nothing', { estimate: () => ({ players: 0, last: 0, quantile: 0 }) }, 'an estimate needs a report'],
  [
    'a state of any plan',
    { step: (plan, state) => quantile.server.step(plan, { ...state, digest: plan.digest }) },
    'plan',
  ],
  [
    'an estimate that draws coins',
    { estimate: (...given) => ({ ...quantile.server.estimate(...given), players: bits(random) }) },
    'an estimate needs a report',
  ],
  [
    'an estimate that hands out the iterate',
    { estimate: (plan, state) => ({ ...quantile.server.estimate(plan, state), iterate: state.iterate }) },
    'is changed by nothing',
  ],
  [
    'a server that writes into the plan',
    {
      accept(plan, state, report) {
        Object.assign(plan, { players: state.players });
        return quantile.server.accept(plan, state, report);
      },
    },
    'steps count from 1',
  ],
])('the laws of streams refuse %s (control)', (_, change, law) => {
  const broken = checkContract({ ...quantile, server: { ...quantile.server, ...change } }, cases);
  expect(broken.map((violation) => violation.law).join()).toContain(law);
});

test('the laws of streams refuse a stale report that counts in time (control)', () => {
  const accept: Server['accept'] = (plan, state, report) =>
    quantile.server.accept(plan, state, Uint32Array.of(state.steps + 1, report[1]));
  const broken = checkContract({ ...quantile, server: { ...quantile.server, accept } }, cases);
  expect(broken.map((violation) => violation.law).join()).toContain('a stale report');
});

type Player = typeof quantile.player;

test.each<[string, Partial<Player>, string]>([
  [
    'a player that takes a word more for large numbers after the first step',
    {
      randomize(step, datum, coins) {
        if (step.index > 1 && datum > 0.5) bits(coins);
        return quantile.player.randomize(step, datum, coins);
      },
    },
    'how many coins a report takes does not depend on the datum',
  ],
  [
    'a device that takes no step but the first',
    {
      remake: (plan, received) =>
        quantile.player.remake(plan, { ...Object(received), index: 1, iterate: quantile.server.start(plan).iterate }),
    },
    'a device takes each',
  ],
])('the laws of streams refuse %s (control)', (_, change, law) => {
  const broken = checkContract({ ...quantile, player: { ...quantile.player, ...change } }, cases);
  expect(broken.map((violation) => violation.law).join()).toContain(law);
});

test('a report of real numbers has the number of its step before them', () => {
  const measured = defineStream({
    name: 'noisy-numbers',
    version: 1,
    make: ({ epsilon }) => ({ epsilon: checkPositive('epsilon', epsilon) }),
    datum: {
      expected: 'a number from 0 to 1',
      accepts: (_, value): value is number => typeof value === 'number' && value >= 0 && value <= 1,
      clip: (_, value) => Math.max(0, clipNumber(value, 1)),
    },
    report: {
      values: 'float64',
      length: () => 1,
      accepts: ({ epsilon }, [value]) => Math.abs(value) <= 1 + 40 / epsilon,
    },
    channel: {
      simulation({ epsilon }, datum, coins, report) {
        const [sign, size] = [uniform(coins), uniform(coins)];
        report[0] = datum + ((sign < 0.5 ? -1 : 1) * Math.min(40, -Math.log(1 - size))) / epsilon;
      },
    },
    tally: {
      sums: () => ({ sum: 1 }),
      add(_, { sum }, [value]) {
        sum[0] += value;
      },
    },
    steps: {
      start: () => [0],
      move(_, state) {
        state.iterate[0] = state.sums.sum[0] / state.steps;
      },
    },
    estimate: (_, { players, iterate: [mean] }) => ({ players, mean }),
    privacy: {
      guarantee: ({ epsilon }) => pure(epsilon),
      releases: ({ epsilon }) => [
        {
          ...{ what: 'a number', count: 1, mechanism: 'Laplace', sensitivity: 1, scale: 1 / epsilon },
          guarantee: pure(epsilon),
        },
      ],
      neighbourDistance: () => 1,
    },
  });
  const real = {
    ...cases[0],
    make: () => measured.make({ epsilon: 1 }),
    others: [measured.make({ epsilon: 2 })],
    floats: { offset: 4 + 4 + measured.name.length + 16 + 4 + 8, size: 8 as const },
  };
  assertContract(measured, [real]);
  assertControls(measured, [real]);
  // The control: a number that comes after them and is public.
  const { randomize } = measured.player;
  const clear: typeof randomize = (...given) => randomize(...given).fill(0.5, 1);
  const broken = checkContract({ ...measured, player: { ...measured.player, randomize: clear } }, [real]);
  expect(broken.map(({ law }) => law).join()).toContain('other coins give another report');
});

const PLAYERS = 4000;
/** Numbers whose squares are uniform on [0, 1]: the median is the root of 1/2. */
const held = (i: number) => Math.sqrt((i * 0.6180339887498949) % 1);

test('a survey finds the median, and goes on from a saved state bit for bit', () => {
  const survey = open(quantile, { epsilon: 2, block: 20 });
  expect(verifyCertificate(quantile, JSON.parse(JSON.stringify(survey.certificate())))).toMatchObject({
    verified: true,
  });
  const random = seededRandom('median');
  let collector = survey.collector();
  for (let i = 0; i < PLAYERS; i++) {
    const { plan, index, iterate } = collector.step();
    const received = JSON.parse(JSON.stringify({ plan, index, iterate: Array.from(iterate) }));
    expect(collector.receive(survey.device({ random }).report(received, held(i)), i).outcome).toBe('counted');
    if (i % 999 === 0) {
      const bytes = quantile.server.save(survey.parameters, collector.state);
      collector = survey.collector({
        state: quantile.server.restore(survey.parameters, bytes),
        answered: collector.answered(),
      });
    }
  }
  // The average of the path has a standard error of √(1/4 + 1/4·(1/.76² − 1))/(f·√n) = 0.0073 with f = √2, the density
  // at the median: six of them are 0.044, which leaves room for the first steps.
  expect(Math.abs(collector.estimate().quantile - Math.SQRT1_2)).toBeLessThan(0.044);
  // The control: the median of uniform numbers.
  expect(Math.abs(collector.estimate().quantile - 0.5)).toBeGreaterThan(0.044);
});

test('a device refuses a step that its plan cannot have, before it spends anything', () => {
  const plan = quantile.make(REQUEST);
  const ledger = createLedger({ cap: pureCap(1), store: memoryStore() });
  const player = deployedSequentialPlayer(quantile, { request: plan.request, digest: plan.digest }, { ledger });
  const step = { plan: { digest: plan.digest }, index: 2, iterate: [0.25] };
  for (const [lie, message] of [
    [{ ...step, index: 0 }, '"step.index"'],
    [{ ...step, index: 2 ** 31 }, '"step.index"'],
    [{ ...step, index: 1 }, '"step.iterate" expected the start of the plan in step 1'],
    [{ ...step, iterate: [] }, '"step.iterate" expected a list of 1 numbers'],
    [{ ...step, iterate: [Number.NaN] }, '"step.iterate[0]"'],
    [{ ...step, iterate: ['0.5'] }, '"step.iterate[0]"'],
    [{ ...step, iterate: [1e308] }, '"step.iterate" expected one that this plan can reach'],
    [{ ...step, plan: { digest: 'x' } }, '"step.plan.digest"'],
  ] as const) {
    expect(() => player.report(lie, 0.3)).toThrow(message);
  }
  expect(ledger.entries()).toEqual([]);
  player.report(step, 0.3);
  expect(() => player.report({ ...step, index: 3 }, 0.3)).toThrow('this player has answered');
});

test('no lie about a step is believed for one datum and not for another', () => {
  const plan = quantile.make(REQUEST);
  const state = quantile.server.start(plan);
  expect(attackStep(quantile, plan, quantile.server.step(plan, state), [0, 0.3, 1, 'x'])).toEqual([]);
});

test('late reports count where the plan says so, and what is refused changes nothing', () => {
  const { late, plan } = lateStream();
  const state = late.server.start(plan);
  const report = Float64Array.of(1, 2);
  expect(late.server.accept(plan, state, report)).toBe('in time');
  expect(late.server.accept(plan, state, report)).toBe('late');
  const before = structuredClone(state);
  expect(() => late.server.accept(plan, state, Float64Array.of(3, 1e308))).toThrow(
    'after which all numbers are finite',
  );
  expect(() => late.server.accept(plan, state, Float64Array.of(4, 0))).toThrow('of a step up to 3, got 4');
  expect(state).toEqual(before);
  expect(state).toMatchObject({ players: 2, late: 1, steps: 2 });
});

/** A stream whose iterate is the sum of all reports times ten, and which takes late reports. */
function lateStream() {
  const late = defineStream({
    name: 'late',
    version: 1,
    make: () => ({}),
    steps: {
      start: () => [0],
      move(_, { iterate, sums }) {
        iterate[0] = 10 * sums.all[0];
      },
      late: () => true,
    },
    datum: { expected: 'any', accepts: (_, value): value is number => typeof value === 'number', clip: () => 0 },
    report: { values: 'float64', length: () => 1 },
    channel: {
      simulation(_, datum, __, report) {
        report[0] = datum;
      },
    },
    tally: {
      sums: () => ({ all: 1 }),
      add(_, { all }, report) {
        all[0] += report[0];
      },
    },
    estimate: (_, { iterate }) => iterate[0],
    privacy: { guarantee: () => ({ kind: 'pure', epsilon: 1 }), releases: () => [], neighbourDistance: () => 1 },
  });
  return { late, plan: late.make({}) };
}

test('single precision, which cannot carry the number of a step, is refused', () => {
  const report = { values: 'float32' as never, length: () => 1 };
  expect(() => defineStream({ steps: { start: () => [0], move: () => {} }, report } as never)).toThrow(
    '"report.values" expected int32, uint32 or float64',
  );
});

// Bounds hold with probability 0.99, so that a sound protocol is refuted with probability 0.01 at most; the seed is fixed.
test('an audit of a step refutes nothing, and refutes a claim of half of it (control)', () => {
  const plan = quantile.make(REQUEST);
  const step = quantile.server.step(plan, quantile.server.start(plan));
  const { player, auditing } = quantile;
  const target = { player, auditing: auditing!, parameters: step, claimed: { kind: 'pure', epsilon: 1 } } as const;
  const attack = () => ({ trials: 100_000, random: seededRandom('audit') });
  expect(audit(target, attack()).verdict).toBe('consistent');
  expect(audit({ ...target, claimed: { kind: 'pure', epsilon: 0.5 } }, attack()).verdict).toBe('violation');
});
