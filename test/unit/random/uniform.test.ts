import { describe, expect, test } from '@jest/globals';
import { permutation, type Random, uniform, uniformInteger } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes about 20 of them.
const ALARM = 1e-6;
const ONES = 0xffffffff;

function flat(cells: number): Float64Array {
  return new Float64Array(cells).fill(1 / cells);
}

describe('uniform', () => {
  test('stays strictly inside (0, 1) for the extreme words, and is symmetric', () => {
    expect(uniform(scripted(0, 0))).toBe(2 ** -53);
    expect(uniform(scripted(ONES, ONES))).toBe(1 - 2 ** -53);
    expect(uniform(scripted(2 ** 31 - 1, ONES))).toBe(0.5 - 2 ** -53);
    expect(uniform(scripted(2 ** 31, 0))).toBe(0.5 + 2 ** -53);
  });

  test('is an odd multiple of 2⁻⁵³: 52 random bits, all of them used', () => {
    expect(uniform(scripted(0, 1 << 12))).toBe(3 * 2 ** -53);
    expect(uniform(scripted(1, 0))).toBe((2 ** 20 + 0.5) * 2 ** -52);
    const random = seededRandom('grid');
    let off = 0;
    for (let i = 0; i < 10_000; i++) if ((uniform(random) * 2 ** 53) % 2 !== 1) off++;
    expect(off).toBe(0);
  });

  test('follows its law, and one stretched by 5 % is rejected', () => {
    const random = seededRandom('uniform');
    const sample = Float64Array.from({ length: 100_000 }, () => uniform(random));
    const law = (x: number): number => Math.min(1, Math.max(0, x));
    expect(kolmogorovTest(sample, law)).toBeGreaterThan(ALARM);
    const wrong = sample.map((x) => 1.05 * x);
    expect(kolmogorovTest(wrong, law)).toBeLessThan(ALARM);
  });

  test('has uniform last bits: the lowest eleven of 53, of which the last is always 1', () => {
    const random = seededRandom('last bits');
    const counts = new Float64Array(1024);
    for (let i = 0; i < 200_000; i++) counts[((uniform(random) * 2 ** 53) % 2048) >> 1]++;
    expect(chiSquareTest(counts, flat(1024))).toBeGreaterThan(ALARM);
  });
});

describe('uniformInteger', () => {
  test('maps words by their remainder and refuses the incomplete last run', () => {
    // 2³² = 3·1431655765 + 1: only the largest word is refused for three values.
    expect(uniformInteger(3, scripted(ONES, 5))).toBe(2);
    expect(uniformInteger(3, scripted(ONES - 1))).toBe((ONES - 1) % 3);
    expect(uniformInteger(2 ** 31 + 1, scripted(2 ** 31 + 1, ONES, 7))).toBe(7);
    expect(uniformInteger(2 ** 32 - 1, scripted(ONES, ONES - 1))).toBe(ONES - 1);
  });

  test('takes 53 bits of two words for larger counts', () => {
    expect(uniformInteger(2 ** 32, scripted(3, 5 << 11))).toBe((3 * 2 ** 21 + 5) % 2 ** 32);
    expect(uniformInteger(2 ** 53, scripted(ONES, ONES))).toBe(2 ** 53 - 1);
    expect(uniformInteger(2 ** 53 - 1, scripted(ONES, ONES, 0, 9 << 11))).toBe(9);
    expect(uniformInteger(2 ** 52 + 1, scripted(2 ** 31, 1 << 11, 1, 0))).toBe(2 ** 21);
  });

  test('is always 0 for a count of 1', () => {
    expect(uniformInteger(1, scripted(ONES))).toBe(0);
  });

  test.each([2, 3, 10, 1000])('is uniform on 0 … %d − 1', (count) => {
    const random = seededRandom(`integers ${count}`);
    const counts = new Float64Array(count);
    for (let i = 0; i < 200_000; i++) counts[uniformInteger(count, random)]++;
    expect(chiSquareTest(counts, flat(count))).toBeGreaterThan(ALARM);
  });

  // For these counts a plain remainder would give the lower part of the range twice the share of the upper one.
  test.each([3 * 2 ** 30, 5 * 2 ** 29, 3 * 2 ** 51])('has no bias for the count %d', (count) => {
    const random = seededRandom(`bias ${count}`);
    const counts = new Float64Array(12);
    const plain = new Float64Array(12);
    const range = count < 2 ** 32 ? 2 ** 32 : 2 ** 53;
    for (let i = 0; i < 20_000; i++) {
      counts[Math.floor((uniformInteger(count, random) / count) * 12)]++;
      plain[Math.floor(((Math.floor(uniform(random) * range) % count) / count) * 12)]++;
    }
    expect(chiSquareTest(counts, flat(12))).toBeGreaterThan(ALARM);
    expect(chiSquareTest(plain, flat(12))).toBeLessThan(ALARM);
  });

  test.each([0, -1, 1.5, 2 ** 53 + 2, Number.NaN, Infinity])('%d is refused with a RangeError', (count) => {
    expect(() => uniformInteger(count, scripted(1, 2))).toThrow(RangeError);
    expect(() => uniformInteger(count, scripted(1, 2))).toThrow('"count" expected a whole number from 1 to');
  });

  test('a count that is no number is refused with a TypeError', () => {
    expect(() => uniformInteger('7' as unknown as number, scripted(1))).toThrow(TypeError);
  });
});

describe('permutation', () => {
  const index = (order: Uint32Array): number => {
    // Rank among the 24 orders of four, by counting smaller entries to the right.
    let rank = 0;
    for (let i = 0; i < 4; i++) {
      let smaller = 0;
      for (let j = i + 1; j < 4; j++) if (order[j] < order[i]) smaller++;
      rank = rank * (4 - i) + smaller;
    }
    return rank;
  };

  test('makes each of the 24 orders of four equally often', () => {
    const random = seededRandom('orders');
    const counts = new Float64Array(24);
    for (let i = 0; i < 60_000; i++) counts[index(permutation(4, random))]++;
    expect(chiSquareTest(counts, flat(24))).toBeGreaterThan(ALARM);
  });

  test('the same test catches a shuffle that swaps with any place', () => {
    const random = seededRandom('wrong orders');
    const counts = new Float64Array(24);
    for (let i = 0; i < 60_000; i++) {
      const order = Uint32Array.of(0, 1, 2, 3);
      for (let j = 0; j < 4; j++) swap(order, j, random);
      counts[index(order)]++;
    }
    expect(chiSquareTest(counts, flat(24))).toBeLessThan(ALARM);
  });

  test('is a permutation: each of 0 … n − 1 once', () => {
    const order = permutation(1000, seededRandom('all'));
    expect(Array.from(order.slice().sort())).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(Array.from(permutation(1, scripted()))).toEqual([0]);
    expect(permutation(0, scripted()).length).toBe(0);
  });

  test.each([-1, 0.5, 2 ** 32])('%d is refused', (count) => {
    expect(() => permutation(count, scripted())).toThrow(RangeError);
  });

  function swap(order: Uint32Array, place: number, random: Random): void {
    const other = uniformInteger(4, random);
    const kept = order[place];
    order[place] = order[other];
    order[other] = kept;
  }
});
