import { checkInteger, RefusedValue } from '../check/refusal.ts';

/** A p × r matrix L with LLᵀ = M, for a positive semi-definite M of rank r. */
export interface SemidefiniteRoot {
  readonly dimension: number;
  readonly rank: number;
  /** Row i begins at entry i·p; its first r entries are those of L, the others 0. */
  readonly rows: Float64Array;
}

/** Below this part of the largest diagonal entry, times p, the rest is the rounding of p such products. */
const ROUNDING = 2 ** -50;

/**
 * The Cholesky factor of a positive semi-definite matrix with pivots on its diagonal, the largest first. It ends where no
 * pivot is above rounding, p·2⁻⁵⁰ of the largest: a matrix may be singular, and its factor then has fewer columns. A
 * diagonal that falls below 0 by more than rounding is refused.
 * Shape: `matrix` is p × p, row-major; only its lower triangle is read.
 */
export function semidefiniteRoot(matrix: Float64Array, dimension: number): SemidefiniteRoot {
  const p = checkInteger('dimension', dimension, 1);
  if (matrix.length !== p * p) throw new RefusedValue('matrix', `${p} × ${p} entries`, matrix.length);
  const rows = new Float64Array(p * p);
  // What the columns before the panel leave of the lower triangle, row by row, and what all columns leave of the diagonal.
  const rest = new Float64Array((p * (p + 1)) / 2);
  for (let i = 0; i < p; i++) rest.set(matrix.subarray(i * p, i * p + i + 1), (i * (i + 1)) / 2);
  const left = Float64Array.from({ length: p }, (_, i) => matrix[i * p + i]);
  // The rows that have had no pivot yet, ascending.
  const open = Array.from(left.keys());
  const least = ROUNDING * p * left.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  let rank = 0;
  for (let panel = 0; open.length > 0; rank++) {
    if (rank === panel + PANEL) {
      subtractPanel(rest, rows, Int32Array.from(open), panel);
      panel = rank;
    }
    const place = open.reduce((best, row, at) => (left[row] > left[open[best]] ? at : best), 0);
    const pivot = open[place];
    if (!(left[pivot] > least)) break;
    open.splice(place, 1);
    const root = Math.sqrt(left[pivot]);
    rows[pivot * p + rank] = root;
    for (const row of open) {
      let sum = row > pivot ? rest[(row * (row + 1)) / 2 + pivot] : rest[(pivot * (pivot + 1)) / 2 + row];
      for (let k = panel; k < rank; k++) sum -= rows[row * p + k] * rows[pivot * p + k];
      const entry = sum / root;
      rows[row * p + rank] = entry;
      left[row] -= entry * entry;
    }
  }
  if (open.some((row) => left[row] < -least || Number.isNaN(left[row]))) {
    throw new RefusedValue('"matrix" expected one that is positive semi-definite');
  }
  return { dimension: p, rank, rows };
}

/** Columns whose products are subtracted together: so few that they stay in the cache, so many that it is seldom done. */
const PANEL = 32;

/**
 * Subtracts the products of the columns of a panel from the entries between open rows, each in the order of the columns;
 * eight side by side wait for each other less than one alone would for itself.
 */
function subtractPanel(rest: Float64Array, rows: Float64Array, open: Int32Array, panel: number): void {
  const p = Math.sqrt(rows.length);
  const packed = new Float64Array(open.length * PANEL);
  open.forEach((row, i) => {
    packed.set(rows.subarray(row * p + panel, row * p + panel + PANEL), i * PANEL);
  });
  for (let i = 0; i < open.length; i += 2) {
    const start = (open[i] * (open[i] + 1)) / 2;
    const a = i * PANEL;
    let j = 0;
    if (i + 1 < open.length) {
      const below = (open[i + 1] * (open[i + 1] + 1)) / 2;
      for (; j + 4 <= i; j += 4) subtractTile(rest, packed, a, j * PANEL, start, below, open, j);
      for (let k = j; k <= i; k++) subtractRow(rest, packed, a + PANEL, k * PANEL, below + open[k]);
    }
    for (; j < i; j++) subtractRow(rest, packed, a, j * PANEL, start + open[j]);
  }
}

function subtractRow(rest: Float64Array, packed: Float64Array, a: number, b: number, at: number): void {
  let sum = rest[at];
  for (let k = 0; k < PANEL; k++) sum -= packed[a + k] * packed[b + k];
  rest[at] = sum;
}

function subtractTile(
  rest: Float64Array,
  packed: Float64Array,
  a: number,
  b: number,
  start: number,
  below: number,
  open: Int32Array,
  j: number,
): void {
  const one = open[j];
  const two = open[j + 1];
  const three = open[j + 2];
  const four = open[j + 3];
  let a1 = rest[start + one];
  let a2 = rest[start + two];
  let a3 = rest[start + three];
  let a4 = rest[start + four];
  let b1 = rest[below + one];
  let b2 = rest[below + two];
  let b3 = rest[below + three];
  let b4 = rest[below + four];
  for (const end = b + PANEL; b < end; a++, b++) {
    const upper = packed[a];
    const lower = packed[a + PANEL];
    const x1 = packed[b];
    const x2 = packed[b + PANEL];
    const x3 = packed[b + 2 * PANEL];
    const x4 = packed[b + 3 * PANEL];
    a1 -= upper * x1;
    b1 -= lower * x1;
    a2 -= upper * x2;
    b2 -= lower * x2;
    a3 -= upper * x3;
    b3 -= lower * x3;
    a4 -= upper * x4;
    b4 -= lower * x4;
  }
  rest[start + one] = a1;
  rest[start + two] = a2;
  rest[start + three] = a3;
  rest[start + four] = a4;
  rest[below + one] = b1;
  rest[below + two] = b2;
  rest[below + three] = b3;
  rest[below + four] = b4;
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
