
import { checkInteger, checkNonNegative, checkPositive, checkVector, refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { SmoothFunction } from './oracle.ts';

const { abs, max, sqrt } = Math;

/** How far outside the ball a start may lie because of rounding, as a fraction of the radius. */
const START_TOLERANCE = 1e-12;

/** The inner product ⟨a, b⟩ of two vectors of one length. */
export function innerProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
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
 * The Euclidean projection of `point` on the ball of the given radius about the origin, written into `target`, by
 * default in place; returns `target`. The norm of the result exceeds the radius by rounding at most.
 *
 * @throws RangeError for a point with a NaN or an infinity.
 * @theorem noninteractive Assumption 1
 */
export function projectBall(point: Float64Array, radius: number, target: Float64Array = point): Float64Array {
  const norm = euclideanNorm(point);
  if (!(norm < Infinity)) throw new RefusedValue(refusal('point', 'a finite norm', norm));
  if (norm <= radius) {
    if (target !== point) target.set(point);
  } else {
    for (let i = 0; i < point.length; i++) target[i] = radius * (point[i] / norm);
  }
  return target;
}

/**
 * A copy of the start of a method on the ball, the origin if none is given.
 *
 * @throws TypeError or RangeError for a start of wrong length, outside the ball or not finite, or for an invalid
 * dimension or radius.
 */
export function ballStart(dimension: number, radius: number, start?: Float64Array): Float64Array {
  checkInteger('dimension', dimension, 1);
  checkPositive('radius', radius);
  if (start === undefined) return new Float64Array(dimension);
  if (!(start instanceof Float64Array)) throw new RefusedKind(refusal('start', 'a Float64Array', start));
  if (start.length !== dimension) throw new RefusedValue(refusal('start', `${dimension} numbers`, start.length));
  const norm = euclideanNorm(start);
  if (!(norm <= radius * (1 + START_TOLERANCE))) {
    throw new RefusedValue(refusal('start', `a norm of at most the radius ${radius}`, norm));
  }
  return start.slice();
}

/**
 * An accelerated step is taken only if it lowers the value by this fraction of the guaranteed decrease of a plain step.
 */
const DECREASE = 1e-3;
/** The curvature estimate falls by this factor in each step, so that one steep place does not slow all later steps. */
const RELAX = 0.9;
/** Values closer than this relative amount count as equal: a mean over many records is not more exact. */
const RESOLUTION = 64 * Number.EPSILON;
/** The run ends after this many consecutive steps with neither a visible decrease nor a smaller gradient map. */
const STALLS = 500;

/** The options of a full-batch minimisation over a ball. */
export interface ProjectedGradientOptions {
  /** The function to minimise; it may be non-convex. It is only evaluated at points of the ball. */
  readonly objective: SmoothFunction;
  /** Radius of the ball about the origin. */
  readonly radius: number;
  /** The first point, in the ball; the origin if left out. */
  readonly start?: Float64Array;
  /** Stop when the gradient map is at most this; 1e-8 if left out. Units: those of a gradient. */
  readonly tolerance?: number;
  /** The most steps; 1000 if left out. */
  readonly iterations?: number;
  /** A first guess of the smoothness L > 0; by default the step it implies spans the ball. */
  readonly smoothness?: number;
}

/** Where the minimisation stopped. */
export interface ProjectedGradientResult {
  /** The last point, in the ball; its value is the least seen, to rounding. */
  readonly point: Float64Array;
  /** The value at `point`; to rounding it is never above the value at the start. */
  readonly value: number;
  /** Number of steps. */
  readonly iterations: number;
  /** ‖L(w − Π(w − ∇f(w)/L))‖ at the point, with the last curvature estimate L. */
  readonly gradientMapNorm: number;
  /** Whether the gradient map reached the tolerance: a stationary point, for a convex function a minimiser. */
  readonly converged: boolean;
}

/**
 * Minimises a smooth function over a ball by accelerated projected gradient steps with backtracking and restart.
 *
 * Law: monotone. A step with momentum is kept only if it lowers the value enough; otherwise the momentum is dropped and
 * a plain projected step with backtracking is taken, which lowers it by at least ‖map‖²/2L. So every limit point is
 * stationary, convex or not; on a convex function the gap falls as LD²/k² between restarts, linearly with curvature.
 *
 * Source: Beck and Teboulle (2009), monotone variant; O'Donoghue and Candès (2015), restart; Li and Lin (2015), the
 * safeguard for non-convex functions.
 *
 * @throws TypeError or RangeError naming the field, RangeError for a value or gradient that is not finite.
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
    if (!Number.isFinite(value)) throw new RefusedValue(refusal('value', 'a finite number', value));
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
