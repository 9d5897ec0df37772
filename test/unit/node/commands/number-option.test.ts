import { describe, expect, test } from '@jest/globals';
import { count, listOf, readNumber, whole, words } from '../../../../src/node/commands/options.ts';

describe('an option', () => {
  test('is a decimal number, with or without an exponent', () => {
    const texts = ['0', '12', '-1', '+3', '.5', '5.', '1e6', '1E-6', '-2.5e+3', ' 7 ', '1e999'];
    expect(texts.map((text) => readNumber('n', text))).toEqual([
      0,
      12,
      -1,
      3,
      0.5,
      5,
      1e6,
      1e-6,
      -2500,
      7,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test.each(['', ' ', 'abc', '1x', '0x10', 'NaN', 'Infinity', '1,5', '1 5', '1e', '--1', '.', '١'])(
    'is not %j',
    (text) => {
      expect(() => readNumber('epsilon', text)).toThrow(
        new RangeError(`"epsilon" expected a number, got ${JSON.stringify(text)}`),
      );
    },
  );

  test('of a count that is too large is not told that it has to be whole', () => {
    const most = 'expected a whole number from 1 to 9007199254740991, got';
    expect(() => count('players', '1e17')).toThrow(`"players" ${most} 100000000000000000`);
    expect(() => count('players', '1.5')).toThrow('"players" expected a whole number >= 1, got 1.5');
    expect(() => whole(0, 9)('rate', '1e17')).toThrow('"rate" expected a whole number from 0 to 9, got');
    expect(count('players', '9007199254740991')).toBe(9007199254740991);
  });

  test('may be a list, in which nothing is missing and nothing there twice', () => {
    expect(listOf(readNumber)('epsilon', '0.5, 1,8')).toEqual([0.5, 1, 8]);
    expect(words('variant', 'lifted, printed')).toEqual(['lifted', 'printed']);
    expect(() => listOf(readNumber)('epsilon', '1,,2')).toThrow('"epsilon" expected a number, got ""');
    expect(() => listOf(readNumber)('epsilon', '1,2,1e0')).toThrow(
      '"epsilon" expected values that are all different, got 1',
    );
    expect(() => words('variant', 'a,b,a')).toThrow('"variant" expected values that are all different, got "a"');
  });
});
