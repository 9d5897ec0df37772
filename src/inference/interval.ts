import { checkInteger, checkNonNegative, checkPositive, checkVector, RefusedValue } from '../check/refusal.ts';
import { clipEigenvalues, type SymmetricEigen, symmetricEigen } from '../optimize/ball.ts';
import { chiSquareCriticalValue, normalCriticalValue, randomScalingCriticalValue } from './critical-value.ts';
import { averageIterate, type RandomScaling, randomScalingMatrix } from './iterate-average.ts';

const { abs, max, sqrt } = Math;

/** The parts of a sandwich covariance of p parameters. */
export interface SandwichRequest {
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
  /** Numbers of eigenvalues of Ã and of S̃ that were raised. If the first is not 0, intervals depend on κ₁, not only on data. */
  readonly raisedHessian: number;
  readonly raisedGradient: number;
}

/**
 * The plug-in covariance Ã⁻¹S̃Ã⁻¹ after truncation of the eigenvalues from below.
 *
 * Source: Xie, Shi, Jiang, Kong and He, Online differentially private inference in SGD, Section 4.1, equation (2.4).
 * @throws TypeError or RangeError for matrices of wrong size or not finite, κ₁ not > 0, or κ₂ < 0, or a covariance that is no
 * double.
 * @theorem slides M-estimators: properties, asymptotic normality
 * @theorem online-inference (2.4)
 * @theorem online-inference Corollary 2
 */
export function sandwich(request: SandwichRequest): Sandwich {
  const dimension = checkInteger('dimension', request.dimension, 1);
  const hessianFloor = checkPositive('hessianFloor', request.hessianFloor);
  const gradientFloor = checkNonNegative('gradientFloor', request.gradientFloor ?? 0);
  const hessian = symmetricEigen(request.hessian, dimension);
  const inverse = spectralMatrix(hessian, (value) => 1 / max(hessianFloor, value));
  const middle = clipEigenvalues(request.gradient, dimension, gradientFloor);
  const covariance = product(product(inverse, middle, dimension), inverse, dimension);
  mirror(covariance, dimension);
  checkVector('covariance', covariance);
  return {
    covariance,
    raisedHessian: below(hessian, hessianFloor),
    raisedGradient: below(symmetricEigen(request.gradient, dimension), gradientFloor),
  };
}

/** Σ f(λ_i)·v_i·v_iᵀ, exactly symmetric. */
export function spectralMatrix({ values, vectors }: SymmetricEigen, of: (value: number) => number): Float64Array {
  const dimension = values.length;
  const matrix = new Float64Array(dimension * dimension);
  for (let k = 0; k < dimension; k++) {
    const weight = of(values[k]);
    const vector = vectors.subarray(k * dimension, (k + 1) * dimension);
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < dimension; j++) matrix[i * dimension + j] += weight * (vector[i] * vector[j]);
    }
  }
  return matrix;
}

/** The product of two p × p matrices, row-major. */
export function product(a: Float64Array, b: Float64Array, dimension: number): Float64Array {
  const result = new Float64Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) {
    for (let k = 0; k < dimension; k++) {
      const factor = a[i * dimension + k];
      for (let j = 0; j < dimension; j++) result[i * dimension + j] += factor * b[k * dimension + j];
    }
  }
  return result;
}

/** Copies the lower triangle of a p × p matrix to the upper one, so that it is exactly symmetric. */
export function mirror(matrix: Float64Array, dimension: number): void {
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j < i; j++) matrix[j * dimension + i] = matrix[i * dimension + j];
  }
}

const below = ({ values }: SymmetricEigen, floor: number): number => values.filter((value) => value < floor).length;

/** A direction is singular if its variance is below this share of what uncorrelated coordinates would give. */
const SINGULAR = 1e-12;

/** The requested linear combinations of the parameter. */
export interface ContrastRequest {
  /** The rows of R, each of length p; without them, each coordinate is one contrast. */
  readonly contrasts?: readonly ArrayLike<number>[] | undefined;
}

/** Rθ̄ and RMRᵀ, q × q row-major, for q contrasts R of a mean θ̄ and a symmetric M: every variance on the diagonal is positive. */
function contrastMoments(mean: Float64Array, matrix: Float64Array, { contrasts }: ContrastRequest) {
  const dimension = mean.length;
  checkVector('mean', mean);
  checkVector('matrix', matrix, dimension * dimension);
  const count = contrasts?.length ?? dimension;
  if (count === 0) throw new RefusedValue('contrasts', 'at least one row', 'none');
  // Without contrasts R is the identity.
  let centre = Float64Array.from(mean);
  let scatter = Float64Array.from(matrix);
  let scales = centre.map((_, i) => sqrt(abs(matrix[i * dimension + i])));
  if (contrasts !== undefined) {
    contrasts.forEach((row, i) => {
      checkVector(`contrasts[${i}]`, row, dimension);
    });
    const along = (of: ArrayLike<number>, k: number, row: ArrayLike<number>): number => {
      let sum = 0;
      for (let l = 0; l < dimension; l++) sum += of[k + l] * row[l];
      return sum;
    };
    centre = Float64Array.from(contrasts, (row) => along(mean, 0, row));
    scales = Float64Array.from(contrasts, (row) => along(scales, 0, Float64Array.from(row, abs)));
    // MRᵀ first: with all pairs of rows at once p contrasts would take p⁴ steps.
    const images = contrasts.map((row) => Float64Array.from(mean, (_, k) => along(matrix, k * dimension, row)));
    scatter = new Float64Array(count * count);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j <= i; j++) scatter[i * count + j] = along(images[j], 0, contrasts[i]);
    }
  }
  mirror(scatter, count);
  for (let i = 0; i < count; i++) {
    const variance = scatter[i * count + i];
    // Also false for a variance of 0 or below.
    if (!(variance > SINGULAR * scales[i] * scales[i])) {
      throw new RefusedValue(`variance of contrast ${i}`, 'a positive number, not a singular matrix', variance);
    }
  }
  return { count, centre, scatter };
}

/** A closed confidence interval. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
}

/** The request for intervals. */
export interface IntervalRequest extends ContrastRequest {
  /** The probability, strictly between 0 and 1, with which each interval contains its value. */
  readonly level: number;
}

/**
 * Random scaling intervals θ̄ ± c·√(V/n), one for every coordinate, or for every contrast Rθ when contrasts are given.
 * Each contains its own value with the requested probability.
 *
 * Source: Xie, Shi, Jiang, Kong and He, Online differentially private inference in SGD, Corollary 4.
 * @theorem online-inference Corollary 4
 * @theorem online-inference Figure 2
 * @theorem online-inference Table 1
 * @theorem online-inference Figure 3
 */
export function randomScalingIntervals(state: RandomScaling, request: IntervalRequest): readonly ConfidenceInterval[] {
  const factor = randomScalingCriticalValue(request.level);
  const { steps } = state;
  if (steps < 2) throw new RefusedValue('steps', 'at least 2', steps);
  return around(averageIterate(state), randomScalingMatrix(state), steps, factor, request);
}

/**
 * Intervals θ̄ ± z·√(Σ/n) with an estimate Σ of the covariance of √n(θ̄ − θ₀): by plug-in or batch means.
 *
 * Shape: `covariance` is p × p row-major and symmetric, `mean` of length p.
 * @throws RangeError for a level outside (0, 1), no steps, sizes that do not agree, or a Σ without a positive variance in
 * the direction of a contrast.
 * @theorem online-inference Corollary 2
 * @theorem online-inference Figure 2
 * @theorem online-inference Table 1
 *
 * @example
 * ```ts
 * import { normalIntervals } from 'ldpkit/inference';
 * const [found] = normalIntervals(Float64Array.of(2), Float64Array.of(4), 100, { level: 0.95 });
 * console.log(found); // { low: 1.6080072030919892, high: 2.391992796908011 }
 * ```
 */
export function normalIntervals(
  mean: Float64Array,
  covariance: Float64Array,
  steps: number,
  request: IntervalRequest,
): readonly ConfidenceInterval[] {
  const factor = normalCriticalValue(request.level);
  checkInteger('steps', steps, 1);
  return around(mean, covariance, steps, factor, request);
}

function around(
  mean: Float64Array,
  matrix: Float64Array,
  steps: number,
  factor: number,
  request: ContrastRequest,
): readonly ConfidenceInterval[] {
  const { centre, scatter, count } = contrastMoments(mean, matrix, request);
  return Array.from(centre, (middle, i) => {
    const half = factor * sqrt(scatter[i * count + i] / steps);
    return { low: middle - half, high: middle + half };
  });
}

/** The ellipsoid counts as flat if the least eigenvalue of the correlations of the contrasts is below this. */
const FLAT = 1e-12;

/**
 * A joint confidence set for q contrasts: the x = centre + Σ tᵢ·axisᵢ with ‖t‖₂ ≤ 1.
 *
 * Shape: row i of `axes` (entries i·q to i·q + q − 1) is a half-axis, shortest first.
 */
export interface Ellipsoid {
  readonly centre: Float64Array;
  readonly axes: Float64Array;
}

/**
 * The joint ellipsoid n(Rθ̄ − x)ᵀ(RΣRᵀ)⁻¹(Rθ̄ − x) ≤ χ²_q quantile, with an estimate Σ of the covariance of √n(θ̄ − θ₀).
 */
export function normalEllipsoid(
  mean: Float64Array,
  covariance: Float64Array,
  steps: number,
  request: IntervalRequest,
): Ellipsoid {
  const critical = chiSquareCriticalValue(request.level, request.contrasts?.length ?? mean.length);
  const squaredScale = critical / checkInteger('steps', steps, 1);
  const { count, centre, scatter } = contrastMoments(mean, covariance, request);
  checkNotFlat(scatter, count);
  const { values, vectors } = symmetricEigen(scatter, count);
  const axes = vectors.map((entry, i) => sqrt(squaredScale * values[Math.floor(i / count)]) * entry);
  return { centre, axes };
}

/**
 * Distance of a point from the centre, in units in which the boundary is at 1: the point lies in the ellipsoid when it is ≤ 1.
 * @throws RangeError for a point, a centre or axes of wrong length or with an entry that is not finite, or an axis of length 0.
 */
export function ellipsoidDistance({ centre, axes }: Ellipsoid, point: ArrayLike<number>): number {
  const count = centre.length;
  checkVector('centre', centre);
  checkVector('axes', axes, count * count);
  checkVector('point', point, count);
  let square = 0;
  for (let i = 0; i < count; i++) {
    let along = 0;
    let length = 0;
    for (let j = 0; j < count; j++) {
      const entry = axes[i * count + j];
      along += entry * (point[j] - centre[j]);
      length += entry * entry;
    }
    if (!(length > 0)) throw new RefusedValue(`axes[${i}]`, 'an axis whose squared length is > 0', length);
    // Axes are orthogonal: the coordinate along one is the inner product over its squared length.
    square += (along / length) ** 2;
  }
  return sqrt(square);
}

// Correlations, so that contrasts may have different units.
function checkNotFlat(scatter: Float64Array, count: number): void {
  const correlation = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      correlation[i * count + j] = scatter[i * count + j] / sqrt(scatter[i * count + i] * scatter[j * count + j]);
    }
  }
  const least = symmetricEigen(correlation, count).values[0];
  const covariance = symmetricEigen(scatter, count).values[0];
  if (!(least > FLAT && covariance > 0)) {
    throw new RefusedValue('least eigenvalue of the contrasts', `a number > ${FLAT}`, max(0, least));
  }
}
