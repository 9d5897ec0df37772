import { describe, expect, test } from '@jest/globals';
import { audit } from '../../../src/audit/audit.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { type Random, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

type Report = readonly number[];

const audited = (randomize: (datum: number, random: Random) => Report) =>
  audit(
    {
      player: { randomize: (_: null, datum: number, random) => randomize(datum, random) },
      parameters: null,
      claimed: pure(1),
    },
    { pair: { name: 'two numbers', first: 0, second: 1 }, trials: 20_000, random: seededRandom('stuck') },
  );

describe('a channel that never reports a number', () => {
  test.each([
    [Number.NaN, [Number.NaN]],
    [Number.POSITIVE_INFINITY, [Number.POSITIVE_INFINITY, Number.NaN]],
    [Number.NEGATIVE_INFINITY, [Number.NEGATIVE_INFINITY]],
  ])('always %s: is refused, not found consistent', (value, report) => {
    expect(() => audited(() => report)).toThrow(
      new RangeError(`"report" expected a finite number in some report, got "${value} in every one"`),
    );
  });
});

describe('what is no number now and then is an outcome like any other (control)', () => {
  test('that tells the data apart is a violation', () => {
    expect(audited((datum) => [datum === 0 ? Number.NaN : Number.POSITIVE_INFINITY]).verdict).toBe('violation');
    expect(audited((datum) => [datum === 0 ? Number.NaN : 1]).verdict).toBe('violation');
  });

  test('that does not is consistent, as is a number that is always the same', () => {
    expect(audited((_, random) => [uniform(random) < 0.5 ? Number.NaN : Number.POSITIVE_INFINITY]).verdict).toBe(
      'consistent',
    );
    expect(audited(() => [7, Number.NaN]).verdict).toBe('consistent');
  });
});
