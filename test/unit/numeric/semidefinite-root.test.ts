import { describe, expect, test } from '@jest/globals';
import { addRootProduct, semidefiniteRoot } from '../../../src/numeric/matrix.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** Σ b·bᵀ of so many random vectors: of that rank. */
function square(dimension: number, rank: number): Float64Array {
  const random = seededRandom(`${dimension} ${rank}`);
  const matrix = new Float64Array(dimension * dimension);
  for (let k = 0; k < rank; k++) {
    const b = Float64Array.from({ length: dimension }, () => normal(random));
    for (let i = 0; i < dimension; i++) for (let j = 0; j < dimension; j++) matrix[i * dimension + j] += b[i] * b[j];
  }
  return matrix;
}

/** L·Lᵀ, column by column of the unit vectors. */
function product(root: ReturnType<typeof semidefiniteRoot>): Float64Array {
  const { dimension, rows } = root;
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) {
    const column = new Float64Array(dimension);
    addRootProduct(root, rows.slice(i * dimension, (i + 1) * dimension), 1, column);
    matrix.set(column, i * dimension);
  }
  return matrix;
}

describe('the root of a semi-definite matrix', () => {
  test.each([
    [1, 1],
    [6, 6],
    [9, 4],
    [30, 1],
    [30, 29],
    [5, 0],
  ])('of dimension %i and rank %i has that rank, and its square is the matrix', (dimension, rank) => {
    const matrix = square(dimension, rank);
    const root = semidefiniteRoot(matrix, dimension);
    expect(root.rank).toBe(rank);
    const difference = product(root).map((entry, i) => Math.abs(entry - matrix[i]));
    expect(Math.max(...difference)).toBeLessThan(1e-12 * Math.max(1, ...matrix));
  });

  test('reads the lower triangle alone', () => {
    expect(semidefiniteRoot(Float64Array.of(4, 99, 2, 5), 2).rows).toEqual(
      semidefiniteRoot(Float64Array.of(4, 2, 2, 5), 2).rows,
    );
  });

  test('is refused for a matrix that is not semi-definite, not a number, or of another size', () => {
    expect(() => semidefiniteRoot(Float64Array.of(1, 2, 2, 1), 2)).toThrow(RangeError);
    expect(() => semidefiniteRoot(Float64Array.of(Number.NaN, 0, 0, 1), 2)).toThrow(RangeError);
    expect(() => semidefiniteRoot(Float64Array.of(1, 0, 0), 2)).toThrow('"matrix" expected 2 × 2 entries');
  });
});
