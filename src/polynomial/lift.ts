import { checkFinite, checkInteger, checkNonNegative, RefusedValue } from '../check/refusal.ts';
import { euclideanNorm } from '../numeric/matrix.ts';

/** The most entries of a lift. A report has as many reals (800 kB at the limit), and the noise grows with them. */
export const MAXIMUM_LIFT = 100_000;

/**
 * The symmetric powers sym¹(v), …, sym^J(v) of vectors v of R^p, one after the other: the monomials of degree j of v,
 * each times √(j!/∏ m_i!), where m are its exponents. In this orthonormal basis ⟨sym^j(a), sym^j(b)⟩ = ⟨a, b⟩^j.
 *
 * Shape: block j lists the index sequences i_1 ≤ … ≤ i_j in lexicographic order. Each entry is reached from its parent,
 * the sequence without its last index: raw monomial = parent's raw monomial × v[factor].
 */
export interface Lift {
  readonly dimension: number;
  /** J ≥ 1, the highest power. */
  readonly degree: number;
  /** Number of entries of all blocks together, C(p + J, J) − 1. */
  readonly size: number;
  /** Block j (from 1) is entries offsets[j − 1] to offsets[j] − 1. */
  readonly offsets: Int32Array;
  /** Entry of the parent monomial; −1 (the constant 1) in block 1. */
  readonly parent: Int32Array;
  /** Last index of the sequence: the coordinate by which the parent is multiplied. */
  readonly factor: Int32Array;
  /** Exponent of `factor` in this monomial, at least 1. */
  readonly multiplicity: Int32Array;
  /** Entry of the parent's parent; −1 in blocks 1 and 2. */
  readonly grandparent: Int32Array;
  /** √(j!/∏ m_i!), which makes the basis orthonormal. */
  readonly weight: Float64Array;
}

/**
 * Number of entries of the lift of R^dimension up to the given power, C(p + J, J) − 1; Infinity from 2⁵³ on.
 *
 * @example
 * ```ts
 * import { liftSize } from 'ldpkit/polynomial';
 * console.log(liftSize(10, 1), liftSize(10, 2)); // 10 65
 * ```
 */
export function liftSize(dimension: number, degree: number): number {
  checkInteger('dimension', dimension, 1);
  checkInteger('degree', degree, 0);
  // Over the smaller of p and J every partial product is a binomial coefficient, and growing: the loop can stop early.
  const longer = BigInt(Math.max(dimension, degree));
  const shorter = BigInt(Math.min(dimension, degree));
  let size = 1n;
  for (let i = 1n; i <= shorter; i++) {
    size = (size * (longer + i)) / i;
    if (size > BigInt(Number.MAX_SAFE_INTEGER)) return Infinity;
  }
  return Number(size) - 1;
}

/**
 * The tables of the lift of R^dimension up to the given power, refused beyond {@link MAXIMUM_LIFT} entries.
 * Source: Wang, Smith, Xu 2020, assumption 1 (t = ⟨w, v⟩); the lifted report replaces the noisy copies of algorithm 1.
 */
export function createLift(dimension: number, degree: number): Lift {
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  checkInteger('degree', degree, 1);
  const size = liftSize(dimension, degree);
  if (size > MAXIMUM_LIFT) throw new RefusedValue('degree', `powers of at most ${MAXIMUM_LIFT} entries`, degree);
  const offsets = new Int32Array(degree + 1);
  const parent = new Int32Array(size).fill(-1);
  const factor = new Int32Array(size);
  const multiplicity = new Int32Array(size).fill(1);
  const grandparent = new Int32Array(size).fill(-1);
  const weight = new Float64Array(size).fill(1);
  for (let i = 0; i < dimension; i++) factor[i] = i;
  offsets[1] = dimension;
  let next = dimension;
  for (let j = 2; j <= degree; j++) {
    for (let up = offsets[j - 2]; up < offsets[j - 1]; up++) {
      for (let index = factor[up]; index < dimension; index++, next++) {
        parent[next] = up;
        factor[next] = index;
        multiplicity[next] = index === factor[up] ? multiplicity[up] + 1 : 1;
        grandparent[next] = parent[up];
        weight[next] = weight[up] * Math.sqrt(j / multiplicity[next]);
      }
    }
    offsets[j] = next;
  }
  return { dimension, degree, size, offsets, parent, factor, multiplicity, grandparent, weight };
}

/** First child of each entry, its product with the coordinate of its last index, which the others follow; −1 in block J. */
export function firstChildren({ dimension, size, parent }: Lift): Int32Array {
  const children = new Int32Array(size).fill(-1);
  for (let entry = size - 1; entry >= dimension; entry--) children[parent[entry]] = entry;
  return children;
}

/** The index sequence of an entry; that of −1, the constant 1, is empty. */
export function sequenceOf({ parent, factor }: Lift, entry: number): Int32Array {
  const indices: number[] = [];
  for (let at = entry; at >= 0; at = parent[at]) indices.push(factor[at]);
  return Int32Array.from(indices.reverse());
}

/** The entry with the indices `from` to `to` − 1 of an ascending sequence; `children` are those of {@link firstChildren}. */
export function entryOf(
  { factor }: Lift,
  children: Int32Array,
  indices: Int32Array,
  from: number = 0,
  to: number = indices.length,
): number {
  let entry = indices[from];
  for (let m = from + 1; m < to; m++) entry = children[entry] + indices[m] - factor[entry];
  return entry;
}

/** The weights of the scaled lift (a_1·sym¹, …, a_J·sym^J), entry by entry a_j·√(j!/∏ m_i!); `scales` holds a_1 … a_J. */
export function scaleLift(lift: Lift, scales: ArrayLike<number>): Float64Array {
  if (scales.length !== lift.degree) {
    throw new RefusedValue('scales', `${lift.degree} numbers`, scales.length);
  }
  const factors = byPower(lift, (j) => checkFinite(`scales[${j - 1}]`, scales[j - 1]));
  return lift.weight.map((weight, entry) => weight * factors[entry]);
}

/** A number for each entry of a lift: the same for all entries of power j = 1 … J. */
export function byPower({ degree, size, offsets }: Lift, numberOf: (power: number) => number): Float64Array {
  const numbers = new Float64Array(size);
  for (let j = 1; j <= degree; j++) numbers.fill(numberOf(j), offsets[j - 1], offsets[j]);
  return numbers;
}

/**
 * Writes the one power sym^j(v), not scaled, into the first entries of `target`. The lower powers, from which it is made,
 * go without their weights into `raw`, which has space for `lift.offsets[power]` entries. No allocation.
 */
export function fillPower(
  lift: Lift,
  power: number,
  vector: ArrayLike<number>,
  raw: Float64Array,
  target: Float64Array,
): void {
  const { dimension, offsets, parent, factor, weight } = lift;
  const from = offsets[power - 1];
  const to = offsets[power];
  for (let i = 0; i < dimension; i++) raw[i] = vector[i];
  for (let entry = dimension; entry < to; entry++) raw[entry] = raw[parent[entry]] * vector[factor[entry]];
  for (let entry = from; entry < to; entry++) target[entry - from] = weight[entry] * raw[entry];
}

/**
 * Writes the lift (a_1·sym¹(v), …, a_J·sym^J(v)) of `vector` into the first entries of `target`, with the weights of
 * `scaleLift`. Its inner product with the unscaled lift of w is `Σ a_j·⟨w, v⟩^j`; its squared norm is `Σ a_j²·‖v‖^{2j}`.
 * No allocation.
 */
export function fillLift(lift: Lift, weights: Float64Array, vector: ArrayLike<number>, target: Float64Array): void {
  const { dimension, degree, size } = lift;
  if (degree > 2) {
    const { parent, factor } = lift;
    for (let i = 0; i < dimension; i++) target[i] = vector[i];
    // First raw monomials, since each child multiplies its raw parent; then the weights.
    for (let entry = dimension; entry < size; entry++) target[entry] = target[parent[entry]] * vector[factor[entry]];
    for (let entry = 0; entry < size; entry++) target[entry] *= weights[entry];
    return;
  }
  for (let i = 0; i < dimension; i++) target[i] = weights[i] * vector[i];
  if (degree === 1) return;
  // Block 2 has only two weights, of squares and of mixed products. With one product per row computed in advance, an
  // entry costs one multiplication and one store.
  const square = weights[dimension];
  const mixed = dimension > 1 ? weights[dimension + 1] : 0;
  for (let i = 0, entry = dimension; i < dimension; i++) {
    const left = vector[i];
    target[entry++] = square * left * left;
    const row = mixed * left;
    for (let j = i + 1; j < dimension; j++, entry++) target[entry] = row * vector[j];
  }
}

/** A polynomial of several variables by its lifted coefficients. It keeps scratch: one evaluation at a time. */
export interface LiftedPolynomial {
  readonly dimension: number;
  /** The value at w. */
  value(w: ArrayLike<number>): number;
  /** Writes the gradient at w into `target` (p entries) and returns the value at w. */
  gradient(w: ArrayLike<number>, target: Float64Array): number;
}

/**
 * The function w ↦ Σ_j q_j·⟨sym^j(w), T_j⟩ and its exact gradient.
 *
 * If T_j is the mean of sym^j(v), the function is the mean of Q(⟨w, v⟩), Q = Σ q_j t^j. For a polynomial P that
 * replaces f′, take `q_j = c_{j−1}/j`, those of ∫P without the constant; the gradient is then
 * `Σ_k c_k·T_{k+1}(w, …, w, ·)`.
 *
 * Shape: `coefficients` holds q_1 … q_J; `moments` holds T_1, …, T_J one after the other (`lift.size` entries, copied).
 * @throws RangeError for a wrong length or a number that is not finite.
 */
export function createLiftedPolynomial(
  lift: Lift,
  coefficients: ArrayLike<number>,
  moments: ArrayLike<number>,
): LiftedPolynomial {
  const { dimension, degree, size, offsets, parent, factor, weight } = lift;
  if (coefficients.length !== degree) {
    throw new RefusedValue('coefficients', `${degree} numbers`, coefficients.length);
  }
  if (moments.length !== size) throw new RefusedValue('moments', `${size} numbers`, moments.length);
  // Coefficient of every raw monomial: q_j × weight × moment.
  const monomials = new Float64Array(size);
  for (let j = 1; j <= degree; j++) {
    const q = checkFinite(`coefficients[${j - 1}]`, coefficients[j - 1]);
    for (let entry = offsets[j - 1]; entry < offsets[j]; entry++) {
      monomials[entry] = q * weight[entry] * checkFinite(`moments[${entry}]`, moments[entry]);
    }
  }
  if (degree === 2) {
    return evaluateQuadratic(monomials.slice(0, dimension), symmetricBlock(dimension, monomials, 0.5));
  }
  const raw = new Float64Array(size);
  const adjoint = new Float64Array(size);

  function value(w: ArrayLike<number>): number {
    let sum = 0;
    for (let i = 0; i < dimension; i++) sum += monomials[i] * (raw[i] = w[i]);
    for (let entry = dimension; entry < size; entry++) {
      sum += monomials[entry] * (raw[entry] = raw[parent[entry]] * w[factor[entry]]);
    }
    return sum;
  }

  // Reverse accumulation: children come after their parents, so one backward pass moves every derivative up.
  function gradient(w: ArrayLike<number>, target: Float64Array): number {
    const sum = value(w);
    adjoint.set(monomials);
    target.fill(0);
    for (let entry = size - 1; entry >= dimension; entry--) {
      const derivative = adjoint[entry];
      const up = parent[entry];
      adjoint[up] += derivative * w[factor[entry]];
      target[factor[entry]] += derivative * raw[up];
    }
    for (let i = 0; i < dimension; i++) target[i] += adjoint[i];
    return sum;
  }

  return { dimension, value, gradient };
}

/** Block 2 as a symmetric matrix: the entry of i < j stands times `mixed` at both of its places. */
function symmetricBlock(dimension: number, values: ArrayLike<number>, mixed: number): Float64Array {
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, entry = dimension; i < dimension; i++) {
    matrix[i * dimension + i] = values[entry++];
    for (let j = i + 1; j < dimension; j++, entry++) {
      matrix[i * dimension + j] = matrix[j * dimension + i] = values[entry] * mixed;
    }
  }
  return matrix;
}

/** The function w ↦ ⟨linear, w⟩ + wᵀ·matrix·w. */
function evaluateQuadratic(linear: Float64Array, matrix: Float64Array): LiftedPolynomial {
  const dimension = linear.length;

  function value(w: ArrayLike<number>): number {
    let sum = 0;
    for (let i = 0, entry = 0; i < dimension; i++) {
      let row = linear[i];
      for (let j = 0; j < dimension; j++, entry++) row += matrix[entry] * w[j];
      sum += row * w[i];
    }
    return sum;
  }

  function gradient(w: ArrayLike<number>, target: Float64Array): number {
    let sum = 0;
    for (let i = 0, entry = 0; i < dimension; i++) {
      let row = 0;
      for (let j = 0; j < dimension; j++, entry++) row += matrix[entry] * w[j];
      target[i] = linear[i] + 2 * row;
      sum += (linear[i] + row) * w[i];
    }
    return sum;
  }

  return { dimension, value, gradient };
}

/** The symmetric p × p matrix (row after row) of block 2 of lifted moments: for T_2 = E[sym²(v)] it is E[v·vᵀ]. */
export function momentMatrix(lift: Lift, moments: ArrayLike<number>): Float64Array {
  checkInteger('lift.degree', lift.degree, 2);
  return symmetricBlock(lift.dimension, moments, Math.SQRT1_2);
}

/** Writes the symmetric part of a p × p matrix into block 2 of lifted moments: the inverse of {@link momentMatrix}. */
export function setMomentMatrix(lift: Lift, matrix: ArrayLike<number>, moments: Float64Array): void {
  const { dimension } = lift;
  checkInteger('lift.degree', lift.degree, 2);
  for (let i = 0, entry = dimension; i < dimension; i++) {
    moments[entry++] = matrix[i * dimension + i];
    for (let j = i + 1; j < dimension; j++, entry++) {
      moments[entry] = (matrix[i * dimension + j] + matrix[j * dimension + i]) / Math.SQRT2;
    }
  }
}

/**
 * Squared Frobenius norm of the map T ↦ T(w, …, w, ·) (k copies of w) from block k + 1 to R^p: `Σ_i ‖Sym(w^k ⊗ e_i)‖² =
 * ‖w‖^{2k}·(p + k)/(k + 1)`. Noise of variance τ² in every coordinate of `T_{k+1}` adds c_k²·τ² times this to E‖gradient
 * error‖².
 */
export function liftedNoiseNorm(dimension: number, k: number, norm: number = 1): number {
  checkInteger('dimension', dimension, 1);
  checkInteger('k', k, 0);
  checkNonNegative('norm', norm);
  return (norm ** (2 * k) * (dimension + k)) / (k + 1);
}

/** Deviation of Σ c_k/(k + 1)·⟨sym^{k+1}(w), Z_{k+1}⟩ for noise Z_j of variance `noise[j − 1]` in every direction. */
export function isotropicDeviation({
  moments: { noise },
  coefficients,
  w,
}: {
  readonly moments: { readonly noise: Float64Array };
  readonly coefficients: ArrayLike<number>;
  readonly w: ArrayLike<number>;
}): number {
  const norm = euclideanNorm(Float64Array.from(w));
  let sum = 0;
  for (let j = 1; j <= coefficients.length; j++) sum += noise[j - 1] * ((coefficients[j - 1] / j) * norm ** j) ** 2;
  return Math.sqrt(sum);
}
