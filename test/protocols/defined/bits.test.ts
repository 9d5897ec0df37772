import { expect, test } from '@jest/globals';
import { defineProtocol, defineRounds, defineStream, open, seededRandom, verifyCertificate } from 'ldpkit';
import { audit } from 'ldpkit/audit';
import { pure } from 'ldpkit/privacy';
import { assertContract, assertControls, checkContract } from 'ldpkit/testing';
import type { Definition } from '../../../src/core/define.ts';
import { bits } from './bits.ts';

const REQUEST = { epsilon: 1, categories: 12 };
const FAVOURS = 'an audit is given data of the domain, and a likelihood ratio that favours the datum that was played';

function caseOf(request: { readonly epsilon: number; readonly categories: number; readonly grade?: 'deployment' }) {
  const grade = request.grade === undefined ? 'deployment' : 'simulation';
  return {
    name: JSON.stringify(request),
    make: () => bits.make(request),
    others: [{ epsilon: 2 }, { categories: 13 }, { grade }].map((change) => bits.make({ ...request, ...change })),
    data: Array.from({ length: 12 }, (_, i) => i),
    refused: {
      null: null,
      undefined,
      'a text': '3.16227766',
      'a fraction': 3.16227766,
      'too much': 1234567.5,
      'a negative number': -2.2360679,
      NaN,
      'a list': [3],
    },
  };
}

const cases = [caseOf(REQUEST), caseOf({ ...REQUEST, grade: 'deployment' })];

test('a protocol from a definition keeps all laws', () => {
  assertContract(bits, cases);
});

test('its cases notice every control', () => {
  assertControls(bits, cases);
});

test.each<[string, NonNullable<NonNullable<typeof bits.auditing>['logLikelihoodRatio']>]>([
  [
    'of the wrong sign',
    (parameters, { name, first, second }) =>
      bits.auditing!.logLikelihoodRatio!(parameters, { name, first: second, second: first }),
  ],
  ['that changes the report', () => (report) => report.fill(1).length],
])('a likelihood ratio %s breaks a law', (_, logLikelihoodRatio) => {
  const broken = { ...bits, auditing: { ...bits.auditing!, logLikelihoodRatio } };
  expect(checkContract(broken, [caseOf({ ...REQUEST, epsilon: 3 })]).map(({ law }) => law)).toEqual([FAVOURS]);
});

test('its certificate verifies, and a survey of it estimates the frequencies', () => {
  const survey = open(bits, REQUEST);
  expect(verifyCertificate(bits, JSON.parse(JSON.stringify(survey.certificate())))).toMatchObject({ verified: true });
  const collector = survey.collector();
  const players = 4000;
  const random = seededRandom('bits');
  for (let i = 0; i < players; i++) collector.receive(survey.device({ random }).report(i % 4 === 0 ? 0 : 5), i);
  const { frequencies } = collector.estimate();
  const { error } = survey.forecast({ players });
  // Twelve frequencies, each off by five standard errors with probability 6e-7; the bits of one's own category vary no more.
  const worst = Math.max(...frequencies.map((f, i) => Math.abs(f - (i === 0 ? 0.25 : i === 5 ? 0.75 : 0)) / error));
  expect(worst).toBeLessThan(5);
  // The control: one constant moved by a fifth.
  expect(Math.abs(1.2 * frequencies[5] - 0.75) / error).toBeGreaterThan(3);
});

// Bounds hold with probability 0.99, so that a sound protocol is refuted with probability 0.01 at most; the seed is fixed.
const AUDIT = { trials: 400_000, random: seededRandom('audit of bits') };
const LOUD = { epsilon: 2, categories: 4 };

test('an audit refutes nothing, and comes near what is claimed', () => {
  const { verdict, lowerBound } = audit({ ...bits, parameters: bits.make(LOUD) }, AUDIT);
  expect(verdict).toBe('consistent');
  expect(lowerBound).toBeGreaterThan(1.8);
});

test('an audit refutes a definition that takes the sensitivity for half of what it is (control)', () => {
  // As if two data differed in one bit: every bit has all of ε, and the loss is 4.
  const wrong = { ...bits, parameters: { ...bits.make({ ...LOUD, epsilon: 4 }), epsilon: 2 } };
  const { verdict, lowerBound } = audit(wrong, AUDIT);
  expect(verdict).toBe('violation');
  expect(lowerBound).toBeGreaterThan(3);
});

const small: Definition<object, number, 'int32', 'sum', number, undefined> = {
  name: 'small',
  version: 1,
  make: () => ({}),
  datum: { expected: 'a number', accepts: (_, value): value is number => typeof value === 'number', clip: () => 0 },
  report: { values: 'int32', length: () => 1 },
  channel: { simulation: () => {} },
  tally: { sums: () => ({ sum: 1 }), add: () => {} },
  estimate: () => 0,
  privacy: { guarantee: () => pure(1), releases: () => [], neighbourDistance: () => 1 },
};

test.each([
  ['a name with a blank', { name: 'my protocol' }, '"name" expected'],
  ['version 0', { version: 0 }, '"version" expected a whole number from 1 to 255'],
  ['no channel', { channel: {} }, '"channel" expected a randomizer'],
  ['no make', { make: undefined }, '"make" expected a function, got undefined'],
  ['no tally', { tally: undefined }, '"tally.sums" expected a function, got undefined'],
  [
    'no rule to clip',
    { datum: { ...small.datum, clip: undefined } },
    '"datum.clip" expected a function, got undefined',
  ],
  ['no claim', { privacy: {} }, '"privacy.guarantee" expected a function, got undefined'],
  ['no estimate', { estimate: 3 }, '"estimate" expected a function, got 3'],
  ['numbers of 64 bits', { report: { ...small.report, values: 'int64' } }, '"report.values" expected one of float32'],
])('%s is refused', (_, change, message) => {
  expect(() => defineProtocol({ ...small, ...change } as typeof small)).toThrow(message);
});

test.each([
  ['a function', { estimate: () => 1 }, 'plain data'],
  ['a typed array', { weights: new Float64Array(2) }, 'plain data'],
  ['NaN', { inner: [{ weight: NaN }] }, '"make(request).inner.0.weight" expected'],
  ['a digest of its own', { digest: 'a' }, 'expected fields other than'],
])('parameters with %s are refused', (_, made, message) => {
  expect(() => defineProtocol({ ...small, make: () => made }).make({})).toThrow(message);
});

test.each(['round', 'share', 'repeats', 'asked'])('of a plan in rounds, "%s" too: each round has its own', (field) => {
  const rounds = { count: () => 1, first: () => ({}), next: () => ({}), accepts: () => true };
  const { make } = defineRounds({ ...small, make: () => ({ [field]: 0.5 }), rounds } as never);
  expect(() => make({})).toThrow(`"make" expected fields other than round, share, repeats, asked, got "${field}"`);
});

test.each(['plan', 'index', 'iterate'])('of a stream, "%s" too: each step has its own', (field) => {
  const steps = { start: () => [0], move: () => {} };
  const { make } = defineStream({ ...small, make: () => ({ [field]: 7 }), steps } as never);
  expect(() => make({})).toThrow(`"make" expected fields other than plan, index, iterate, got "${field}"`);
});

test('a make that returns no object, or an endless one, is refused', () => {
  const endless: { again?: object } = {};
  endless.again = endless;
  const making = (made: unknown) => () => defineProtocol({ ...small, make: () => made as object }).make({});
  expect(making(null)).toThrow('"make(request)" expected an object, got null');
  expect(making(undefined)).toThrow('"make(request)" expected an object, got undefined');
  expect(making(endless)).toThrow('expected values nested at most 100 deep');
});

test.each([-1, 1.5, Number.NaN, undefined])(
  'a length of reports or of sums that is %p is refused by name',
  (length) => {
    const sized = { ...small.report, length: () => length as number };
    expect(() => defineProtocol({ ...small, report: sized }).make({})).toThrow(
      '"report.length" expected a whole number >= 1, got',
    );
    const { server, make } = defineProtocol({
      ...small,
      tally: { ...small.tally, sums: () => ({ sum: length as number }) },
    });
    expect(() => server.empty(make({}))).toThrow('"tally.sums.sum" expected a whole number >= 0, got');
    const shapeless = defineProtocol({ ...small, tally: { ...small.tally, sums: () => length as never } });
    expect(() => shapeless.server.empty(make({}))).toThrow('"tally.sums" expected an object, got');
  },
);

test.each([false, undefined, 0, 'yes'])('what a definition answers by %p, and not by true, is refused', (answer) => {
  const accepts = (): boolean => answer as boolean;
  const told = defineProtocol({ ...small, report: { ...small.report, accepts } });
  const parameters = told.make({});
  const bytes = told.report.encode(parameters, Int32Array.of(1));
  expect(() => told.report.decode(parameters, bytes)).toThrow('"report" expected values that players of these');
  const steps = { start: () => [0], move: () => {}, accepts };
  const stream = defineStream({ ...small, report: { ...small.report, accepts }, steps } as never);
  const plan = stream.make({}) as never;
  expect(() => stream.player.remake(plan, { index: 2, iterate: [1] })).toThrow('one that this plan can reach');
  const report = stream.report.encode(plan, Int32Array.of(1, 1) as never);
  expect(() => stream.report.decode(plan, report)).toThrow('"report" expected values that players of these');
});

test('a grade without a channel is refused', () => {
  expect(() => defineProtocol(small).make({ grade: 'deployment' })).toThrow('"grade" expected simulation');
});

test('a definition names the variant of a setting; the digest has it', () => {
  const sized = { ...small, make: ({ size }: { size?: unknown }) => ({ size: Number(size) }) };
  const named = defineProtocol({
    ...sized,
    variant: ({ size }: { size: number }) => (size > 1 ? 'large' : 'tiny'),
  } as typeof sized);
  const [large, plain] = [named, defineProtocol(sized)].map(({ make }) => make({ size: 2 }));
  expect([large.variant, plain.variant, named.make({ size: 1 }).variant]).toEqual(['large', 'defined', 'tiny']);
  expect(large.digest).not.toBe(plain.digest);
});

test('a request that is nested too deep is refused, and one that changes later changes nothing', () => {
  let deep: unknown[] = [];
  for (let i = 0; i < 5000; i++) deep = [deep];
  expect(() => bits.make({ ...REQUEST, note: deep as never })).toThrow(
    '"request" expected values nested at most 100 deep',
  );
  // A field that `make` reads and does not return is in the digest as well.
  const noted = defineProtocol({ ...small, make: ({ note }: { note?: unknown }) => ({ size: note === 0 ? 2 : 1 }) });
  const request = { note: { list: [1, 2] } };
  const { digest, ...made } = noted.make(request);
  request.note.list.push(3);
  expect(made.request.note).toEqual({ list: [1, 2] });
  expect(noted.make(request).digest).not.toBe(digest);
});

test('a field in an object of a request is refused where it is not read; an object that is kept whole may have any', () => {
  const nested = defineProtocol({
    ...small,
    make: ({ law, kept = null }) => ({ size: (law as { size?: number }).size ?? 1, kept }),
  } as typeof small);
  expect(() => nested.make({ law: { size: 2, sise: 3 } })).toThrow(
    '"request.law" expected no fields but size, got "sise"',
  );
  const made = nested.make({ law: { size: 2 }, kept: { any: { thing: [1] } } });
  // Plain data, and nothing that still watches.
  expect(structuredClone(made)).toEqual(made);
  expect(made).toMatchObject({ size: 2, kept: { any: { thing: [1] } } });
});

test('a field that is not read is refused by name, in a request and in a query', () => {
  expect(() => bits.make({ ...REQUEST, epsilom: 1 })).toThrow(
    '"request" expected no fields but epsilon, categories, grade, got "epsilom"',
  );
  const asking = defineProtocol({
    ...small,
    estimate: (_: unknown, { players }: { players: number }, { level = 1 }: { level?: number } = {}) => players * level,
  });
  const parameters = asking.make({});
  const tally = asking.server.empty(parameters);
  tally.players = 3;
  expect(asking.server.estimate(parameters, tally, { level: 2 })).toBe(6);
  expect(() => asking.server.estimate(parameters, tally, { levle: 2 } as never)).toThrow(
    '"query" expected no fields but level, got "levle"',
  );
  // A definition may say itself what is known; then `open` and its collectors look.
  const named = defineProtocol({ ...small, fields: { request: ['note', 'grade'], query: [] } });
  expect(named.make({ note: 1 }).request.note).toBe(1);
  expect(() => open(named, { grade: 'simulation', nite: 1 })).toThrow(
    '"request" expected no fields but note, grade, got "nite"',
  );
});
