import { describe, expect, test } from '@jest/globals';
import { clipBall, clipNumber } from '../../../src/check/datum.ts';
import { checkPositive, RefusedKind, RefusedValue, ReportError, refusedAs } from '../../../src/check/refusal.ts';
import { checkGrade, digestOf } from '../../../src/core/request.ts';

function thrown(does: () => unknown): Error {
  try {
    does();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('a refusal', () => {
  test.each([
    ['a wrong value', 0, RefusedValue, RangeError, 'value'],
    ['a wrong kind', '1', RefusedKind, TypeError, 'kind'],
  ] as const)(
    'of %s has its own class, and the name and the text of an error of the language',
    (_, value, own, of, kind) => {
      const error = thrown(() => checkPositive('epsilon', value));
      const message = `"epsilon" expected a finite number > 0, got ${JSON.stringify(value)}`;
      expect(error).toBeInstanceOf(own);
      expect(error).toBeInstanceOf(of);
      expect(refusedAs(error)).toBe(kind);
      expect([error.name, error.message, String(error)]).toEqual([of.name, message, `${of.name}: ${message}`]);
      expect(error.stack).toContain(`${of.name}: ${message}\n`);
      expect(Object.keys(error)).toEqual([]);
    },
  );

  test('of a grade and of a number that JSON cannot carry is one too', () => {
    const refused = [() => checkGrade('deployment', 'copies', false), () => digestOf(Infinity)];
    expect(refused.map((does) => [thrown(does).name, refusedAs(thrown(does))])).toEqual([
      ['RangeError', 'value'],
      ['RangeError', 'value'],
    ]);
  });
});

test('no error of the language is a refusal, whatever its text, and neither is one of a report', () => {
  const endless = (): number => 1 + endless();
  const errors = [
    thrown(endless),
    thrown(() => new Array(-1)),
    thrown(() => Symbol.keyFor('"epsilon"' as never)),
    new RangeError('"epsilon" expected a finite number > 0, got 0'),
    Object.assign(new Error('a connection was refused'), { refused: true }),
    new ReportError('"report" expected a report of these parameters'),
  ];
  expect(errors[2].message).toMatch(/^"epsilon" /);
  expect([...errors, undefined, null, { refused: 'value' }].map(refusedAs)).toEqual(Array(9).fill(undefined));
});

test('a bound that is no number gives no value of a datum away', () => {
  expect([
    clipNumber(5, 1),
    clipNumber(-5, 1),
    clipNumber(0.5, 1),
    clipNumber('5', 1),
    clipNumber(Number.NaN, 1),
  ]).toEqual([1, -1, 0.5, 0, 0]);
  for (const value of [5, -5, 0, Infinity]) expect(clipNumber(value, Number.NaN)).toBeNaN();
  expect(Array.from(clipBall([5, -5], 2, Number.NaN))).toEqual([Number.NaN, Number.NaN]);
});
