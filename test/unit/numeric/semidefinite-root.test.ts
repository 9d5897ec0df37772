import { describe, expect, test } from '@jest/globals';
import { addRootProduct, semidefiniteRoot } from '../../../src/numeric/semidefinite-root.ts';
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

/** The root column by column: what an entry loses is subtracted in the order of the columns, or the last first. */
function byColumns(matrix: Float64Array, p: number, backwards = false): Float64Array {
  const rows = new Float64Array(p * p);
  const left = Float64Array.from({ length: p }, (_, i) => matrix[i * p + i]);
  const open = Array.from(left.keys());
  for (let rank = 0; open.length > 0; rank++) {
    const pivot = open.reduce((best, row) => (left[row] > left[best] ? row : best));
    if (!(left[pivot] > 2 ** -50 * p * Math.max(...Array.from({ length: p }, (_, i) => matrix[i * p + i])))) break;
    open.splice(open.indexOf(pivot), 1);
    rows[pivot * p + rank] = Math.sqrt(left[pivot]);
    for (const row of open) {
      let rest = matrix[Math.max(row, pivot) * p + Math.min(row, pivot)];
      for (let i = 0; i < rank; i++) {
        const k = backwards ? rank - 1 - i : i;
        rest -= rows[row * p + k] * rows[pivot * p + k];
      }
      rows[row * p + rank] = rest / rows[pivot * p + rank];
      left[row] -= rows[row * p + rank] ** 2;
    }
  }
  return rows;
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

  // Dimensions around whole panels of 32 columns, and ranks that end within one.
  test.each([
    [31, 31],
    [33, 33],
    [66, 40],
    [67, 67],
    [131, 131],
    [132, 70],
  ])('of dimension %i and rank %i has the bits of one column after the other', (dimension, rank) => {
    const matrix = square(dimension, rank);
    const { rows } = semidefiniteRoot(matrix, dimension);
    expect(rows).toEqual(byColumns(matrix, dimension));
    // The control: another order of the same products.
    expect(rows).not.toEqual(byColumns(matrix, dimension, true));
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
