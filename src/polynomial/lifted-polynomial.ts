import { checkFinite, checkInteger, checkNonNegative, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import type { Lift } from './lift.ts';

const { SQRT1_2, SQRT2 } = Math;

/** The quadratic function w ↦ ⟨linear, w⟩ + wᵀ·matrix·w. */
export interface QuadraticForm {
  /** p entries. */
  readonly linear: Float64Array;
  /** Symmetric p × p matrix, row after row. */
  readonly matrix: Float64Array;
}

/**
 * A polynomial of several variables given by its lifted coefficients. It keeps a scratch array: one evaluation at a
 * time.
 */
export interface LiftedPolynomial {
  /** p, the number of variables. */
  readonly dimension: number;
  /** The value at w. */
  value(w: ArrayLike<number>): number;
  /** Writes the gradient at w into `target` (p entries) and returns the value at w. */
  gradient(w: ArrayLike<number>, target: Float64Array): number;
  /** The same function as a quadratic form, when the lift has degree 2. */
  readonly quadratic?: QuadraticForm;
}

/**
 * The function w ↦ Σ_j q_j·⟨sym^j(w), T_j⟩ and its exact gradient.
 *
 * If T_j is the mean of sym^j(v), the function is the mean of Q(⟨w, v⟩), Q = Σ q_j t^j. For a polynomial P that
 * replaces f′, take `q_j = c_{j−1}/j` (`polynomialIntegral` without its constant); the gradient is then
 * `Σ_k c_k·T_{k+1}(w, …, w, ·)`.
 *
 * Shape: `coefficients` holds q_1 … q_J; `moments` holds T_1, …, T_J one after the other (`lift.size` entries, copied).
 *
 * @throws RangeError for a wrong length or a number that is not finite.
 */
export function createLiftedPolynomial(
  lift: Lift,
  coefficients: ArrayLike<number>,
  moments: ArrayLike<number>,
): LiftedPolynomial {
  const { dimension, degree, size, offsets, parent, factor, weight } = lift;
  if (coefficients.length !== degree) {
    throw new RefusedValue(refusal('coefficients', `${degree} numbers`, coefficients.length));
  }
  if (moments.length !== size) throw new RefusedValue(refusal('moments', `${size} numbers`, moments.length));
  // Coefficient of every raw monomial: q_j × weight × moment.
  const monomials = new Float64Array(size);
  for (let j = 1; j <= degree; j++) {
    const q = checkFinite(`coefficients[${j - 1}]`, coefficients[j - 1]);
    for (let entry = offsets[j - 1]; entry < offsets[j]; entry++) {
      monomials[entry] = q * weight[entry] * checkFinite(`moments[${entry}]`, moments[entry]);
    }
  }
  if (degree === 2) {
    return evaluateQuadratic({ linear: monomials.slice(0, dimension), matrix: symmetric(dimension, monomials) });
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

  // Reverse accumulation: children come after their parents, so one backward pass moves every derivative to the
  // parents.
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

/** The symmetric matrix of the quadratic part with the given raw-monomial coefficients (x_i·x_j once for i < j). */
function symmetric(dimension: number, monomials: Float64Array): Float64Array {
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, entry = dimension; i < dimension; i++) {
    matrix[i * dimension + i] = monomials[entry++];
    for (let j = i + 1; j < dimension; j++, entry++) {
      matrix[i * dimension + j] = matrix[j * dimension + i] = monomials[entry] / 2;
    }
  }
  return matrix;
}

function evaluateQuadratic(quadratic: QuadraticForm): LiftedPolynomial {
  const { linear, matrix } = quadratic;
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

  return { dimension, value, gradient, quadratic };
}

/**
 * The symmetric p × p matrix (row after row) of block 2 of lifted moments: for T_2 = E[sym²(v)] it is E[v·vᵀ].
 *
 * @throws RangeError for a lift without a second power.
 */
export function momentMatrix(lift: Lift, moments: ArrayLike<number>): Float64Array {
  const { dimension } = lift;
  checkInteger('lift.degree', lift.degree, 2);
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, entry = dimension; i < dimension; i++) {
    matrix[i * dimension + i] = moments[entry++];
    for (let j = i + 1; j < dimension; j++, entry++) {
      matrix[i * dimension + j] = matrix[j * dimension + i] = moments[entry] * SQRT1_2;
    }
  }
  return matrix;
}

/**
 * Writes a symmetric p × p matrix into block 2 of lifted moments: the inverse of {@link momentMatrix}. If the matrix is
 * not symmetric, its symmetric part is used; a quadratic form depends only on that part.
 *
 * @throws RangeError for a lift without a second power.
 */
export function setMomentMatrix(lift: Lift, matrix: ArrayLike<number>, moments: Float64Array): void {
  const { dimension } = lift;
  checkInteger('lift.degree', lift.degree, 2);
  for (let i = 0, entry = dimension; i < dimension; i++) {
    moments[entry++] = matrix[i * dimension + i];
    for (let j = i + 1; j < dimension; j++, entry++) {
      moments[entry] = (matrix[i * dimension + j] + matrix[j * dimension + i]) / SQRT2;
    }
  }
}

/**
 * Squared Frobenius norm of the map T ↦ T(w, …, w, ·) (k copies of w) from block k + 1 to R^p:
 * `Σ_i ‖Sym(w^k ⊗ e_i)‖² = ‖w‖^{2k}·(p + k)/(k + 1)`.
 *
 * Noise of variance τ² in every coordinate of `T_{k+1}` adds c_k²·τ² times this to E‖gradient error‖².
 */
export function liftedNoiseNorm(dimension: number, k: number, norm: number = 1): number {
  checkInteger('dimension', dimension, 1);
  checkInteger('k', k, 0);
  checkNonNegative('norm', norm);
  return (norm ** (2 * k) * (dimension + k)) / (k + 1);
}
