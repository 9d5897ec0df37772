import { RefusedValue } from '../check/refusal.ts';

const { abs, hypot, max, sqrt } = Math;

/** A pivot below this, relative to the remaining rows and per column, is rounding; it costs only residual. */
const RANK_TOLERANCE = 64 * 2 ** -52;

/** A dense matrix, row after row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly entries: Float64Array;
}

export function createMatrix(rows: number, columns: number): Matrix {
  return { rows, columns, entries: new Float64Array(rows * columns) };
}

/**
 * The triangularisation A·Π = Q·R of [A | b] with a column order Π: R is in the first `rank` rows of `factor`, and Qᵀb is
 * `transformed`. By Householder reflections, largest rows first and with column pivoting:
 * stable row by row, so that penalty rows 10¹⁵ times larger than the data rows do not destroy the accuracy of these.
 * Source: Cox and Higham 1998, "Stability of Householder QR factorization for weighted least squares problems".
 */
function triangularise(matrix: Matrix, right: ArrayLike<number>) {
  const { rows, columns } = matrix;
  const factor = createMatrix(rows, columns);
  const transformed = new Float64Array(rows);
  const size = new Float64Array(rows);
  const sorted: number[] = [];
  // Plain loops: fits of polynomials solve many small systems, where a view of each row costs more than its numbers.
  for (let i = 0; i < rows; i++) {
    let largest = 0;
    for (let j = 0; j < columns; j++) largest = max(largest, abs(matrix.entries[i * columns + j]));
    size[i] = largest;
    sorted.push(i);
  }
  sorted.sort((a, b) => size[b] - size[a]);
  for (let i = 0; i < rows; i++) {
    const from = sorted[i];
    for (let j = 0; j < columns; j++) factor.entries[i * columns + j] = matrix.entries[from * columns + j];
    transformed[i] = right[from];
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
  for (let i = from; i < rows; i++) {
    const ratio = entries[i * columns + column] / largest;
    squared += ratio * ratio;
  }
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
  // A loop for the columns and one for the right-hand side: a choice within would cost as much as the products.
  for (let j = step + 1; j < columns; j++) {
    let product = 0;
    for (let i = step * columns; i < entries.length; i += columns) product += entries[i + step] * entries[i + j];
    product *= scale;
    for (let i = step * columns; i < entries.length; i += columns) entries[i + j] -= product * entries[i + step];
  }
  let product = 0;
  for (let i = step; i < rows; i++) product += entries[i * columns + step] * right[i];
  product *= scale;
  for (let i = step; i < rows; i++) right[i] -= product * entries[i * columns + step];
  entries[diagonal] = image;
  for (let i = step + 1; i < rows; i++) entries[i * columns + step] = 0;
}

/** The x that minimises ‖A·x − b‖, b in `right`; if it is not unique, the one of least Euclidean norm. */
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

/** Rows B with BᵀB = Γ, the pivoted Cholesky factor; undefined where Γ is not positive semidefinite up to rounding. */
export function semidefiniteRows(gamma: Matrix): Matrix | undefined {
  const size = gamma.rows;
  const left = Float64Array.from(gamma.entries);
  const rows = createMatrix(size, size);
  const done = new Uint8Array(size);
  for (let k = 0; k < size; k++) {
    // Pivot: the largest remaining fraction of its own diagonal entry, which ignores the units of Γ.
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

/**
 * The inner product ⟨a, b⟩ of two vectors of one length.
 * @throws RangeError for vectors of two lengths.
 */
export function innerProduct(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) throw new RefusedValue('b', `${a.length} numbers, as in the first vector`, b.length);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The product Mw of a p × p matrix, row after row, written into `target`. */
export function timesVector(
  matrix: Float64Array,
  w: Float64Array,
  target: Float64Array = new Float64Array(w.length),
): Float64Array {
  for (let i = 0, at = 0; i < w.length; i++) {
    let sum = 0;
    for (let j = 0; j < w.length; j++, at++) sum += matrix[at] * w[j];
    target[i] = sum;
  }
  return target;
}

/** The Euclidean norm ‖a‖, without overflow or underflow of the squares. */
export function euclideanNorm(a: Float64Array): number {
  const squared = innerProduct(a, a);
  // If the squares neither overflow nor come near the subnormals, the plain root is exact to rounding.
  if (squared > 1e-280 && squared < Infinity) return sqrt(squared);
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = max(largest, abs(a[i]));
  if (!(largest > 0 && largest < Infinity)) return largest;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] / largest) ** 2;
  return largest * sqrt(sum);
}

/** The Euclidean distance ‖a − b‖ of two vectors of one length. */
export function euclideanDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sqrt(sum);
}

/**
 * Projects `point` on the ball about the origin, in place, and returns it.
 * @theorem noninteractive Assumption 1
 */
export function projectBall(point: Float64Array, radius: number): Float64Array {
  const norm = euclideanNorm(point);
  if (!(norm < Infinity)) throw new RefusedValue('point', 'a finite norm', norm);
  if (!(norm <= radius)) for (let i = 0; i < point.length; i++) point[i] = radius * (point[i] / norm);
  return point;
}

/**
 * The Walsh–Hadamard transform of the first `length` entries, in place and without a factor: entry i becomes Σⱼ
 * (−1)^popcount(i & j)·values[j] (natural order). Twice in a row it multiplies by `length`; divided by √length it is a
 * rotation.
 *
 * Each pass does two levels, so a vector goes through memory half as often: n·log₂(n) additions, none of which depends
 * on the data.
 * @throws RangeError for a length that is not a power of two, or longer than the array.
 * @theorem slides Results for the multivariate case, random rotation
 */
export function walshHadamard(values: Float64Array, length: number = values.length): void {
  if (!(Number.isInteger(length) && length >= 1 && length <= 2 ** 30 && (length & (length - 1)) === 0)) {
    throw new RefusedValue('length', 'a power of two from 1 to 1073741824', length);
  }
  if (length > values.length) throw new RefusedValue('length', `at most ${values.length}`, length);
  let half = 1;
  // An odd number of levels starts with one single level, so pairs of levels remain.
  if ((31 - Math.clz32(length)) % 2 === 1) {
    for (let i = 0; i < length; i += 2) {
      const a = values[i];
      const b = values[i + 1];
      values[i] = a + b;
      values[i + 1] = a - b;
    }
    half = 2;
  }
  for (; half < length; half *= 4) {
    for (let start = 0; start < length; start += 4 * half) {
      const end = start + half;
      for (let i = start; i < end; i++) {
        const j = i + half;
        const k = j + half;
        const l = k + half;
        const a = values[i];
        const b = values[j];
        const c = values[k];
        const d = values[l];
        const ab = a + b;
        const cd = c + d;
        const abMinus = a - b;
        const cdMinus = c - d;
        values[i] = ab + cd;
        values[j] = abMinus + cdMinus;
        values[k] = ab - cd;
        values[l] = abMinus - cdMinus;
      }
    }
  }
}

/**
 * Adds the products of two vectors of R^p, `left` and `right` at the same places below `end`, to the lower triangle of a
 * matrix: four entries of a row at a time, none of which waits for another, each in the order of the vectors.
 */
export function addProducts(
  left: Float64Array,
  right: Float64Array,
  end: number,
  p: number,
  triangle: Float64Array,
): void {
  for (let j = 0, entry = 0; j < p; j++) {
    let k = 0;
    for (; k + 3 <= j; k += 4, entry += 4) {
      let one = triangle[entry];
      let two = triangle[entry + 1];
      let three = triangle[entry + 2];
      let four = triangle[entry + 3];
      for (let at = 0; at < end; at += p) {
        const factor = left[at + j];
        one += factor * right[at + k];
        two += factor * right[at + k + 1];
        three += factor * right[at + k + 2];
        four += factor * right[at + k + 3];
      }
      triangle[entry] = one;
      triangle[entry + 1] = two;
      triangle[entry + 2] = three;
      triangle[entry + 3] = four;
    }
    for (; k <= j; k++, entry++) {
      let sum = triangle[entry];
      for (let at = 0; at < end; at += p) sum += left[at + j] * right[at + k];
      triangle[entry] = sum;
    }
  }
}

export function normalize(masses: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < masses.length; i++) sum += masses[i];
  for (let i = 0; i < masses.length; i++) masses[i] /= sum;
  return sum;
}
