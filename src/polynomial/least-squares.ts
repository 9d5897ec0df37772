import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';

const { PI, abs, cos, hypot, max, sqrt } = Math;

/** A quadrature rule: Σ masses[i]·f(nodes[i]) stands for the integral of f. */
export interface QuadratureRule {
  readonly nodes: Float64Array;
  readonly masses: Float64Array;
}

/**
 * The Gauss–Lobatto rule with n ≥ 2 nodes on [−1, 1], including both ends, exact for polynomials up to degree 2n − 3.
 *
 * Newton's method for (1 − x²)·P′, P the Legendre polynomial of degree n − 1; accurate to a few units in the last
 * place.
 */
export function gaussLobatto(n: number): QuadratureRule {
  checkInteger('n', n, 2, 1000);
  const degree = n - 1;
  const nodes = new Float64Array(n);
  const masses = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -cos((PI * i) / degree);
    let value = 1;
    // Quadratic convergence from a guess with error 1/n²; ten steps are more than enough.
    for (let step = 0; step < 10; step++) {
      let before = 1;
      value = x;
      for (let k = 2; k <= degree; k++) {
        const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      x -= (x * value - before) / (n * value);
    }
    nodes[i] = x;
    masses[i] = 2 / (degree * n * value * value);
  }
  return { nodes, masses };
}

/**
 * Nodes in a panel, which then integrates polynomials up to degree 21 exactly. A rule without the ends would miss a
 * jump between its last node and the end of a panel, however often the panel is halved.
 */
const PANEL_NODES = 12;
const PANEL_RULE: QuadratureRule = gaussLobatto(PANEL_NODES);

/**
 * A panel is split when its halves disagree with it by more than this multiple of the whole integral of |·|. The halves
 * are kept; for a smooth function they are 2²² times more accurate than the panel with which they are compared.
 */
const PANEL_TOLERANCE = 1e-12;

/** A panel is not split more often than this: around a jump the remaining error is 2⁻⁴⁵ of a panel. */
const PANEL_DEPTH = 45;

/** The largest number of panels before giving up. */
const PANEL_LIMIT = 20_000;

/**
 * A composite Gauss–Lobatto rule on [edges[0], edges[last]] fine enough for three given functions at once.
 *
 * Every segment between edges starts as equal panels; a panel whose integrals change when it is halved is replaced by
 * its halves. Bisection finds the jumps and kinks of the functions, so the caller need not give them.
 *
 * @throws RangeError when a function is not finite, or so rough that the limit on panels is reached.
 */
export function panelRule(
  edges: readonly number[],
  evaluate: (t: number, values: Float64Array) => void,
  panels: number,
): QuadratureRule {
  const values = new Float64Array(3);
  const integrate = (from: number, to: number): Float64Array => {
    const sums = new Float64Array(6);
    const half = (to - from) / 2;
    for (let i = 0; i < PANEL_NODES; i++) {
      evaluate((from + to) / 2 + half * PANEL_RULE.nodes[i], values);
      for (let k = 0; k < 3; k++) {
        sums[k] += half * PANEL_RULE.masses[i] * values[k];
        sums[k + 3] += half * PANEL_RULE.masses[i] * abs(values[k]);
      }
    }
    return sums;
  };
  const open: { from: number; to: number; depth: number; sums: Float64Array }[] = [];
  const totals = new Float64Array(3);
  for (let e = edges.length - 1; e >= 1; e--) {
    for (let i = panels - 1; i >= 0; i--) {
      const width = (edges[e] - edges[e - 1]) / panels;
      const from = edges[e - 1] + i * width;
      const to = i === panels - 1 ? edges[e] : edges[e - 1] + (i + 1) * width;
      const sums = integrate(from, to);
      for (let k = 0; k < 3; k++) totals[k] += sums[k + 3];
      open.push({ from, to, depth: 0, sums });
    }
  }
  for (const total of totals) {
    if (!Number.isFinite(total)) throw new RefusedValue(refusal('f(t)', 'finite numbers', total));
  }
  const closed: number[] = [];
  while (open.length > 0) {
    const { from, to, depth, sums } = open.pop()!;
    const middle = (from + to) / 2;
    const left = integrate(from, middle);
    const right = integrate(middle, to);
    let settled = depth >= PANEL_DEPTH;
    if (!settled) {
      settled = true;
      for (let k = 0; k < 3; k++) {
        // The larger of the first estimate and the integral over this panel, which the first estimate may have missed.
        const whole = max(totals[k], left[k + 3] + right[k + 3]);
        if (!(abs(left[k] + right[k] - sums[k]) <= PANEL_TOLERANCE * whole)) settled = false;
      }
    }
    if (settled) {
      closed.push(from, middle, middle, to);
      if (closed.length > 2 * PANEL_LIMIT) {
        throw new RefusedValue(`"f" expected a function integrable with ${PANEL_LIMIT} panels, got one that is not`);
      }
      continue;
    }
    open.push({ from: middle, to, depth: depth + 1, sums: right }, { from, to: middle, depth: depth + 1, sums: left });
  }
  const size = (closed.length / 2) * PANEL_NODES;
  const nodes = new Float64Array(size);
  const masses = new Float64Array(size);
  for (let panel = 0, entry = 0; panel < closed.length; panel += 2) {
    const half = (closed[panel + 1] - closed[panel]) / 2;
    const centre = (closed[panel] + closed[panel + 1]) / 2;
    for (let i = 0; i < PANEL_NODES; i++, entry++) {
      nodes[entry] = centre + half * PANEL_RULE.nodes[i];
      masses[entry] = half * PANEL_RULE.masses[i];
    }
  }
  return { nodes, masses };
}

/**
 * A pivot smaller than this, relative to the remaining rows and per column, counts as rounding. The value is large on
 * purpose, since a dropped direction costs only this much residual.
 */
const RANK_TOLERANCE = 64 * 2 ** -52;

/** A dense matrix, row after row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly entries: Float64Array;
}

/** A zero matrix. */
export function createMatrix(rows: number, columns: number): Matrix {
  return { rows, columns, entries: new Float64Array(rows * columns) };
}

/**
 * Householder triangularisation of [A | b]: A·Π = Q·R with a column order Π, and the transformed right-hand side Qᵀb.
 */
export interface Triangular {
  /** R in its first `rank` rows and all columns, in pivoted order. */
  readonly factor: Matrix;
  /** Qᵀb. */
  readonly transformed: Float64Array;
  /** The column of A at each position of the factor. */
  readonly order: Int32Array;
  readonly rank: number;
}

/**
 * Triangularises a least-squares problem with Householder reflections, largest rows first and with column pivoting.
 *
 * This order makes it stable row by row, so that penalty rows 10¹⁵ times larger than the data rows do not destroy the
 * accuracy of the data rows.
 *
 * Source: Cox and Higham 1998, "Stability of Householder QR factorization for weighted least squares problems".
 */
function triangularise(matrix: Matrix, right: ArrayLike<number>): Triangular {
  const { rows, columns } = matrix;
  const factor = createMatrix(rows, columns);
  const transformed = new Float64Array(rows);
  const size = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) size[i] = max(size[i], abs(matrix.entries[i * columns + j]));
  }
  const sorted = Array.from(size.keys()).sort((a, b) => size[b] - size[a]);
  for (let i = 0; i < rows; i++) {
    factor.entries.set(matrix.entries.subarray(sorted[i] * columns, (sorted[i] + 1) * columns), i * columns);
    transformed[i] = right[sorted[i]];
  }
  const order = Int32Array.from({ length: columns }, (_, j) => j);
  let rank = 0;
  while (rank < rows && rank < columns) {
    let pivot = rank;
    let longest = -1;
    for (let j = rank; j < columns; j++) {
      const norm = columnNorm(factor, rank, j);
      if (norm > longest) [pivot, longest] = [j, norm];
    }
    if (longest <= columns * RANK_TOLERANCE * size[sorted[rank]] * sqrt(columns)) break;
    swapColumns(factor, order, rank, pivot);
    reflect(factor, transformed, rank, longest);
    rank++;
  }
  return { factor, transformed, order, rank };
}

function columnNorm({ rows, columns, entries }: Matrix, from: number, column: number): number {
  let largest = 0;
  for (let i = from; i < rows; i++) largest = max(largest, abs(entries[i * columns + column]));
  if (largest === 0) return 0;
  let squared = 0;
  for (let i = from; i < rows; i++) squared += (entries[i * columns + column] / largest) ** 2;
  return largest * sqrt(squared);
}

function swapColumns({ rows, columns, entries }: Matrix, order: Int32Array, a: number, b: number): void {
  if (a === b) return;
  for (let i = 0; i < rows; i++) {
    const kept = entries[i * columns + a];
    entries[i * columns + a] = entries[i * columns + b];
    entries[i * columns + b] = kept;
  }
  const kept = order[a];
  order[a] = order[b];
  order[b] = kept;
}

/** One Householder step: makes column `step` zero below the diagonal, in place. */
function reflect({ rows, columns, entries }: Matrix, right: Float64Array, step: number, norm: number): void {
  const diagonal = step * columns + step;
  const image = entries[diagonal] > 0 ? -norm : norm;
  // Reflector v = x − image·e₁, kept in the column while the other columns are transformed; vᵀv/2 = norm·(norm + |x₁|).
  entries[diagonal] -= image;
  const scale = 1 / (norm * abs(entries[diagonal]));
  for (let j = step + 1; j <= columns; j++) {
    let product = 0;
    for (let i = step; i < rows; i++) {
      product += entries[i * columns + step] * (j < columns ? entries[i * columns + j] : right[i]);
    }
    product *= scale;
    for (let i = step; i < rows; i++) {
      const change = product * entries[i * columns + step];
      if (j < columns) entries[i * columns + j] -= change;
      else right[i] -= change;
    }
  }
  entries[diagonal] = image;
  for (let i = step + 1; i < rows; i++) entries[i * columns + step] = 0;
}

/**
 * The x that minimises ‖A·x − b‖; if it is not unique, the one of least Euclidean norm.
 *
 * Shape: `right` holds b, one entry per row; the result has one entry per column.
 */
export function solveLeastSquares(matrix: Matrix, right: ArrayLike<number>): Float64Array {
  const { columns } = matrix;
  const { factor, transformed, order, rank } = triangularise(matrix, right);
  const entries = factor.entries;
  // If the rank is deficient, rotate the columns beyond it into the triangle (a complete orthogonal decomposition).
  const rotations: { row: number; column: number; cosine: number; sine: number }[] = [];
  for (let row = rank - 1; row >= 0; row--) {
    for (let column = rank; column < columns; column++) {
      const kept = entries[row * columns + row];
      const away = entries[row * columns + column];
      if (away === 0) continue;
      const length = hypot(kept, away);
      const rotation = { row, column, cosine: kept / length, sine: away / length };
      rotations.push(rotation);
      for (let i = 0; i <= row; i++) {
        const a = entries[i * columns + row];
        const b = entries[i * columns + column];
        entries[i * columns + row] = rotation.cosine * a + rotation.sine * b;
        entries[i * columns + column] = rotation.cosine * b - rotation.sine * a;
      }
    }
  }
  const pivoted = new Float64Array(columns);
  for (let i = rank - 1; i >= 0; i--) {
    let sum = transformed[i];
    for (let j = i + 1; j < rank; j++) sum -= entries[i * columns + j] * pivoted[j];
    pivoted[i] = sum / entries[i * columns + i];
  }
  for (const { row, column, cosine, sine } of rotations.reverse()) {
    const a = pivoted[row];
    const b = pivoted[column];
    pivoted[row] = cosine * a - sine * b;
    pivoted[column] = sine * a + cosine * b;
  }
  const solution = new Float64Array(columns);
  for (let j = 0; j < columns; j++) solution[order[j]] = pivoted[j];
  return solution;
}

/**
 * Rows B with BᵀB = Γ for a symmetric positive semidefinite Γ: the pivoted Cholesky factor.
 *
 * Returns undefined when Γ is not positive semidefinite (up to rounding).
 */
export function semidefiniteRows(gamma: Matrix): Matrix | undefined {
  const size = gamma.rows;
  const left = Float64Array.from(gamma.entries);
  const rows = createMatrix(size, size);
  const done = new Uint8Array(size);
  for (let k = 0; k < size; k++) {
    // Pivot: the largest remaining fraction of its own diagonal entry. Unlike the largest entry, it ignores the units
    // of Γ.
    let pivot = -1;
    let best = RANK_TOLERANCE * size;
    for (let i = 0; i < size; i++) {
      const share = left[i * size + i] / gamma.entries[i * size + i];
      if (done[i] === 0 && gamma.entries[i * size + i] > 0 && share > best) [pivot, best] = [i, share];
    }
    if (pivot < 0) break;
    done[pivot] = 1;
    const root = sqrt(left[pivot * size + pivot]);
    for (let j = 0; j < size; j++) rows.entries[k * size + j] = left[pivot * size + j] / root;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        left[i * size + j] -= rows.entries[k * size + i] * rows.entries[k * size + j];
      }
    }
  }
  // The remainder must be rounding; each entry is compared with √(Γ_ii·Γ_jj).
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const unit = sqrt(abs(gamma.entries[i * size + i] * gamma.entries[j * size + j]));
      if (!(abs(left[i * size + j]) <= 1e-10 * unit)) return undefined;
    }
  }
  return rows;
}
