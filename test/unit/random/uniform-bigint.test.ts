import { expect, test } from '@jest/globals';
import { uniformInteger } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { uniformBigint } from '../../statistics/published-samplers.ts';
import { scripted } from './scripted.ts';

const ONES = 0xffffffff;

test('gives what uniformInteger gives, from the same words, up to 2⁵³', () => {
  const first = seededRandom('same');
  const second = seededRandom('same');
  let different = 0;
  for (let i = 0; i < 5000; i++) {
    const count = i % 3 === 0 ? 1 + i : i % 3 === 1 ? 3 * 2 ** 30 + i : 2 ** 53 - i;
    if (Number(uniformBigint(BigInt(count), first)) !== uniformInteger(count, second)) different++;
  }
  expect(different).toBe(0);
  expect(first.next).toBe(second.next);
});

test('takes as many words as the count has, and refuses the incomplete last run', () => {
  const count = 1n << 64n;
  expect(uniformBigint(count, scripted(0, 1, 2))).toBe((1n << 32n) | 2n);
  expect(uniformBigint(count - 1n, scripted(ONES, ONES, 7, 9))).toBe((7n << 32n) | 9n);
  expect(uniformBigint(count - 1n, scripted(ONES, ONES - 1))).toBe(count - 2n);
  // 2⁶⁴ = 1·(2⁶³ + 1) + (2⁶³ − 1): nearly half of all are refused.
  expect(uniformBigint((1n << 63n) + 1n, scripted(2 ** 31, 1, 5, 6))).toBe((5n << 32n) | 6n);
});

test('is uniform where a plain remainder would not be', () => {
  const random = seededRandom('bigints');
  const count = 3n << 94n;
  const counts = new Float64Array(12);
  const plain = new Float64Array(12);
  for (let i = 0; i < 20_000; i++) {
    counts[Number((uniformBigint(count, random) * 12n) / count)]++;
    plain[Number(((uniformBigint(1n << 96n, random) % count) * 12n) / count)]++;
  }
  const flat = new Float64Array(12).fill(1 / 12);
  // False alarm with probability 1e-6.
  expect(chiSquareTest(counts, flat)).toBeGreaterThan(1e-6);
  expect(chiSquareTest(plain, flat)).toBeLessThan(1e-6);
});
