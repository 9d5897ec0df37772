import { expect, test } from '@jest/globals';
import { audit } from '../../../src/audit/audit.ts';
import { verifyCertificate } from '../../../src/core/certify.ts';
import { type Definition, defineProtocol } from '../../../src/core/define.ts';
import { open } from '../../../src/core/open.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { ContractCase } from '../contract/law.ts';
import { checkContract } from '../contract.ts';
import { bits } from './bits.ts';
import { type Fault, faulty } from './faulty.ts';

type Bits = typeof bits;
type Made = ReturnType<Bits['make']>;
type Tally = ReturnType<Bits['server']['empty']>;
type Estimate = ReturnType<Bits['server']['estimate']>;

const REQUEST = { epsilon: 1, categories: 12 };

function caseOf(request: { readonly epsilon: number; readonly categories: number; readonly grade?: 'deployment' }) {
  const trial: ContractCase<Made, number, Tally, Estimate, undefined> = {
    name: JSON.stringify(request),
    make: () => bits.make(request),
    others: [
      { epsilon: 2 },
      { categories: 13 },
      { grade: request.grade === undefined ? 'deployment' : 'simulation' },
    ].map((change) => bits.make({ ...request, ...change })),
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
    queries: [undefined],
    content: (_, { players, sums }) => [players, ...sums.ones],
    numbers: ({ players, frequencies }) => [players, ...frequencies],
    exact: true,
    tolerance: 0,
  };
  return trial;
}

const cases = [caseOf(REQUEST), caseOf({ ...REQUEST, grade: 'deployment' })];
const violations = (protocol: Pick<Bits, keyof Bits>) =>
  checkContract<Made, number, Uint32Array, Tally, Estimate, undefined>(protocol, cases);

test('a protocol from a definition keeps all laws', () => {
  expect(violations(bits)).toEqual([]);
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
  const wrong = faulty({ parts: 1 });
  const { verdict, lowerBound } = audit({ ...wrong, parameters: wrong.make(LOUD) }, AUDIT);
  expect(verdict).toBe('violation');
  expect(lowerBound).toBeGreaterThan(3);
  const right = faulty();
  expect(audit({ ...right, parameters: right.make(LOUD) }, AUDIT).verdict).toBe('consistent');
});

const CLIP = 'clip takes anything, gives a datum of the domain, and gives a datum of the domain as it is';
const COINS = 'how many coins a report takes does not depend on the datum';
const REFUSAL = 'what is not a datum is refused with a TypeError or RangeError, before any coin is spent';
const lawsOf = (fault: Fault): string[] => violations(faulty(fault)).map(({ law }) => law);

test('the definition of the controls is sound without a fault', () => {
  expect(violations(faulty())).toEqual([]);
});

test.each<[string, string, Fault]>([
  // That the player does not answer tells its category.
  ['whose player refuses a category of the domain', CLIP, { refused: 7 }],
  ['whose player takes one word more for a category', COINS, { slow: 7 }],
  ['whose domain is wider than what the channel is for', REFUSAL, { wide: true }],
])('a definition %s breaks a law (control)', (_, law, fault) => {
  expect(lawsOf(fault)).toContain(law);
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
])('%s is refused', (_, change, message) => {
  expect(() => defineProtocol({ ...small, ...change })).toThrow(message);
});

test.each([
  ['a function', { estimate: () => 1 }, 'plain data'],
  ['a typed array', { weights: new Float64Array(2) }, 'plain data'],
  ['NaN', { inner: [{ weight: NaN }] }, '"make(request).inner.0.weight" expected'],
  ['a digest of its own', { digest: 'a' }, 'expected fields other than'],
])('parameters with %s are refused', (_, made, message) => {
  expect(() => defineProtocol({ ...small, make: () => made }).make({})).toThrow(message);
});

test('a grade without a channel is refused', () => {
  expect(() => defineProtocol(small).make({ grade: 'deployment' })).toThrow('"grade" expected simulation');
});
