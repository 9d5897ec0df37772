import { describe, expect, test } from '@jest/globals';
import { walshHadamard } from '../../../src/numeric/matrix.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

function parity(x: number): number {
  let odd = 0;
  for (let rest = x; rest !== 0; rest &= rest - 1) odd ^= 1;
  return odd;
}

describe('the Walsh–Hadamard transform', () => {
  test.each([1, 2, 4, 8, 16, 32, 64, 128])('of %p numbers is the product with the matrix of signs', (n) => {
    // Whole numbers, so that nothing is rounded.
    const values = Float64Array.from({ length: n }, (_, i) => ((i * 37 + 11) % 101) - 50);
    const expected = Float64Array.from(values, (_, i) => {
      return values.reduce((sum, x, j) => sum + (parity(i & j) === 1 ? -x : x), 0);
    });
    walshHadamard(values);
    expect(values).toEqual(expected);
  });

  test.each([1 << 15, 1 << 16])('of %p numbers twice is that many times the vector, and keeps the length', (n) => {
    const start = new Float64Array(n);
    fillNormal(start, seededRandom('hadamard'));
    const values = start.slice();
    walshHadamard(values);
    const squared = (vector: Float64Array): number => vector.reduce((sum, x) => sum + x * x, 0);
    expect(Math.abs(squared(values) / (n * squared(start)) - 1)).toBeLessThan(1e-12);
    walshHadamard(values);
    expect(start.reduce((worst, x, i) => Math.max(worst, Math.abs(values[i] / n - x)), 0)).toBeLessThan(1e-14 * 5);
  });

  test('leaves the entries beyond the given length alone', () => {
    const values = Float64Array.of(1, 2, 3, 4, 5, 6);
    walshHadamard(values, 4);
    expect([...values]).toEqual([10, -2, -4, 0, 5, 6]);
  });

  test('refuses lengths that are not powers of two, and short arrays', () => {
    for (const length of [0, 3, 6, -4, 1.5, Number.NaN, 2 ** 31]) {
      expect(() => walshHadamard(new Float64Array(8), length)).toThrow('"length" expected a power of two');
    }
    expect(() => walshHadamard(new Float64Array(8), 16)).toThrow('"length" expected at most 8, got 16');
    expect(() => walshHadamard(new Float64Array(12))).toThrow(RangeError);
  });
});
