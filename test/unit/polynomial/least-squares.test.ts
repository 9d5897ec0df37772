import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMatrix, type Matrix, semidefiniteRows, solveLeastSquares } from '../../../src/numeric/matrix.ts';

// The same cases on every run; the properties were also run over 4000 cases of other seeds.
fc.configureGlobal({ seed: 6 });

function matrixOf(rows: number[][]): Matrix {
  const matrix = createMatrix(rows.length, rows[0].length);
  rows.forEach((row, i) => {
    matrix.entries.set(row, i * row.length);
  });
  return matrix;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => Array.from(a).reduce((s, x, i) => s + x * b[i], 0);
// Thousandths: products of denormal numbers would underflow and say nothing about the method.
const entry = fc.integer({ min: -1000, max: 1000 }).map((thousandths) => thousandths / 1000);
const table = (rows: number, columns: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(entry, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows });

describe('least squares', () => {
  test('by hand: the line through (0, 1), (1, 2), (2, 4) is 5/6 + 3/2·t', () => {
    const solution = solveLeastSquares(
      matrixOf([
        [1, 0],
        [1, 1],
        [1, 2],
      ]),
      [1, 2, 4],
    );
    expect(Math.abs(solution[0] - 5 / 6)).toBeLessThan(1e-14);
    expect(Math.abs(solution[1] - 1.5)).toBeLessThan(1e-14);
  });

  test('leaves a residual orthogonal to every column', () => {
    fc.assert(
      fc.property(table(8, 4), fc.array(entry, { minLength: 8, maxLength: 8 }), (rows, right) => {
        const solution = solveLeastSquares(matrixOf(rows), right);
        const residual = rows.map((row, i) => right[i] - dot(row, solution));
        // Relative to the solution: a nearly singular table has a long one.
        const size = 1 + Math.max(...solution.map(Math.abs));
        return [0, 1, 2, 3].every(
          (j) => Math.abs(rows.reduce((s, row, i) => s + row[j] * residual[i], 0)) < 1e-13 * size,
        );
      }),
    );
  });

  test('of the solutions of x + 2y = 5 it takes the shortest, (1, 2), and of none at all it takes 0', () => {
    const solution = solveLeastSquares(matrixOf([[1, 2]]), [5]);
    expect(Math.abs(solution[0] - 1) + Math.abs(solution[1] - 2)).toBeLessThan(1e-14);
    expect([...solveLeastSquares(createMatrix(2, 3), [1, 1])]).toEqual([0, 0, 0]);
  });

  test('of a table of rank 2 with 4 columns it takes the solution in the span of the rows', () => {
    const [a, b] = [
      [1, 2, -1, 0.5],
      [0, 1, 3, -2],
    ];
    const rows = [a, b, a.map((x, j) => x + b[j]), a.map((x, j) => 2 * x - b[j])];
    const solution = solveLeastSquares(matrixOf(rows), [1, 2, 3.5, 0.25]);
    // Orthogonal to two vectors of the null space, found by hand.
    expect(Math.abs(dot(solution, [7, -3, 1, 0]))).toBeLessThan(1e-13);
    expect(Math.abs(dot(solution, [-4.5, 2, 0, 1]))).toBeLessThan(1e-13);
    const residual = rows.map((row, i) => [1, 2, 3.5, 0.25][i] - dot(row, solution));
    expect(Math.abs(rows.reduce((s, row, i) => s + row[1] * residual[i], 0))).toBeLessThan(1e-13);
  });

  test('is not spoilt by rows 1e15 times heavier than the others', () => {
    // x + y + z = 1 nearly exactly; then least squares of x = 1, y = 2, z = 3 on that plane: subtract 5/3 from each.
    const heavy = 1e15;
    const solution = solveLeastSquares(
      matrixOf([
        [1, 0, 0],
        [0, 1, 0],
        [heavy, heavy, heavy],
        [0, 0, 1],
      ]),
      [1, 2, heavy, 3],
    );
    const expected = [-2 / 3, 1 / 3, 4 / 3];
    expect(Math.max(...expected.map((x, i) => Math.abs(solution[i] - x)))).toBeLessThan(1e-13);
  });
});

describe('the rows of a semidefinite matrix', () => {
  test('multiply back to it, whatever its rank and however uneven its diagonal', () => {
    fc.assert(
      fc.property(
        table(3, 4),
        fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 4, maxLength: 4 }),
        (b, powers) => {
          const gamma = createMatrix(4, 4);
          const unit = powers.map((power) => 10 ** power);
          for (let i = 0; i < 4; i++) {
            for (let j = 0; j < 4; j++)
              gamma.entries[4 * i + j] = b.reduce((s, row) => s + row[i] * row[j], 0) * unit[i] * unit[j];
          }
          const rows = semidefiniteRows(gamma);
          if (rows === undefined) return false;
          for (let i = 0; i < 4; i++) {
            for (let j = 0; j < 4; j++) {
              let product = 0;
              for (let k = 0; k < 4; k++) product += rows.entries[4 * k + i] * rows.entries[4 * k + j];
              const size = Math.sqrt(gamma.entries[5 * i] * gamma.entries[5 * j]);
              if (!(Math.abs(product - gamma.entries[4 * i + j]) <= 1e-10 * size)) return false;
            }
          }
          return true;
        },
      ),
    );
  });

  test.each([
    ['indefinite', [1, 2, 2, 1]],
    ['asymmetric', [1, 0.5, 0.1, 1]],
    ['indefinite, with a diagonal of 0', [0, 1, 1, 0]],
    ['negative', [-1, 0, 0, 1]],
  ])('do not exist for one that is %s', (_, entries) => {
    expect(semidefiniteRows({ rows: 2, columns: 2, entries: Float64Array.from(entries) })).toBeUndefined();
    expect(semidefiniteRows(createMatrix(2, 2))).toBeDefined();
  });
});
