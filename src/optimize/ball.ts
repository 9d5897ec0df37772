import { Matrix as DenseMatrix, EigenvalueDecomposition } from 'ml-matrix';
import {
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkVector,
  RefusedKind,
  RefusedValue,
} from '../check/refusal.ts';
import { euclideanDistance, euclideanNorm, innerProduct, projectBall, timesVector } from '../numeric/matrix.ts';
import type { SmoothFunction } from './oracle.ts';

const { abs, max, min, sqrt } = Math;

/** How far outside the ball a start may lie because of rounding, as a fraction of the radius. */
const START_TOLERANCE = 1e-12;

/** A copy of the start of a method on the ball, the origin if none is given. */
export function ballStart(dimension: number, radius: number, start?: Float64Array): Float64Array {
  checkInteger('dimension', dimension, 1);
  checkPositive('radius', radius);
  if (start === undefined) return new Float64Array(dimension);
  if (!(start instanceof Float64Array)) throw new RefusedKind('start', 'a Float64Array', start);
  if (start.length !== dimension) throw new RefusedValue('start', `${dimension} numbers`, start.length);
  const norm = euclideanNorm(start);
  if (!(norm <= radius * (1 + START_TOLERANCE))) {
    throw new RefusedValue('start', `a norm of at most the radius ${radius}`, norm);
  }
  return start.slice();
}

/** An accelerated step is taken only if it lowers the value by this part of the guaranteed decrease of a plain one. */
const DECREASE = 1e-3;
/** The curvature estimate falls by this factor in each step, so that one steep place does not slow all later steps. */
const RELAX = 0.9;
/** Values closer than this relative amount count as equal: a mean over many records is not more exact. */
const RESOLUTION = 64 * Number.EPSILON;
/** The run ends after this many consecutive steps with neither a visible decrease nor a smaller gradient map. */
const STALLS = 500;

export interface ProjectedGradientOptions {
  /** The function to minimise; it may be non-convex. It is only evaluated at points of the ball. */
  readonly objective: SmoothFunction;
  readonly radius: number;
  readonly start?: Float64Array;
  /** Stop when the gradient map is at most this; 1e-8 if left out. Units: those of a gradient. */
  readonly tolerance?: number;
  /** The most steps; 1000 if left out. */
  readonly iterations?: number;
  /** A first guess of the smoothness L > 0; by default the step it implies spans the ball. */
  readonly smoothness?: number;
}

export interface ProjectedGradientResult {
  /** The last point, in the ball; its value is the least seen, to rounding. */
  readonly point: Float64Array;
  /** The value at `point`; to rounding it is never above the value at the start. */
  readonly value: number;
  readonly iterations: number;
  /** ‖L(w − Π(w − ∇f(w)/L))‖ at the point, with the last curvature estimate L. */
  readonly gradientMapNorm: number;
  /** Whether the gradient map reached the tolerance: a stationary point, for a convex function a minimiser. */
  readonly converged: boolean;
}

/**
 * Minimises a smooth function over a ball by accelerated projected gradient steps with backtracking and restart.
 * Law: monotone. A step with momentum is kept only if it lowers the value enough; otherwise the momentum is dropped and a
 * plain projected step with backtracking is taken, which lowers it by at least ‖map‖²/2L. So every limit point is
 * stationary, convex or not; on a convex function the gap falls as LD²/k² between restarts, linearly with curvature.
 * Source: Beck and Teboulle (2009), monotone variant; O'Donoghue and Candès (2015), restart; Li and Lin (2015), the
 * safeguard for non-convex functions.
 */
export function projectedGradient(options: ProjectedGradientOptions): ProjectedGradientResult {
  const { objective, radius } = options;
  const { dimension } = objective;
  const tolerance = checkNonNegative('tolerance', options.tolerance ?? 1e-8);
  const limit = checkInteger('iterations', options.iterations ?? 1000, 0);
  const guess = options.smoothness === undefined ? undefined : checkPositive('smoothness', options.smoothness);
  let point: Float64Array = ballStart(dimension, radius, options.start);
  let previous: Float64Array = point.slice();
  let trial: Float64Array = new Float64Array(dimension);
  const query = new Float64Array(dimension);
  const gradient = new Float64Array(dimension);

  const valueAt = (where: Float64Array): number => {
    const value = objective.value(where);
    if (!Number.isFinite(value)) throw new RefusedValue('value', 'a finite number', value);
    return value;
  };
  const gradientAt = (where: Float64Array): void => {
    objective.gradient(where, gradient);
    checkVector('gradient', gradient);
  };
  /** trial = Π(from − gradient/L), and its distance from `from`. */
  const move = (from: Float64Array, curvature: number): number => {
    for (let i = 0; i < dimension; i++) trial[i] = from[i] - gradient[i] / curvature;
    projectBall(trial, radius);
    return euclideanDistance(trial, from);
  };

  let value = valueAt(point);
  gradientAt(point);
  let curvature = guess ?? max(euclideanNorm(gradient) / radius, Number.MIN_VALUE / Number.EPSILON);
  let gradientMapNorm = curvature * move(point, curvature);
  let momentum = 1;
  let steepest = 0;
  let stalls = 0;
  let smallest = Infinity;
  let taken = 0;
  let fresh = true;

  while (taken < limit && gradientMapNorm > tolerance && stalls < STALLS) {
    taken++;
    // The gradient is evaluated ahead of the point, except after a restart.
    const ahead = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
    const drift = fresh ? 0 : (momentum - 1) / ahead;
    for (let i = 0; i < dimension; i++) query[i] = point[i] + drift * (point[i] - previous[i]);
    projectBall(query, radius);
    if (!fresh) gradientAt(query);
    const base = fresh ? value : valueAt(query);
    const trusted = curvature;
    curvature *= RELAX;

    let distance = 0;
    let trialValue = 0;
    let visible = false;
    for (;;) {
      distance = move(query, curvature);
      trialValue = valueAt(trial);
      let linear = 0;
      for (let i = 0; i < dimension; i++) linear += gradient[i] * (trial[i] - query[i]);
      const resolution = RESOLUTION * (abs(base) + abs(trialValue));
      visible = curvature * distance * distance > 10 * resolution;
      if (trialValue <= base + linear + (curvature * distance * distance) / 2 + resolution || distance === 0) break;
      curvature *= 2;
    }
    // A step too short to change the values proves nothing about the curvature: use the steepest proved one.
    if (!visible) curvature = max(trusted, steepest);
    else if (curvature > trusted) steepest = max(steepest, curvature);
    gradientMapNorm = curvature * distance;

    const needed = visible ? DECREASE * curvature * distance * distance : -RESOLUTION * abs(value);
    if (!fresh && !(trialValue <= value - needed)) {
      fresh = true;
      momentum = 1;
      gradientAt(point);
      gradientMapNorm = Infinity;
      continue;
    }
    stalls = visible || gradientMapNorm < RELAX * smallest ? 0 : stalls + 1;
    if (!visible) smallest = gradientMapNorm < RELAX * smallest ? gradientMapNorm : smallest;
    // The momentum now points uphill, so the next step restarts it.
    let turn = 0;
    for (let i = 0; i < dimension; i++) turn += (query[i] - trial[i]) * (trial[i] - point[i]);
    momentum = turn > 0 ? 1 : ahead;
    [previous, point, trial] = [point, trial, previous];
    value = trialValue;
    fresh = false;
    if (momentum === 1 || gradientMapNorm <= tolerance) {
      // A small map at the query point need not be small at the point itself: measure there before stopping.
      gradientAt(point);
      fresh = true;
      gradientMapNorm = curvature * move(point, curvature);
    }
  }
  if (!fresh || gradientMapNorm === Infinity) {
    gradientAt(point);
    gradientMapNorm = curvature * move(point, curvature);
  }
  return { point, value, iterations: taken, gradientMapNorm, converged: gradientMapNorm <= tolerance };
}

/** Eigenvalues of a symmetric matrix, ascending, with orthonormal eigenvectors. */
export interface SymmetricEigen {
  /** The eigenvalues, ascending. */
  readonly values: Float64Array;
  /** Row i (entries i·p to i·p + p − 1) is the eigenvector of eigenvalue i. */
  readonly vectors: Float64Array;
}

/** The eigenvector of eigenvalue i. */
export function eigenvector({ values, vectors }: SymmetricEigen, i: number): Float64Array {
  return vectors.subarray(i * values.length, (i + 1) * values.length);
}

/** The symmetric part (M + Mᵀ)/2 of a p × p row-major matrix; a quadratic form wᵀMw depends only on this part. */
export function symmetricPart(matrix: Float64Array, dimension: number): Float64Array {
  checkInteger('dimension', dimension, 1);
  if (!(matrix instanceof Float64Array)) throw new RefusedKind('matrix', 'a Float64Array', matrix);
  if (matrix.length !== dimension * dimension) {
    throw new RefusedValue('matrix', `${dimension} × ${dimension} entries`, matrix.length);
  }
  const symmetric = new Float64Array(matrix.length);
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j < dimension; j++) {
      // Halved before adding, so that the sum of two large entries does not overflow.
      symmetric[i * dimension + j] = matrix[i * dimension + j] / 2 + matrix[j * dimension + i] / 2;
    }
  }
  return symmetric;
}

/**
 * The eigenvalue decomposition of the symmetric part of a p × p row-major matrix.
 * @throws TypeError or RangeError for a matrix of another size or with a NaN or an infinity in it.
 */
export function symmetricEigen(matrix: Float64Array, dimension: number): SymmetricEigen {
  const symmetric = symmetricPart(matrix, dimension);
  checkVector('matrix', symmetric);
  let scale = 0;
  for (let i = 0; i < symmetric.length; i++) scale = max(scale, abs(symmetric[i]));
  // Scaled to entries of at most 1, so that no square inside the decomposition overflows or vanishes.
  // What is below the least normal double then is no more than rounding, and would lead the decomposition astray.
  const scaled = symmetric.map((entry) => (abs(entry / scale) >= 2 ** -1022 ? entry / scale : 0));
  const decomposition = new EigenvalueDecomposition(DenseMatrix.from1DArray(dimension, dimension, scaled), {
    assumeSymmetric: true,
  });
  const { realEigenvalues, eigenvectorMatrix } = decomposition;
  const order = realEigenvalues.map((_, i) => i).sort((i, j) => realEigenvalues[i] - realEigenvalues[j]);
  const values = new Float64Array(dimension);
  const vectors = new Float64Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) {
    values[i] = scale * realEigenvalues[order[i]];
    for (let j = 0; j < dimension; j++) vectors[i * dimension + j] = eigenvectorMatrix.get(j, order[i]);
  }
  return { values, vectors };
}

/**
 * The symmetric p × p matrix nearest to `matrix` in Frobenius norm with no eigenvalue below `floor`: its symmetric part
 * with smaller ones raised, exactly symmetric. At 0 it is the projection on the positive semi-definite matrices.
 */
export function clipEigenvalues(matrix: Float64Array, dimension: number, floor: number = 0): Float64Array {
  const eigen = symmetricEigen(matrix, dimension);
  const { values } = eigen;
  const clipped = symmetricPart(matrix, dimension);
  for (let k = 0; k < dimension && values[k] < floor; k++) {
    const raise = floor - values[k];
    const vector = eigenvector(eigen, k);
    for (let i = 0; i < dimension; i++) {
      // Entries (i, j) and (j, i) use the same products in the same order, so the result stays exactly symmetric.
      for (let j = 0; j < dimension; j++) clipped[i * dimension + j] += raise * (vector[i] * vector[j]);
    }
  }
  return clipped;
}

/** The most Newton steps on the secular equation; from the left they converge monotonically, in a few steps. */
const SECULAR_STEPS = 100;

export interface BallQuadraticResult {
  readonly point: Float64Array;
  readonly value: number;
  /** The multiplier ν ≥ 0 of the ball: (M + νI)w = −linear with M + νI positive semi-definite; 0 in the interior. */
  readonly multiplier: number;
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

/** The quadratic form wᵀMw; M is p × p, row-major. */
export function quadraticForm(matrix: Float64Array, w: Float64Array): number {
  return innerProduct(timesVector(matrix, w), w);
}

/**
 * The global minimiser of linear·w + ½wᵀMw over the ball ‖w‖ ≤ R, M symmetric (only that part enters) and not always
 * definite.
 * Law: w minimises exactly when for some ν ≥ 0, (M + νI)w = −linear, M + νI is positive semi-definite, and ν = 0 or ‖w‖ =
 * R. In the eigenbasis ν is the root of the secular equation 1/‖w(ν)‖ = 1/R, which is concave: Newton's method from the
 * left is monotone. In the hard case (no root) an eigenvector of the least eigenvalue is added up to the sphere. If the
 * quadratic is convex and flat to rounding, the minimiser of least norm is returned.
 * Source: Gay (1981) and Moré and Sorensen (1983), the trust-region subproblem.
 */
export function minimizeBallQuadratic(linear: Float64Array, matrix: Float64Array, radius: number): BallQuadraticResult {
  if (!(linear instanceof Float64Array)) throw new RefusedKind('linear', 'a Float64Array', linear);
  checkPositive('radius', radius);
  checkVector('linear', linear);
  const dimension = linear.length;
  const eigen = symmetricEigen(matrix, dimension);
  const { values, vectors } = eigen;
  const least = values[0];
  const size = max(abs(least), abs(values[dimension - 1]));
  const rounding = dimension * Number.EPSILON;
  const convex = least >= -rounding * size;

  // Coordinates in the eigenbasis, curvatures as excess over the least one: ν − ν_least keeps its precision.
  const slopes = new Float64Array(dimension);
  const excess = new Float64Array(dimension);
  const steepest = euclideanNorm(linear);
  // The base of the excess: the least eigenvalue, or 0 if it is 0 to rounding.
  const base = convex && least <= rounding * size ? 0 : least;
  const interior = convex ? base : 0;
  let lower = interior;
  for (let i = 0; i < dimension; i++) {
    slopes[i] = innerProduct(linear, eigenvector(eigen, i));
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
