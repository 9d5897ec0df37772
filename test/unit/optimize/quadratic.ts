import type { SmoothFunction } from '../../../src/optimize/oracle.ts';
import { fillNormal, type Random } from '../../../src/random/random.ts';

/** A p × p row-major symmetric matrix with the given eigenvalues and a random eigenbasis. */
export function matrixOf(eigenvalues: readonly number[], random: Random): Float64Array {
  const p = eigenvalues.length;
  const basis: Float64Array[] = [];
  for (let i = 0; i < p; i++) {
    const vector = new Float64Array(p);
    fillNormal(vector, random);
    // Twice is enough for orthogonality to rounding.
    for (const earlier of [...basis, ...basis]) {
      let part = 0;
      for (let j = 0; j < p; j++) part += vector[j] * earlier[j];
      for (let j = 0; j < p; j++) vector[j] -= part * earlier[j];
    }
    const norm = Math.hypot(...vector);
    basis.push(vector.map((entry) => entry / norm));
  }
  const matrix = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    for (let j = 0; j < p; j++) {
      for (let k = 0; k < p; k++) matrix[i * p + j] += eigenvalues[k] * basis[k][i] * basis[k][j];
    }
  }
  return matrix;
}

/** The function linear·w + ½wᵀMw, for a symmetric row-major M. */
export function quadratic(linear: Float64Array, matrix: Float64Array): SmoothFunction {
  const p = linear.length;
  const gradient = (point: Float64Array, target: Float64Array): void => {
    for (let i = 0; i < p; i++) {
      target[i] = linear[i];
      for (let j = 0; j < p; j++) target[i] += matrix[i * p + j] * point[j];
    }
  };
  const slope = new Float64Array(p);
  return {
    dimension: p,
    gradient,
    value: (point) => {
      gradient(point, slope);
      return point.reduce((sum, entry, i) => sum + (entry * (linear[i] + slope[i])) / 2, 0);
    },
  };
}
