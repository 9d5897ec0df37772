import { describe, expect, test } from '@jest/globals';
import { audit } from '../../../src/audit/audit.ts';
import { reportView } from '../../../src/audit/report-view.ts';
import type { AuditTarget } from '../../../src/audit/target.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { bernoulli, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

type Report = (datum: number, noise: number) => unknown;
const pair = { name: 'zero and one', first: 0, second: 1 };

/** A player whose report is made of the datum and of noise that has nothing to do with it. */
const made = (report: Report, claimed = pure(0.01)): AuditTarget<undefined, number, unknown> => ({
  player: { randomize: (_, datum, random) => report(datum, uniform(random)) },
  parameters: undefined,
  claimed,
});

const run = (report: Report) => audit(made(report), { pair, trials: 5000, random: seededRandom('view') });

const LEAKS: readonly (readonly [string, Report])[] = [
  ['a string', (x) => `datum ${x}`],
  ['a JSON text', (x) => JSON.stringify({ x })],
  ['a JSON text that never repeats', (x, noise) => JSON.stringify({ x, noise })],
  ['surrogates that stand alone', (x) => `${'a'.repeat(40)}${x === 0 ? '\ud800' : '\ud801'}`],
  ['{text}', (x) => ({ text: `datum ${x}` })],
  ['the length of a text', (x, noise) => `${noise.toFixed(12)}${'.'.repeat(x)}`],
  ['a Map', (x) => new Map([['x', x]])],
  ['a key of a Map', (x) => new Map([[`x${x}`, 0]])],
  ['a Set', (x) => new Set([x])],
  ['a Date', (x) => new Date(1e12 + x)],
  ['an ArrayBuffer', (x) => Uint8Array.of(7, x).buffer],
  ['a DataView', (x) => new DataView(Uint8Array.of(7, x, 7).buffer, 1, 1)],
  ['null and undefined', (x) => ({ b: x === 0 ? null : undefined })],
  ['null alone', (x, noise) => (x === 0 ? null : noise)],
  ['a bigint', (x) => (1n << 60n) + BigInt(x)],
  ['a bigint beyond all doubles', (x) => (1n << 2000n) + BigInt(x)],
  ['a BigUint64Array', (x) => BigUint64Array.of((1n << 60n) + BigInt(x))],
  ['a key', (x, noise) => ({ [`k${x}`]: noise })],
  ['the kind of a number', (x, noise) => ({ noise, one: x === 0 ? 1 : true })],
  ['brackets', (x, noise) => (x === 0 ? [[noise, 1], [2]] : [[noise], [1, 2]])],
  ['the sign of zero', (x) => (x === 0 ? 0 : -0)],
  ['−0 and the number that stands for it', (x) => (x === 0 ? -0 : -Number.MIN_VALUE)],
  ['the sign of zero in binary', (x) => Float64Array.of(x === 0 ? 0 : -0)],
  ['NaN and a number', (x) => (x === 0 ? 1 : Number.NaN)],
  ['Infinity and the largest number', (x) => (x === 0 ? Number.MAX_VALUE : Infinity)],
  ['1e101 and 1e102', (x) => (x === 0 ? 1e101 : 1e102)],
  ['neighbours beyond 1e101', (x) => 1e101 * (1 + x * Number.EPSILON)],
  ['1e100 and its neighbour', (x) => 1e100 * (1 + x * Number.EPSILON)],
  ['−1e300 and 1e300', (x) => (x === 0 ? -1e300 : 1e300)],
];

describe('a datum in clear is a violation', () => {
  test.each(LEAKS)('as %s', (_, report) => {
    expect(run(report).verdict).toBe('violation');
    // The control: the same report of a datum that is always 0 gives nothing away. At a confidence of 99 % it is accused with
    // probability at most 1 %; the seed is fixed.
    expect(run((_, noise) => report(0, noise)).verdict).toBe('consistent');
  });
});

test('a datum in clear is a violation as NaN and Infinity, and NaN alone is refused', () => {
  const report: Report = (x) => (x === 0 ? Number.NaN : Infinity);
  expect(run(report).verdict).toBe('violation');
  expect(() => run(() => report(0, 0))).toThrow(
    '"report" expected a finite number in some report, got "NaN in every one"',
  );
});

// May exceed the truth with probability 1 %; the seed is fixed.
test.each([1, 3])(
  'randomized response in words at ε = %p is consistent, and bounded above 80 % of it by 100 000 reports',
  (epsilon) => {
    const keep = 1 / (1 + Math.exp(-epsilon));
    const target: AuditTarget<undefined, number, string> = {
      player: {
        randomize: (_, datum, random) => (bernoulli(keep, random) === (datum === 1) ? 'yes' : 'no'),
      },
      parameters: undefined,
      claimed: pure(epsilon),
    };
    const result = audit(target, { pair, trials: 100_000, random: seededRandom('words') });
    expect(result.verdict).toBe('consistent');
    expect(result.lowerBound).toBeGreaterThan(0.8 * epsilon);
    // The control: a claim that is too good is refuted.
    const claimed = pure(0.7 * epsilon);
    const refuted = audit({ ...target, claimed }, { pair, trials: 40_000, random: seededRandom('words') });
    expect(refuted.verdict).toBe('violation');
  },
);

describe('the view', () => {
  test('of numbers is the numbers', () => {
    const numbers = Float64Array.of(1, -0, Number.NaN);
    expect(reportView(numbers)).toBe(numbers);
    expect(reportView([1, 2.5, true, false])).toEqual([1, 2.5, 1, 0]);
    expect(reportView(3)).toEqual([3]);
    expect(Array.from(reportView({ a: 1, b: [2, Float32Array.of(3)] })).slice(0, -1)).toEqual([1, 2, 3]);
  });

  test('of texts and buffers is equally long whatever their length', () => {
    const lengths = ['', 'a', 'a'.repeat(1000)].map((text) => reportView(text).length);
    expect(new Set(lengths).size).toBe(1);
    expect(reportView(new ArrayBuffer(0))).toHaveLength(reportView(new ArrayBuffer(99)).length);
  });

  test('is refused where something cannot be shown', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const refused = [() => 0, Symbol('s'), { [Symbol('s')]: 1 }, { f: () => 0 }, cycle, /x/, new Error('x')];
    for (const report of [...refused, Promise.resolve(0), new WeakMap(), Object.assign([1], { x: 1 })]) {
      expect(() => reportView(report)).toThrow(TypeError);
      expect(() => reportView([1, report])).toThrow('give "view"');
    }
    // What is there twice is not inside itself.
    const twice = [1];
    expect(() => reportView([twice, twice])).not.toThrow();
  });

  test('without a number is refused, and so is one whose length changes', () => {
    expect(() => run(() => [])).toThrow(TypeError);
    expect(() => run(() => [])).toThrow('"view" expected a number in every report, got none');
    expect(() => run((x) => Array.from({ length: 1 + x }, () => 0))).toThrow(
      '"view" expected 1 numbers of every report',
    );
  });
});
