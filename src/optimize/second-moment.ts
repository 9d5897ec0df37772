import { symmetricEigen } from './symmetric-eigen.ts';

const { max } = Math;

/**
 * The matrix nearest in Frobenius norm to the symmetric part of `matrix` among the second moments of the unit ball:
 * positive semi-definite with trace at most 1, as E[v·vᵀ] is when ‖v‖ ≤ 1.
 *
 * Noise spreads the eigenvalues of a second moment far below 0 and above 1; projecting on where it is known to be removes
 * most of that. The eigenvalues are projected on \lbrace λ ≥ 0, Σ λ ≤ 1 \rbrace.
 *
 * Shape: p × p row-major, exactly symmetric.
 *
 * Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), projection on the simplex by one threshold.
 *
 * @throws TypeError or RangeError for a matrix of another size or with a NaN or an infinity in it.
 */
export function projectSecondMoment(matrix: Float64Array, dimension: number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, dimension);
  const threshold = simplexThreshold(values);
  const projected = new Float64Array(dimension * dimension);
  for (let k = 0; k < dimension; k++) {
    const value = max(0, values[k] - threshold);
    if (value === 0) continue;
    const vector = vectors.subarray(k * dimension, (k + 1) * dimension);
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < dimension; j++) projected[i * dimension + j] += value * (vector[i] * vector[j]);
    }
  }
  return projected;
}

// The least τ ≥ 0 with Σ max(0, λ − τ) ≤ 1, for ascending λ.
function simplexThreshold(values: Float64Array): number {
  let sum = 0;
  let threshold = 0;
  for (let k = values.length - 1, count = 1; k >= 0; k--, count++) {
    sum += max(0, values[k]);
    const candidate = (sum - 1) / count;
    if (candidate >= values[k]) break;
    threshold = candidate;
  }
  return max(0, threshold);
}
