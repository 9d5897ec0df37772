import { describe, expect, test } from '@jest/globals';
import { euclideanNorm, innerProduct } from '../../../src/numeric/matrix.ts';
import { clipEigenvalues, symmetricEigen, symmetricPart } from '../../../src/optimize/ball.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { matrixOf } from './quadratic.ts';

const gap = (a: Float64Array, b: Float64Array): number => Math.max(...a.map((entry, i) => Math.abs(entry - b[i])));
const row = (matrix: Float64Array, p: number, i: number): Float64Array => matrix.subarray(i * p, (i + 1) * p);

describe('symmetricEigen', () => {
  test('decomposes a matrix whose entries differ by all the range of the doubles', () => {
    const { values } = symmetricEigen(Float64Array.of(2, 0.5, 0.5, Number.MAX_VALUE), 2);
    expect(values[1] / Number.MAX_VALUE).toBeCloseTo(1, 14);
    expect([...symmetricEigen(new Float64Array(4), 2).values]).toEqual([0, 0]);
  });

  test('recovers given eigenvalues, ascending, with orthonormal vectors that rebuild the matrix', () => {
    const random = seededRandom('eigen');
    for (const eigenvalues of [
      [5],
      [2, 2],
      [3, -1, 0],
      [1, 1, 1, -1, 1e-8, 7],
      Array.from({ length: 40 }, (_, i) => i % 9),
    ]) {
      const p = eigenvalues.length;
      const matrix = matrixOf(eigenvalues, random);
      const { values, vectors } = symmetricEigen(matrix, p);
      expect(gap(values, Float64Array.from(eigenvalues).sort())).toBeLessThan(1e-13 * p);
      const rebuilt = new Float64Array(p * p);
      let skew = 0;
      for (let i = 0; i < p; i++) {
        for (let j = 0; j < p; j++) {
          skew = Math.max(skew, Math.abs(innerProduct(row(vectors, p, i), row(vectors, p, j)) - (i === j ? 1 : 0)));
          for (let k = 0; k < p; k++) rebuilt[i * p + j] += values[k] * vectors[k * p + i] * vectors[k * p + j];
        }
      }
      expect(skew).toBeLessThan(1e-13);
      expect(gap(rebuilt, matrix)).toBeLessThan(1e-13 * p);
    }
  });

  test('works at every scale: entries of 1e-300 and 1e300', () => {
    for (const scale of [1e-300, 1e300]) {
      const { values } = symmetricEigen(Float64Array.of(2 * scale, scale, scale, 2 * scale), 2);
      expect([...values].map((value) => value / scale)).toEqual([expect.closeTo(1, 13), expect.closeTo(3, 13)]);
    }
    expect([...symmetricEigen(new Float64Array(9), 3).values]).toEqual([0, 0, 0]);
  });

  test('sees the symmetric part only', () => {
    expect([...symmetricPart(Float64Array.of(1, 4, 2, 5), 2)]).toEqual([1, 3, 3, 5]);
    expect(symmetricEigen(Float64Array.of(1, 4, 2, 5), 2)).toEqual(symmetricEigen(Float64Array.of(1, 3, 3, 5), 2));
    const large = Number.MAX_VALUE;
    expect([...symmetricPart(Float64Array.of(large, large, large, large), 2)]).toEqual([large, large, large, large]);
  });

  test('refuses another size, another kind, a NaN and an infinity', () => {
    expect(() => symmetricEigen(new Float64Array(5), 2)).toThrow(
      new RangeError('"matrix" expected 2 × 2 entries, got 5'),
    );
    expect(() => symmetricEigen([1] as unknown as Float64Array, 1)).toThrow(TypeError);
    expect(() => symmetricEigen(new Float64Array(0), 0)).toThrow('"dimension"');
    expect(() => symmetricEigen(Float64Array.of(1, Number.NaN, 0, 1), 2)).toThrow(
      new RangeError('"matrix" expected finite numbers, got NaN'),
    );
    expect(() => clipEigenvalues(Float64Array.of(Infinity), 1)).toThrow(RangeError);
  });
});

describe('clipEigenvalues', () => {
  test('raises the eigenvalues below the floor to it and keeps the others', () => {
    const random = seededRandom('clip');
    for (const [eigenvalues, floor] of [
      [[3, -1, 0.5, -2], 0],
      [[3, -1, 0.5, -2], 1],
      [[-4], 0],
      [[3, -1, 0.5, -2], -1.5],
    ] as const) {
      const p = eigenvalues.length;
      const clipped = clipEigenvalues(matrixOf([...eigenvalues], random), p, floor);
      const expected = Float64Array.from(eigenvalues, (value) => Math.max(value, floor)).sort();
      expect(gap(symmetricEigen(clipped, p).values, expected)).toBeLessThan(1e-13);
      for (let i = 0; i < p; i++) for (let j = 0; j < i; j++) expect(clipped[i * p + j]).toBe(clipped[j * p + i]);
    }
  });

  test('is the nearest positive semi-definite matrix: no other one of a thousand is nearer', () => {
    const random = seededRandom('nearest');
    const matrix = matrixOf([1, -0.5, 0.2], random);
    const clipped = clipEigenvalues(matrix, 3);
    const distance = euclideanNorm(clipped.map((entry, i) => entry - matrix[i]));
    // The part that was cut off has Frobenius norm ½.
    expect(distance).toBeCloseTo(0.5, 12);
    let least = Infinity;
    const factor = new Float64Array(9);
    for (let trial = 0; trial < 1000; trial++) {
      fillNormal(factor, random);
      // clipped + BBᵀ·size is positive semi-definite as well; so is every mixture of it with clipped.
      const size = 10 ** -(trial % 6);
      const other = clipped.map((entry, i) => {
        const [a, b] = [Math.floor(i / 3), i % 3];
        return entry + size * innerProduct(row(factor, 3, a), row(factor, 3, b)) - size * entry;
      });
      least = Math.min(least, euclideanNorm(other.map((entry, i) => entry - matrix[i])));
    }
    expect(least).toBeGreaterThanOrEqual(distance);
    expect(least).toBeLessThan(distance + 1e-3);
  });

  test('leaves a matrix with nothing to clip as it is, bit for bit, and does not touch its argument', () => {
    const matrix = Float64Array.of(2, 1, 1, 2);
    const clipped = clipEigenvalues(matrix, 2);
    expect([...clipped]).toEqual([2, 1, 1, 2]);
    expect(clipped).not.toBe(matrix);
    const indefinite = Float64Array.of(0, 1, 1, 0);
    expect([...clipEigenvalues(indefinite, 2)]).toEqual(Array.from({ length: 4 }, () => expect.closeTo(0.5, 14)));
    expect([...indefinite]).toEqual([0, 1, 1, 0]);
  });
});
