import { describe, expect, test } from '@jest/globals';
import { evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import {
  createLift,
  createLiftedPolynomial,
  fillLift,
  type Lift,
  liftedNoiseNorm,
  momentMatrix,
  setMomentMatrix,
} from '../../../src/polynomial/lift.ts';
import { polynomialIntegral } from '../../evidence/hinge/polynomials.ts';

/** Deterministic vectors of the unit ball. */
function sample(dimension: number, count: number): number[][] {
  return Array.from({ length: count }, (_, k) =>
    Array.from({ length: dimension }, (_, i) => Math.sin(1 + 7 * k + 3 * i * (k + 1)) / Math.sqrt(dimension)),
  );
}

function moments(lift: Lift, vectors: number[][]): Float64Array {
  const mean = new Float64Array(lift.size);
  const target = new Float64Array(lift.size);
  for (const v of vectors) {
    fillLift(lift, lift.weight, v, target);
    for (let i = 0; i < lift.size; i++) mean[i] += target[i] / vectors.length;
  }
  return mean;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => Array.from(a).reduce((s, x, i) => s + x * b[i], 0);

const SHAPES = [
  { dimension: 5, degree: 1 },
  { dimension: 4, degree: 2 },
  { dimension: 1, degree: 2 },
  { dimension: 4, degree: 3 },
  { dimension: 3, degree: 5 },
];

describe.each(SHAPES)('a lifted polynomial in R^$dimension of degree $degree', ({ dimension, degree }) => {
  const lift = createLift(dimension, degree);
  const vectors = sample(dimension, 12);
  const slope = [0.3, -0.8, 0.5, 0.2, -0.4].slice(0, degree);
  const risk = polynomialIntegral(slope);
  const polynomial = createLiftedPolynomial(lift, risk.subarray(1), moments(lift, vectors));
  const points = sample(dimension, 4).map((w) => w.map((entry) => 1.3 * entry + 0.1));

  test('is the mean of Q(⟨w, v⟩), and its gradient the mean of P(⟨w, v⟩)·v, to 1e-13', () => {
    let worst = 0;
    const gradient = new Float64Array(dimension);
    for (const w of points) {
      const margins = vectors.map((v) => dot(v, w));
      const mean = margins.reduce((sum, t) => sum + evaluatePolynomial(risk, t), 0) / vectors.length;
      worst = Math.max(worst, Math.abs(polynomial.value(w) - mean));
      gradient.fill(99);
      worst = Math.max(worst, Math.abs(polynomial.gradient(w, gradient) - mean));
      for (let i = 0; i < dimension; i++) {
        const direct = margins.reduce((sum, t, k) => sum + evaluatePolynomial(slope, t) * vectors[k][i], 0);
        worst = Math.max(worst, Math.abs(gradient[i] - direct / vectors.length));
      }
    }
    expect(worst).toBeLessThan(1e-13);
  });

  test('has the gradient that central differences find, for moments of no distribution too', () => {
    const noisy = createLiftedPolynomial(
      lift,
      risk.subarray(1),
      Float64Array.from({ length: lift.size }, (_, i) => 3 * Math.cos(5 * i)),
    );
    const gradient = new Float64Array(dimension);
    const step = 1e-5;
    let worst = 0;
    for (const w of points) {
      noisy.gradient(w, gradient);
      for (let i = 0; i < dimension; i++) {
        const moved = (by: number): number => noisy.value(w.map((entry, k) => entry + (k === i ? by : 0)));
        worst = Math.max(worst, Math.abs((moved(step) - moved(-step)) / (2 * step) - gradient[i]));
      }
    }
    expect(worst).toBeLessThan(1e-7);
  });
});

describe('the moment matrix', () => {
  const lift = createLift(4, 3);
  const vectors = sample(4, 9);

  test('is the mean of v·vᵀ', () => {
    const matrix = momentMatrix(lift, moments(lift, vectors));
    let worst = 0;
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        const mean = vectors.reduce((sum, v) => sum + v[i] * v[j], 0) / vectors.length;
        worst = Math.max(worst, Math.abs(matrix[4 * i + j] - mean));
      }
    }
    expect(worst).toBeLessThan(1e-15);
  });

  test('is written back unchanged, and nothing but block 2 is touched', () => {
    const original = moments(lift, vectors);
    const copy = Float64Array.from(original);
    copy.fill(0, lift.offsets[1], lift.offsets[2]);
    setMomentMatrix(lift, momentMatrix(lift, original), copy);
    expect(copy.every((value, i) => Math.abs(value - original[i]) < 1e-15)).toBe(true);
  });

  test('keeps the Frobenius norm: the basis is orthonormal', () => {
    const original = moments(lift, vectors);
    const block = original.subarray(lift.offsets[1], lift.offsets[2]);
    const matrix = momentMatrix(lift, original);
    expect(Math.abs(dot(matrix, matrix) - dot(block, block))).toBeLessThan(1e-14);
  });

  test('is refused for a lift without a second power', () => {
    expect(() => momentMatrix(createLift(3, 1), new Float64Array(3))).toThrow(RangeError);
    expect(() => setMomentMatrix(createLift(3, 1), new Float64Array(9), new Float64Array(3))).toThrow(RangeError);
  });
});

describe('the noise norm', () => {
  test('is the squared Frobenius norm of T ↦ T(w, …, w, ·), column by column', () => {
    let worst = 0;
    for (const dimension of [1, 3, 5]) {
      const w = sample(dimension, 3)[2];
      const norm = Math.hypot(...w);
      for (let k = 0; k <= 3; k++) {
        const lift = createLift(dimension, k + 1);
        const coefficients = new Float64Array(k + 1);
        // P = t^k: the gradient is then T(w, …, w, ·).
        coefficients[k] = 1 / (k + 1);
        const gradient = new Float64Array(dimension);
        let squared = 0;
        for (let entry = lift.offsets[k]; entry < lift.size; entry++) {
          const unit = new Float64Array(lift.size);
          unit[entry] = 1;
          createLiftedPolynomial(lift, coefficients, unit).gradient(w, gradient);
          squared += dot(gradient, gradient);
        }
        worst = Math.max(worst, Math.abs(squared / liftedNoiseNorm(dimension, k, norm) - 1));
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('by hand: p for k = 0, (p + 1)/2 for k = 1 at ‖w‖ = 1', () => {
    expect(liftedNoiseNorm(7, 0)).toBe(7);
    expect(liftedNoiseNorm(7, 1)).toBe(4);
    expect(liftedNoiseNorm(7, 2, 2)).toBe(48);
  });
});

test('lengths and numbers are checked when a lifted polynomial is made', () => {
  const lift = createLift(2, 2);
  expect(() => createLiftedPolynomial(lift, [1], new Float64Array(5))).toThrow('"coefficients" expected 2 numbers');
  expect(() => createLiftedPolynomial(lift, [1, 1], new Float64Array(4))).toThrow('"moments" expected 5 numbers');
  expect(() => createLiftedPolynomial(lift, [1, 1], [0, 0, Number.NaN, 0, 0])).toThrow('"moments[2]" expected');
});
