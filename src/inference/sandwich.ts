import { checkInteger, checkNonNegative, checkPositive } from '../check/number.ts';
import { clipEigenvalues, symmetricEigen } from '../optimize/ball-newton.ts';

const { max } = Math;

/** The parts of a sandwich covariance. */
export interface SandwichRequest {
  /** p. */
  readonly dimension: number;
  /** An estimate Ã of the Hessian of the risk, p × p row-major. */
  readonly hessian: Float64Array;
  /** An estimate S̃ of the second moment of the released gradient, privacy noise included; p × p row-major. */
  readonly gradient: Float64Array;
  /** κ₁ > 0: eigenvalues of the Hessian below it are raised to it. It is an assumed lower bound on the curvature. */
  readonly hessianFloor: number;
  /** κ₂ ≥ 0, the same for S̃; 0 unless given. */
  readonly gradientFloor?: number | undefined;
}

/** A sandwich covariance, and how many eigenvalues the floors raised. */
export interface Sandwich {
  /** Ã⁻¹S̃Ã⁻¹, the covariance of √n(θ̄ − θ₀): p × p row-major, exactly symmetric, positive semi-definite to rounding. */
  readonly covariance: Float64Array;
  /** Number of eigenvalues of Ã that were raised. If it is not 0, the intervals depend on κ₁, not only on data. */
  readonly raisedHessian: number;
  /** Number of eigenvalues of S̃ that were raised. */
  readonly raisedGradient: number;
}

/**
 * The plug-in covariance Ã⁻¹S̃Ã⁻¹ after truncation of the eigenvalues from below.
 *
 * Source: Xie, Shi, Jiang, Kong and He, Online differentially private inference in SGD, Section 4.1, equation (2.4).
 *
 * @throws TypeError or RangeError for matrices of wrong size or not finite, κ₁ not > 0, or κ₂ < 0.
 * @theorem slides M-estimators: properties, asymptotic normality
 * @theorem online-inference (2.4)
 * @theorem online-inference Corollary 2
 */
export function sandwich(request: SandwichRequest): Sandwich {
  const dimension = checkInteger('dimension', request.dimension, 1);
  const hessianFloor = checkPositive('hessianFloor', request.hessianFloor);
  const gradientFloor = checkNonNegative('gradientFloor', request.gradientFloor ?? 0);
  const { values, vectors } = symmetricEigen(request.hessian, dimension);
  const inverse = new Float64Array(dimension * dimension);
  for (let k = 0; k < dimension; k++) {
    const weight = 1 / max(hessianFloor, values[k]);
    const vector = vectors.subarray(k * dimension, (k + 1) * dimension);
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < dimension; j++) inverse[i * dimension + j] += weight * (vector[i] * vector[j]);
    }
  }
  const middle = clipEigenvalues(request.gradient, dimension, gradientFloor);
  return {
    covariance: congruence(inverse, middle, dimension),
    raisedHessian: below(values, hessianFloor),
    raisedGradient: below(symmetricEigen(request.gradient, dimension).values, gradientFloor),
  };
}

// BMBᵀ for symmetric B and M; the lower triangle is copied to the upper one, so that it is exactly symmetric.
function congruence(outer: Float64Array, middle: Float64Array, dimension: number): Float64Array {
  const product = new Float64Array(dimension * dimension);
  const row = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) {
    row.fill(0);
    for (let k = 0; k < dimension; k++) {
      for (let l = 0; l < dimension; l++) row[l] += outer[i * dimension + k] * middle[k * dimension + l];
    }
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let l = 0; l < dimension; l++) sum += row[l] * outer[j * dimension + l];
      product[i * dimension + j] = sum;
      product[j * dimension + i] = sum;
    }
  }
  return product;
}

function below(values: Float64Array, floor: number): number {
  let count = 0;
  for (const value of values) if (value < floor) count++;
  return count;
}
