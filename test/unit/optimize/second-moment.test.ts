import { describe, expect, test } from '@jest/globals';
import { symmetricEigen } from '../../../src/optimize/ball.ts';
import { projectSecondMoment } from '../../../src/optimize/corrected-risk.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { matrixOf } from './quadratic.ts';

const random = seededRandom('second moment');

/** Random symmetric matrices whose eigenvalues lie around, far below and far above what is allowed. */
const matrices: readonly { p: number; matrix: Float64Array }[] = [0.05, 0.3, 1, 20].flatMap((scale) =>
  [1, 2, 3, 6, 12].flatMap((p) =>
    Array.from({ length: 4 }, () => {
      const values = new Float64Array(p);
      fillNormal(values, random);
      return {
        p,
        matrix: matrixOf(
          Array.from(values, (value) => scale * value),
          random,
        ),
      };
    }),
  ),
);

const inner = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);
const traceOf = (matrix: Float64Array, p: number): number =>
  Array.from({ length: p }, (_, i) => matrix[i * p + i]).reduce((sum, entry) => sum + entry, 0);

describe('the projection on the second moments of the unit ball', () => {
  test('is positive semi-definite, of trace at most 1, and exactly symmetric', () => {
    let [least, largest, skew] = [0, 0, 0];
    for (const { p, matrix } of matrices) {
      const projected = projectSecondMoment(matrix, p);
      least = Math.min(least, symmetricEigen(projected, p).values[0]);
      largest = Math.max(largest, traceOf(projected, p));
      for (let i = 0; i < p; i++) {
        for (let j = 0; j < i; j++) skew = Math.max(skew, Math.abs(projected[i * p + j] - projected[j * p + i]));
      }
    }
    expect(least).toBeGreaterThan(-1e-14);
    expect(largest).toBeLessThanOrEqual(1 + 1e-13);
    expect(skew).toBe(0);
  });

  test('is the nearest one: the way back to M makes no acute angle with any way to an extreme point, 0 or u·uᵀ', () => {
    let worst = -Infinity;
    for (const { p, matrix } of matrices) {
      const projected = projectSecondMoment(matrix, p);
      const back = matrix.map((entry, i) => entry - projected[i]);
      // sup over u of ⟨M − P, uuᵀ⟩ is the largest eigenvalue: all extreme points at once, and they span the convex set.
      const most = Math.max(0, symmetricEigen(back, p).values[p - 1]);
      worst = Math.max(worst, (most - inner(back, projected)) / Math.max(1, Math.sqrt(inner(matrix, matrix))));
    }
    expect(worst).toBeLessThan(1e-13);
  });

  test('is the nearest of a grid of 2 × 2 second moments (brute force)', () => {
    const matrix = Float64Array.of(1.3, 0.7, 0.7, -0.4);
    const projected = projectSecondMoment(matrix, 2);
    const distance = (a: number, b: number, c: number): number => (a - 1.3) ** 2 + 2 * (b - 0.7) ** 2 + (c + 0.4) ** 2;
    let best = Infinity;
    const step = 1 / 200;
    for (let a = 0; a <= 1; a += step) {
      for (let c = 0; c <= 1 - a + 1e-12; c += step) {
        const largest = Math.sqrt(a * c);
        for (let k = 0; k <= 100; k++) best = Math.min(best, distance(a, (largest * k) / 100, c));
      }
    }
    const reached = distance(projected[0], projected[1], projected[3]);
    expect(reached).toBeLessThanOrEqual(best);
    expect(reached).toBeGreaterThan(best - 0.02);
  });

  test('leaves a second moment as it is, and done twice is done once', () => {
    let [moved, again] = [0, 0];
    for (const { p, matrix } of matrices) {
      const once = projectSecondMoment(matrix, p);
      again = Math.max(again, ...projectSecondMoment(once, p).map((entry, i) => Math.abs(entry - once[i])));
    }
    for (const values of [
      [0.2, 0.3, 0.5],
      [0, 0, 1],
      [0, 0, 0],
      [0.1, 0, 0.2],
    ]) {
      const matrix = matrixOf(values, random);
      moved = Math.max(moved, ...projectSecondMoment(matrix, 3).map((entry, i) => Math.abs(entry - matrix[i])));
    }
    expect(moved).toBeLessThan(1e-14);
    expect(again).toBeLessThan(1e-13);
  });

  test('of diagonal matrices, by hand', () => {
    // Two eigenvalues, and those of the projection.
    for (const [one, other, first, second] of [
      [2, -1, 1, 0],
      [0.9, 0.5, 0.7, 0.3],
      [-3, -0.1, 0, 0],
      [5, 4.8, 0.6, 0.4],
      [0.4, -0.2, 0.4, 0],
    ]) {
      const projected = projectSecondMoment(Float64Array.of(one, 0, 0, other), 2);
      expect([...projected]).toEqual([first, 0, 0, second].map((x) => expect.closeTo(x, 14)));
    }
  });

  test('refuses a matrix of another size or with a NaN', () => {
    expect(() => projectSecondMoment(new Float64Array(3), 2)).toThrow(RangeError);
    expect(() => projectSecondMoment(Float64Array.of(1, NaN, 0, 1), 2)).toThrow(RangeError);
  });
});
