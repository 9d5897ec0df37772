import { describe, expect, test } from '@jest/globals';
import { fillNormal } from '../../../src/random/random.ts';
import { fillSfc32 } from '../../../src/random/seeded.ts';
import { deriveKey, fillPublicDirection, SEED_WORDS } from '../../../src/random/threefry.ts';
import { normalLaw } from '../../statistics/incomplete-gamma.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { correlationTest } from '../../statistics/moments.ts';

function direction(seed: readonly number[], index: number, dimension: number): Float64Array {
  const target = new Float64Array(dimension);
  fillPublicDirection(seed, index, dimension, target);
  return target;
}

/** Numbers that went through exp, log or sqrt may differ in the last places between engines. */
function closeTo(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...expected.map((x, i) => Math.abs(actual[i] / x - 1)))).toBeLessThan(1e-13);
}

describe('a public direction', () => {
  // Computed independently, by a program in Python written from the publications of Threefry, sfc32 and the ziggurat.
  test('is the one that was frozen', () => {
    closeTo(
      direction([1, 2, 3], 0, 4),
      [-0.4360092183221373, 1.847303568707871, 1.2151354088196085, -0.7096422991965813],
    );
    closeTo(
      direction([4062541761, 4190067610, 3371214258], 5, 3),
      [-1.0642190579162738, 1.940220188052353, -0.2923903453857146],
    );
    const long = direction([1, 2, 3], 7, 3000);
    closeTo(
      [long[2999], long.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0)],
      [-2.310745699568388, 3.870834995916812],
    );
    expect(long.reduce((sum, x) => sum + x, 0)).toBeCloseTo(-0.30686448868219474, 10);
  });

  test('depends on seed and index alone: not on its length, nor on what was expanded before, nor on where it goes', () => {
    const seed = [5, 0xffffffff, 7];
    const long = direction(seed, 3, 4000);
    for (const dimension of [1, 2, 17, 66, 511, 512, 513, 1025]) {
      expect(direction(seed, 3, dimension)).toEqual(long.slice(0, dimension));
      direction(seed, 4, 7);
    }
    const target = new Float64Array(8).fill(9);
    fillPublicDirection([...seed, 123], 3, 4, target, 2);
    expect([...target]).toEqual([9, 9, ...long.subarray(0, 4), 9, 9]);
    expect(direction(Array.from(Uint32Array.from(seed)), 3, 4)).toEqual(long.slice(0, 4));
  });

  test('is what fillNormal makes of the same words, to the last bit', () => {
    // 4 million numbers: 60,000 points of wedges, 1,000 in the tail, and each way to decide about them.
    const length = 1 << 22;
    const key = Int32Array.of(8, 9, 10, 0x64697273);
    const state = new Int32Array(4);
    deriveKey(key, 6, state);
    const words = new Uint32Array(2 * length + length / 16);
    fillSfc32(words, 0, state);
    const expected = new Float64Array(length);
    const spent = () => expect('more words').toBe('not needed');
    fillNormal(expected, { words, next: 0, refill: spent });
    const actual = direction([8, 9, 10], 6, length);
    expect(actual.findIndex((x, i) => !Object.is(x, expected[i]))).toBe(-1);
  });

  test('changes with every word of the seed and with the index', () => {
    const first = direction([0, 0, 0], 0, 1)[0];
    const others = Array.from({ length: SEED_WORDS }, (_, i) => direction([0, 0, 0].with(i, 1), 0, 1)[0]);
    expect(new Set([first, ...others, direction([0, 0, 0], 1, 1)[0]]).size).toBe(SEED_WORDS + 2);
  });

  test('is normal over neighbouring seeds and indexes, and not correlated with its neighbours', () => {
    const count = 20_000;
    const columns = ['this', 'next seed', 'next index', 'next entry'].map(() => new Float64Array(count));
    const target = new Float64Array(2);
    const put = (column: number, i: number, seed: number, index: number, entry: number): void => {
      fillPublicDirection([seed, 0, 0], index, 2, target);
      columns[column][i] = target[entry];
    };
    for (let i = 0; i < count; i++) {
      put(0, i, i, 0, 0);
      put(1, i, i + count, 0, 0);
      put(2, i, i, 1, 0);
      put(3, i, i, 0, 1);
    }
    // Seven p-values, each below 1e-5 with that probability: a false alarm in one of 14 000 sets of seeds.
    const values = columns.map((column) => kolmogorovTest(column, normalLaw));
    for (const other of columns.slice(1)) values.push(correlationTest(columns[0], other));
    expect(Math.min(...values)).toBeGreaterThan(1e-5);
    // The controls: normals 10 % too long, and a tenth of a neighbour mixed in.
    const longer = columns[0].map((x) => 1.1 * x);
    expect(kolmogorovTest(longer, normalLaw)).toBeLessThan(1e-5);
    const mixed = columns[1].map((x, i) => x + 0.1 * columns[0][i]);
    expect(correlationTest(columns[0], mixed)).toBeLessThan(1e-5);
  });
});

test('sfc32 has the words of its publication, however they are portioned', () => {
  // Computed independently, by a program in Python written from the publication; state 1, 2, 3, 4.
  const words = new Uint32Array(6);
  fillSfc32(words, 0, Int32Array.of(1, 2, 3, 4));
  expect([...words]).toEqual([7, 34, 56623200, 188882296, 3431242869, 399395954]);
  const state = Int32Array.of(1, 2, 3, 4);
  const parts = new Uint32Array(6);
  fillSfc32(parts, 4, state);
  expect([...parts]).toEqual([0, 0, 0, 0, ...words.subarray(0, 2)]);
  fillSfc32(parts, 2, state);
  expect([...parts.subarray(2)]).toEqual([...words.subarray(2)]);
});
