import { describe, expect, test } from '@jest/globals';
import { euclideanNorm, innerProduct } from '../../../src/numeric/matrix.ts';
import { minimizeBallQuadratic, quadraticValue, symmetricEigen } from '../../../src/optimize/ball.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { matrixOf } from './quadratic.ts';

const vector = (...entries: number[]): Float64Array => Float64Array.from(entries);

describe('minimizeBallQuadratic by hand', () => {
  test('a minimiser in the interior solves Mw = −linear', () => {
    const { point, value, multiplier, boundary } = minimizeBallQuadratic(vector(-1, 2), vector(2, 0, 0, 4), 1);
    expect([...point]).toEqual([0.5, -0.5].map((x) => expect.closeTo(x, 14)));
    expect([value, multiplier, boundary]).toEqual([expect.closeTo(-0.75, 14), 0, false]);
  });

  test('with M = cI outside the ball it is −R·linear/‖linear‖, with ν = ‖linear‖/R − c', () => {
    const { point, multiplier, boundary } = minimizeBallQuadratic(vector(-30, 40), vector(2, 0, 0, 2), 5);
    expect([...point]).toEqual([3, -4].map((x) => expect.closeTo(x, 13)));
    expect([multiplier, boundary]).toEqual([expect.closeTo(8, 12), true]);
  });

  test('a linear function is least at −R·linear/‖linear‖', () => {
    const { point, value } = minimizeBallQuadratic(vector(3, 0, -4), new Float64Array(9), 10);
    expect([...point]).toEqual([-6, 0, 8].map((x) => expect.closeTo(x, 13)));
    expect(value).toBeCloseTo(-50, 12);
  });

  test('the hard case: nothing pulls along the least eigenvector, which is added up to the sphere', () => {
    // M = diag(−1, 1), linear = (0, 1), R = 1: ν = 1, w₂ = −½, w₁ = ±√¾, value −3/8 + 1/8 − 1/2.
    const { point, value, multiplier, boundary } = minimizeBallQuadratic(vector(0, 1), vector(-1, 0, 0, 1), 1);
    expect([Math.abs(point[0]), point[1]]).toEqual([Math.sqrt(0.75), -0.5].map((x) => expect.closeTo(x, 14)));
    expect([value, multiplier, boundary]).toEqual([expect.closeTo(-0.75, 14), expect.closeTo(1, 14), true]);
  });

  test('without a linear part: the centre for a convex form, an eigenvector of the least eigenvalue otherwise', () => {
    expect([...minimizeBallQuadratic(vector(0, 0), vector(1, 0, 0, 2), 3).point]).toEqual([0, 0]);
    expect([...minimizeBallQuadratic(vector(0, 0), new Float64Array(4), 3).point]).toEqual([0, 0]);
    const { point, value } = minimizeBallQuadratic(vector(0, 0), vector(1, 0, 0, -2), 3);
    expect([Math.abs(point[0]), Math.abs(point[1])]).toEqual([expect.closeTo(0, 14), expect.closeTo(3, 14)]);
    expect(value).toBeCloseTo(-9, 13);
  });

  test('dimension one, with curvature of either sign or none', () => {
    const at = (linear: number, curvature: number, radius: number): number =>
      minimizeBallQuadratic(vector(linear), vector(curvature), radius).point[0];
    expect(at(-1, 4, 1)).toBeCloseTo(0.25, 15);
    expect(at(-8, 4, 1)).toBe(1);
    expect(at(3, 0, 0.5)).toBe(-0.5);
    expect(at(3, -7, 0.5)).toBe(-0.5);
    expect(Math.abs(at(0, -7, 0.5))).toBe(0.5);
    expect(at(0, 0, 0.5)).toBe(0);
  });

  test('a feature that is always zero gets no weight: flat directions stay at 0', () => {
    const random = seededRandom('flat');
    const block = matrixOf([1, 2, 3], random);
    const matrix = new Float64Array(16);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) matrix[i * 4 + j] = block[i * 3 + j];
    const { point, boundary } = minimizeBallQuadratic(vector(0.1, -0.2, 0.1, 0), matrix, 1);
    expect(boundary).toBe(false);
    expect(Math.abs(point[3])).toBeLessThan(1e-15);
    // The same rank-deficient form in a rotated basis, where the flat eigenvalue is rounding of either sign.
    for (let trial = 0; trial < 20; trial++) {
      const rotated = matrixOf([0, 1, 2, 3, 0], random);
      const inside = new Float64Array(5);
      fillNormal(inside, random);
      const linear = inside.map((_, i) => -0.1 * innerProduct(rotated.subarray(5 * i, 5 * i + 5), inside));
      const found = minimizeBallQuadratic(linear, rotated, 10);
      expect(found.boundary).toBe(false);
      // The least-norm solution is not longer than the one the linear part was made of.
      expect(euclideanNorm(found.point)).toBeLessThan(0.1 * euclideanNorm(inside));
    }
  });
});

describe('minimizeBallQuadratic against the conditions that characterise a global minimiser', () => {
  /** The largest relative violation of the conditions over the instances. */
  const violation = (linear: Float64Array, matrix: Float64Array, radius: number): number => {
    const p = linear.length;
    const { point, value, multiplier, boundary } = minimizeBallQuadratic(linear, matrix, radius);
    const { values } = symmetricEigen(matrix, p);
    const size = Math.max(Math.abs(values[0]), Math.abs(values[p - 1])) + multiplier;
    const scale = euclideanNorm(linear) + size * radius;
    const residual = linear.map(
      (entry, i) => entry + innerProduct(matrix.subarray(i * p, i * p + p), point) + multiplier * point[i],
    );
    const norm = euclideanNorm(point);
    return Math.max(
      euclideanNorm(residual) / scale,
      -(values[0] + multiplier) / size,
      norm / radius - 1,
      boundary ? 1 - norm / radius : multiplier,
      Math.abs(value - quadraticValue(linear, matrix, point)) / (scale * radius),
    );
  };

  test('random forms, convex and not, with ill conditioning and radii from 1e-8 to 1e8: violation below 1e-13', () => {
    const random = seededRandom('conditions');
    let worst = 0;
    for (let trial = 0; trial < 400; trial++) {
      const p = 1 + (trial % 12);
      const eigenvalues = Array.from(
        { length: p },
        (_, i) => 10 ** -(i * ((trial % 4) / 2)) * ((trial + i) % 3 ? 1 : -1),
      );
      const convex = trial % 2 === 0;
      const matrix = matrixOf(convex ? eigenvalues.map(Math.abs) : eigenvalues, random);
      const linear = new Float64Array(p);
      fillNormal(linear, random);
      worst = Math.max(worst, violation(linear, matrix, 10 ** ((trial % 17) - 8)));
    }
    expect(worst).toBeLessThan(1e-13);
  });

  test('the hard case and its neighbourhood: the pull along the least eigenvector from 0 to 1', () => {
    const random = seededRandom('hard');
    let worst = 0;
    for (let exponent = -320; exponent <= 0; exponent += 1) {
      for (const eigenvalues of [
        [-1, 0.5, 2],
        [-1, -1, 2],
        [-1, -1 + 1e-15, 0],
        [-1e-9, 0, 1],
      ]) {
        // In the eigenbasis itself, so that a tiny pull is not lost in rounding …
        const diagonal = new Float64Array(9);
        for (let i = 0; i < 3; i++) diagonal[4 * i] = eigenvalues[i];
        worst = Math.max(worst, violation(vector(10 ** exponent, 0.2, -0.1), diagonal, 1));
        // … and in another one.
        if (exponent % 20 === 0) {
          worst = Math.max(worst, violation(vector(10 ** exponent, 0, 0), matrixOf(eigenvalues, random), 1));
        }
      }
    }
    expect(worst).toBeLessThan(1e-13);
  });

  test('the value is below that of every one of ten thousand random points of the ball', () => {
    const random = seededRandom('global');
    const matrix = matrixOf([-2, -1.9, 0.3, 5], random);
    const linear = vector(0.1, -0.3, 0.2, 0.05);
    const { value } = minimizeBallQuadratic(linear, matrix, 1.5);
    const other = new Float64Array(4);
    let least = Infinity;
    for (let trial = 0; trial < 10_000; trial++) {
      fillNormal(other, random);
      const norm = euclideanNorm(other);
      for (let i = 0; i < 4; i++) other[i] *= 1.5 / norm;
      least = Math.min(least, quadraticValue(linear, matrix, other));
    }
    expect(value).toBeLessThan(least);
    expect(value).toBeGreaterThan(least - 0.2);
  });

  test('the conditions are able to fail: a point moved by one part in a million violates them', () => {
    const matrix = vector(-1, 0.5, 0.5, 2);
    expect(violation(vector(1, 1), matrix, 1)).toBeLessThan(1e-14);
    const { point, multiplier } = minimizeBallQuadratic(vector(1, 1), matrix, 1);
    const moved = point.map((entry, i) => entry + (i === 0 ? 1e-6 : 0));
    const residual = [0, 1].map(
      (i) => 1 + innerProduct(matrix.subarray(2 * i, 2 * i + 2), moved) + multiplier * moved[i],
    );
    expect(Math.hypot(...residual)).toBeGreaterThan(1e-7);
  });
});

test('refuses another size, a radius that is none, a NaN and an infinity', () => {
  expect(() => minimizeBallQuadratic(vector(1, 2), new Float64Array(3), 1)).toThrow('"matrix" expected 2 × 2 entries');
  expect(() => minimizeBallQuadratic(vector(1), vector(1), 0)).toThrow('"radius" expected a finite number > 0, got 0');
  expect(() => minimizeBallQuadratic(vector(Number.NaN), vector(1), 1)).toThrow(
    new RangeError('"linear" expected finite numbers, got NaN'),
  );
  expect(() => minimizeBallQuadratic(vector(1), vector(Infinity), 1)).toThrow('"matrix" expected finite numbers');
  expect(() => minimizeBallQuadratic([1] as unknown as Float64Array, vector(1), 1)).toThrow(TypeError);
  expect(() => minimizeBallQuadratic(vector(), vector(), 1)).toThrow('"dimension"');
});
