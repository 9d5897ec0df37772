import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';

/** A p × r matrix L with LLᵀ = M, for a positive semi-definite M of rank r. */
export interface SemidefiniteRoot {
  /** p. */
  readonly dimension: number;
  /** r, the number of columns that are not zero. */
  readonly rank: number;
  /** Row i begins at entry i·p; its first r entries are those of L, the others 0. */
  readonly rows: Float64Array;
}

/**
 * Below this part of the largest diagonal entry, times p, what is left of the diagonal is rounding: so large is the error
 * of p products of numbers of that size.
 */
const ROUNDING = 2 ** -50;

/**
 * The Cholesky factor of a positive semi-definite matrix with pivots on its diagonal, the largest first. It ends where
 * no pivot is above rounding: what is left, of entries below p·2⁻⁵⁰ of the largest, is taken as 0. So a matrix may be
 * singular, and its factor then has fewer columns.
 *
 * Shape: `matrix` is p × p, row-major; only its lower triangle is read.
 *
 * @throws RangeError for a matrix of another size, and for a diagonal that falls below 0 by more than rounding.
 */
export function semidefiniteRoot(matrix: Float64Array, dimension: number): SemidefiniteRoot {
  const p = checkInteger('dimension', dimension, 1);
  if (matrix.length !== p * p) throw new RefusedValue(refusal('matrix', `${p} × ${p} entries`, matrix.length));
  const rows = new Float64Array(p * p);
  // What the columns so far leave of the diagonal, and the rows that have had no pivot yet.
  const left = Float64Array.from({ length: p }, (_, i) => matrix[i * p + i]);
  const open = Array.from(left.keys());
  const least = ROUNDING * p * left.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  let rank = 0;
  for (; open.length > 0; rank++) {
    const place = open.reduce((best, row, at) => (left[row] > left[open[best]] ? at : best), 0);
    const pivot = open[place];
    if (!(left[pivot] > least)) break;
    open.splice(place, 1);
    const root = Math.sqrt(left[pivot]);
    rows[pivot * p + rank] = root;
    for (const row of open) {
      let rest = row > pivot ? matrix[row * p + pivot] : matrix[pivot * p + row];
      // Both rows are read in order, which is what makes this loop fast.
      for (let k = 0, a = row * p, b = pivot * p; k < rank; k++) rest -= rows[a + k] * rows[b + k];
      const entry = rest / root;
      rows[row * p + rank] = entry;
      left[row] -= entry * entry;
    }
  }
  if (open.some((row) => left[row] < -least || Number.isNaN(left[row]))) {
    throw new RefusedValue('"matrix" expected one that is positive semi-definite');
  }
  return { dimension: p, rank, rows };
}

/** Adds L·v times a factor to the first p entries of `target`, for a v with at least r entries. Allocates nothing. */
export function addRootProduct(
  { dimension, rank, rows }: SemidefiniteRoot,
  vector: Float64Array,
  factor: number,
  target: Float64Array,
): void {
  for (let i = 0; i < dimension; i++) {
    let sum = 0;
    for (let k = 0, at = i * dimension; k < rank; k++) sum += rows[at + k] * vector[k];
    target[i] += factor * sum;
  }
}
