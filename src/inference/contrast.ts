import { refusal } from '../check/number.ts';
import { checkVector } from './vector.ts';

const { abs, sqrt } = Math;

/** Variance left of what the coordinates would give without correlation, below which a direction counts as singular. */
const SINGULAR = 1e-12;

/** Which linear combinations of the parameter are asked about. */
export interface ContrastRequest {
  /** The rows of R, each of length p; without them every coordinate by itself. */
  readonly contrasts?: readonly ArrayLike<number>[] | undefined;
}

/** Centre and scatter of q contrasts. */
export interface ContrastMoments {
  /** q. */
  readonly count: number;
  /** Rθ̄, of length q. */
  readonly centre: Float64Array;
  /** RMRᵀ, q × q row-major, exactly symmetric. */
  readonly scatter: Float64Array;
}

/**
 * Rθ̄ and RMRᵀ for the contrasts R of a mean θ̄ and a symmetric matrix M, with every variance on the diagonal positive.
 *
 * @throws RangeError for no contrasts, sizes that do not agree, entries that are not finite, or a contrast in whose direction
 * M is singular to rounding.
 */
export function contrastMoments(
  mean: Float64Array,
  matrix: Float64Array,
  dimension: number,
  request: ContrastRequest,
): ContrastMoments {
  checkVector('mean', mean, dimension);
  checkVector('matrix', matrix, dimension * dimension);
  const rows = request.contrasts ?? Array.from({ length: dimension }, (_, i) => unit(dimension, i));
  const count = rows.length;
  if (count === 0) throw new RangeError(refusal('contrasts', 'at least one row', 'none'));
  const centre = new Float64Array(count);
  const scatter = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    checkVector(`contrasts[${i}]`, rows[i], dimension);
    let scale = 0;
    for (let k = 0; k < dimension; k++) {
      centre[i] += rows[i][k] * mean[k];
      scale += abs(rows[i][k]) * sqrt(abs(matrix[k * dimension + k]));
    }
    for (let j = 0; j <= i; j++) {
      const entry = bilinear(rows[i], matrix, rows[j], dimension);
      scatter[i * count + j] = entry;
      scatter[j * count + i] = entry;
    }
    const variance = scatter[i * count + i];
    // Also false for a variance of 0 or below.
    if (!(variance > SINGULAR * scale * scale)) {
      throw new RangeError(refusal(`variance of contrast ${i}`, 'a positive number, not a singular matrix', variance));
    }
  }
  return { count, centre, scatter };
}

function bilinear(a: ArrayLike<number>, matrix: Float64Array, b: ArrayLike<number>, dimension: number): number {
  let sum = 0;
  for (let k = 0; k < dimension; k++) {
    let inner = 0;
    for (let l = 0; l < dimension; l++) inner += matrix[k * dimension + l] * b[l];
    sum += a[k] * inner;
  }
  return sum;
}

function unit(dimension: number, i: number): Float64Array {
  const vector = new Float64Array(dimension);
  vector[i] = 1;
  return vector;
}
