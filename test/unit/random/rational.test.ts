import { expect, test } from '@jest/globals';
import { integerRoot, lowestTerms } from '../../../src/random/gaussian-cells.ts';

test('fractions are reduced, and refused unless both parts are bigints ≥ 1', () => {
  expect(lowestTerms({ numerator: 84n, denominator: 36n })).toEqual({ numerator: 7n, denominator: 3n });
  expect(() => lowestTerms({ numerator: 0n, denominator: 3n })).toThrow('"variance.numerator" expected a bigint >= 1');
  expect(() => lowestTerms({ numerator: 1n, denominator: -3n })).toThrow(RangeError);
  expect(() => lowestTerms({ numerator: 1n, denominator: 3 as unknown as bigint })).toThrow(TypeError);
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
