import { checkPositive, refusal } from '../check/number.ts';
import { RefusedKind } from '../check/refusal.ts';
import { checkVector, euclideanNorm, innerProduct, projectBall } from './projection.ts';
import { symmetricEigen } from './symmetric-eigen.ts';

const { abs, max, min, sqrt } = Math;

/** The most Newton steps on the secular equation; from the left they converge monotonically, in a few steps. */
const SECULAR_STEPS = 100;

/** A minimiser of a quadratic over a ball. */
export interface BallQuadraticResult {
  /** The minimiser, in the ball. */
  readonly point: Float64Array;
  /** The least value. */
  readonly value: number;
  /** The multiplier ν ≥ 0 of the ball: (M + νI)w = −linear with M + νI positive semi-definite; 0 in the interior. */
  readonly multiplier: number;
  /** Whether the minimiser found lies on the sphere. */
  readonly boundary: boolean;
}

/** The quadratic linear·w + ½wᵀMw at a point; M is p × p, row-major. */
export function quadraticValue(linear: Float64Array, matrix: Float64Array, point: Float64Array): number {
  const dimension = point.length;
  let sum = 0;
  for (let i = 0; i < dimension; i++) {
    let row = 0;
    for (let j = 0; j < dimension; j++) row += matrix[i * dimension + j] * point[j];
    sum += point[i] * (linear[i] + row / 2);
  }
  return sum;
}

/**
 * The global minimiser of linear·w + ½wᵀMw over the ball ‖w‖ ≤ R, for a symmetric matrix M that need not be definite
 * (only its symmetric part enters).
 *
 * Law: w minimises exactly when for some ν ≥ 0, (M + νI)w = −linear, M + νI is positive semi-definite, and ν = 0 or
 * ‖w‖ = R. In the eigenbasis ν is the root of the secular equation 1/‖w(ν)‖ = 1/R, which is concave: Newton's method
 * from the left is monotone. In the hard case (no root) an eigenvector of the least eigenvalue is added up to the sphere.
 * If the quadratic is convex and flat to rounding, the minimiser of least norm is returned.
 *
 * Source: Gay (1981) and Moré and Sorensen (1983), the trust-region subproblem.
 *
 * @throws TypeError or RangeError for a wrong size, an invalid radius, or a NaN or an infinity.
 */
export function minimizeBallQuadratic(linear: Float64Array, matrix: Float64Array, radius: number): BallQuadraticResult {
  if (!(linear instanceof Float64Array)) throw new RefusedKind(refusal('linear', 'a Float64Array', linear));
  checkPositive('radius', radius);
  checkVector('linear', linear);
  const dimension = linear.length;
  const { values, vectors } = symmetricEigen(matrix, dimension);
  const least = values[0];
  const size = max(abs(least), abs(values[dimension - 1]));
  const rounding = dimension * Number.EPSILON;
  const convex = least >= -rounding * size;

  // Coordinates in the eigenbasis. Curvatures are stored as excess over the least one, so ν − ν_least keeps its
  // precision.
  const slopes = new Float64Array(dimension);
  const excess = new Float64Array(dimension);
  const steepest = euclideanNorm(linear);
  // The base of the excess: the least eigenvalue, or 0 if it is 0 to rounding.
  const base = convex && least <= rounding * size ? 0 : least;
  const interior = convex ? base : 0;
  let lower = interior;
  for (let i = 0; i < dimension; i++) {
    slopes[i] = innerProduct(linear, vectors.subarray(i * dimension, (i + 1) * dimension));
    const flat = convex && values[i] <= rounding * size;
    // A slope counts as 0 if it is far below rounding; in flat directions, if it is at rounding.
    if (abs(slopes[i]) <= (flat ? rounding : rounding ** 2) * steepest) slopes[i] = 0;
    excess[i] = flat ? 0 : values[i] - base;
  }
  for (let i = 0; i < dimension; i++) lower = max(lower, abs(slopes[i]) / radius - excess[i]);

  const shift = secularRoot(slopes, excess, lower, radius);
  const coordinates = solveShifted(slopes, excess, shift);
  const norm = euclideanNorm(coordinates);
  const inside = shift === interior && norm < radius;
  if (inside && !convex) {
    // The hard case: the slope along the least eigenvector is 0, and both signs are equally good.
    coordinates[0] = sqrt(max(0, (radius - norm) * (radius + norm)));
  }
  const point = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j < dimension; j++) point[j] += coordinates[i] * vectors[i * dimension + j];
  }
  projectBall(point, radius);
  const multiplier = max(0, shift - base);
  return { point, value: quadraticValue(linear, matrix, point), multiplier, boundary: !(inside && convex) };
}

/** The coordinates −c_i/(Δ_i + μ), 0 where the slope is 0. */
function solveShifted(slopes: Float64Array, excess: Float64Array, shift: number): Float64Array {
  return slopes.map((slope, i) => (slope === 0 ? 0 : -slope / (excess[i] + shift)));
}

/** The least μ ≥ `lower` with ‖w(μ)‖ ≤ R, from a lower bound on the root of the secular equation. */
function secularRoot(slopes: Float64Array, excess: Float64Array, lower: number, radius: number): number {
  let shift = lower;
  for (let step = 0; step < SECULAR_STEPS; step++) {
    const coordinates = solveShifted(slopes, excess, shift);
    const norm = euclideanNorm(coordinates);
    if (!(norm > radius)) break;
    // Newton on 1/R − 1/‖w(μ)‖; ratios of coordinates to their norm keep the squares in range.
    let fall = 0;
    for (let i = 0; i < slopes.length; i++) {
      if (slopes[i] !== 0) fall += (coordinates[i] / norm) ** 2 / (excess[i] + shift);
    }
    const next = shift + (norm / radius - 1) / fall;
    if (!(next > shift)) break;
    shift = min(next, Number.MAX_VALUE);
  }
  return shift;
}
