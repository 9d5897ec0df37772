import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { checkInteger, refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { checkVector } from './projection.ts';

const { abs, max } = Math;

/** Eigenvalues of a symmetric matrix, ascending, with orthonormal eigenvectors. */
export interface SymmetricEigen {
  /** The eigenvalues, ascending. */
  readonly values: Float64Array;
  /** Row i (entries i·p to i·p + p − 1) is the eigenvector of eigenvalue i. */
  readonly vectors: Float64Array;
}

/** The symmetric part (M + Mᵀ)/2 of a p × p row-major matrix; a quadratic form wᵀMw depends only on this part. */
export function symmetricPart(matrix: Float64Array, dimension: number): Float64Array {
  checkInteger('dimension', dimension, 1);
  if (!(matrix instanceof Float64Array)) throw new RefusedKind(refusal('matrix', 'a Float64Array', matrix));
  if (matrix.length !== dimension * dimension) {
    throw new RefusedValue(refusal('matrix', `${dimension} × ${dimension} entries`, matrix.length));
  }
  const symmetric = new Float64Array(matrix.length);
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j < dimension; j++) {
      // Halved before adding, so that the sum of two large entries does not overflow.
      symmetric[i * dimension + j] = matrix[i * dimension + j] / 2 + matrix[j * dimension + i] / 2;
    }
  }
  return symmetric;
}

/**
 * The eigenvalue decomposition of the symmetric part of a p × p row-major matrix.
 *
 * @throws TypeError or RangeError for a matrix of another size or with a NaN or an infinity in it.
 */
export function symmetricEigen(matrix: Float64Array, dimension: number): SymmetricEigen {
  const symmetric = symmetricPart(matrix, dimension);
  checkVector('matrix', symmetric);
  let scale = 0;
  for (let i = 0; i < symmetric.length; i++) scale = max(scale, abs(symmetric[i]));
  // Scaled to entries of at most 1, so that no square inside the decomposition overflows or vanishes.
  const scaled = scale > 0 ? symmetric.map((entry) => entry / scale) : symmetric;
  const decomposition = new EigenvalueDecomposition(Matrix.from1DArray(dimension, dimension, scaled), {
    assumeSymmetric: true,
  });
  const { realEigenvalues, eigenvectorMatrix } = decomposition;
  const order = realEigenvalues.map((_, i) => i).sort((i, j) => realEigenvalues[i] - realEigenvalues[j]);
  const values = new Float64Array(dimension);
  const vectors = new Float64Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) {
    values[i] = scale * realEigenvalues[order[i]];
    for (let j = 0; j < dimension; j++) vectors[i * dimension + j] = eigenvectorMatrix.get(j, order[i]);
  }
  return { values, vectors };
}

/**
 * The symmetric matrix nearest to `matrix` in Frobenius norm among those with no eigenvalue below `floor`: its symmetric
 * part with smaller eigenvalues raised. With the floor 0 it is the projection on the positive semi-definite matrices.
 *
 * Shape: p × p row-major, exactly symmetric; the symmetric part itself when nothing is below the floor.
 * @throws TypeError or RangeError for a matrix of another size or with a NaN or an infinity in it.
 */
export function clipEigenvalues(matrix: Float64Array, dimension: number, floor: number = 0): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, dimension);
  const clipped = symmetricPart(matrix, dimension);
  for (let k = 0; k < dimension && values[k] < floor; k++) {
    const raise = floor - values[k];
    const vector = vectors.subarray(k * dimension, (k + 1) * dimension);
    for (let i = 0; i < dimension; i++) {
      // Entries (i, j) and (j, i) use the same products in the same order, so the result stays exactly symmetric.
      for (let j = 0; j < dimension; j++) clipped[i * dimension + j] += raise * (vector[i] * vector[j]);
    }
  }
  return clipped;
}
