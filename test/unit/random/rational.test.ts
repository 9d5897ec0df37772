import { expect, test } from '@jest/globals';
import { exactRational, integerRoot, lowestTerms } from '../../../src/random/rational.ts';

test('fractions are reduced, and refused unless both parts are bigints ≥ 1', () => {
  expect(lowestTerms('x', { numerator: 84n, denominator: 36n })).toEqual({ numerator: 7n, denominator: 3n });
  expect(() => lowestTerms('x', { numerator: 0n, denominator: 3n })).toThrow('"x.numerator" expected a bigint >= 1');
  expect(() => lowestTerms('x', { numerator: 1n, denominator: -3n })).toThrow(RangeError);
  expect(() => lowestTerms('x', { numerator: 1n, denominator: 3 as unknown as bigint })).toThrow(TypeError);
});

test('a double is the fraction that it is', () => {
  expect(exactRational(0.75)).toEqual({ numerator: 3n, denominator: 4n });
  expect(exactRational(0.1)).toEqual({ numerator: 3602879701896397n, denominator: 36028797018963968n });
  expect(exactRational(2 ** 80)).toEqual({ numerator: 1n << 80n, denominator: 1n });
  expect(exactRational(Number.MIN_VALUE)).toEqual({ numerator: 1n, denominator: 1n << 1074n });
});

test('the integer root is the largest whose square is not above', () => {
  let wrong = 0;
  for (let n = 0n; n < 2000n; n++) if (!isRoot(n)) wrong++;
  for (let k = 20n; k < 300n; k += 7n) {
    for (const n of [(1n << k) - 1n, 1n << k, (1n << k) + 1n, ((1n << k) + 1n) ** 2n - 1n]) if (!isRoot(n)) wrong++;
  }
  expect(wrong).toBe(0);
});

function isRoot(n: bigint): boolean {
  const root = integerRoot(n);
  return root * root <= n && (root + 1n) ** 2n > n;
}
