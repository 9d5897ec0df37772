import { checkInteger, checkNonNegative, checkVector, RefusedValue } from '../check/refusal.ts';
import { euclideanNorm, innerProduct, projectBall, timesVector } from '../numeric/matrix.ts';
import { ballStart, minimizeBallQuadratic, type ProjectedGradientResult } from './ball.ts';

const { abs, max, min, sqrt } = Math;

/** A step is kept if it lowers the value by at least this fraction of the decrease that the slope predicts. */
const DECREASE = 1e-4;
/** Values and gradients are assumed exact to this relative error, which a mean over many records can reach. */
const RESOLUTION = 64 * Number.EPSILON;

/** A twice differentiable convex function, evaluated in one pass. */
export interface CurvedFunction {
  readonly dimension: number;
  /** Writes the gradient (p) and the Hessian (p × p, row-major) at `point` and returns the value. */
  evaluate(point: Float64Array, gradient: Float64Array, hessian: Float64Array): number;
}

export interface BallNewtonOptions {
  /** The function to minimise. It must be convex on the ball, and it is only evaluated at points of the ball. */
  readonly objective: CurvedFunction;
  readonly radius: number;
  readonly start?: Float64Array;
  /** Stop when the certified gap is at most this; 1e-10 if left out. Units: those of the objective. */
  readonly tolerance?: number;
  /** The most steps, each with one or a few evaluations; 50 if left out. */
  readonly iterations?: number;
}

export interface BallNewtonResult extends Pick<ProjectedGradientResult, 'point' | 'value' | 'iterations'> {
  /** The certificate ⟨∇f(w), w⟩ + R‖∇f(w)‖ ≥ f(w) − min f, valid for every convex f. */
  readonly gap: number;
  readonly evaluations: number;
  /**
   * Whether the certified gap reached the tolerance. On a ball so large that rounding hides the gap, R times the rounding
   * of a gradient is enough: 64 units in the last place of ‖∇f‖ + ‖H‖·‖w‖, the numbers that are subtracted.
   */
  readonly converged: boolean;
}

interface Place {
  readonly point: Float64Array;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  value: number;
  gap: number;
  /** The gap at which the run may stop at this point. */
  enough: number;
}

/**
 * Minimises a smooth convex function over a ball by damped Newton steps, in few evaluations. A step goes to the exact
 * minimiser of the quadratic model over the ball, so the constraint needs no multiplier estimate; cubic interpolation
 * shortens it until the value falls enough, and a segment between points of the ball stays inside.
 * Law: every step lowers the value (down to rounding); convergence is quadratic near a minimiser with curvature. The gap
 * bounds f(w) − min f, since f(v) ≥ f(w) + ⟨∇f(w), v − w⟩ and the least ⟨∇f(w), v⟩ on the ball is −R‖∇f(w)‖.
 * Source: Boyd and Vandenberghe (2004), section 9.5, with the model minimised over the ball; the gap: Jaggi (2013).
 */
export function ballNewton(options: BallNewtonOptions): BallNewtonResult {
  const { objective, radius } = options;
  const { dimension } = objective;
  const tolerance = checkNonNegative('tolerance', options.tolerance ?? 1e-10);
  const limit = checkInteger('iterations', options.iterations ?? 50, 0);
  const start = ballStart(dimension, radius, options.start);
  let evaluations = 0;
  const place = (point: Float64Array): Place => ({
    point,
    gradient: new Float64Array(dimension),
    hessian: new Float64Array(dimension * dimension),
    value: 0,
    gap: Infinity,
    enough: tolerance,
  });
  const evaluate = (at: Place): void => {
    evaluations++;
    at.value = objective.evaluate(at.point, at.gradient, at.hessian);
    if (!Number.isFinite(at.value)) throw new RefusedValue('value', 'a finite number', at.value);
    checkVector('gradient', at.gradient);
    checkVector('hessian', at.hessian);
    const norm = euclideanNorm(at.gradient);
    at.gap = max(0, innerProduct(at.gradient, at.point) + radius * norm);
    at.enough = max(tolerance, RESOLUTION * radius * (norm + euclideanNorm(at.hessian) * euclideanNorm(at.point)));
  };

  let here = place(start);
  let there = place(new Float64Array(dimension));
  const direction = new Float64Array(dimension);
  const linear = new Float64Array(dimension);
  evaluate(here);
  let taken = 0;
  while (here.gap > here.enough && taken < limit) {
    timesVector(here.hessian, here.point, linear);
    for (let i = 0; i < dimension; i++) linear[i] = here.gradient[i] - linear[i];
    const model = minimizeBallQuadratic(linear, here.hessian, radius);
    for (let i = 0; i < dimension; i++) direction[i] = model.point[i] - here.point[i];
    const slope = innerProduct(here.gradient, direction);
    // There is no descent direction only because of rounding, or because the function is not convex.
    if (!(slope < 0)) break;
    taken++;

    let length = 1;
    let kept = false;
    for (;;) {
      for (let i = 0; i < dimension; i++) there.point[i] = here.point[i] + length * direction[i];
      projectBall(there.point, radius);
      evaluate(there);
      const resolution = RESOLUTION * abs(here.value);
      if (there.value <= here.value + DECREASE * length * slope) kept = true;
      // If values no longer show a decrease because of rounding, the certified gap still can.
      else if (-length * slope <= resolution) kept = there.gap < here.gap;
      if (kept || -length * slope <= resolution || length < Number.EPSILON) break;
      length *= interpolate(here.value, length * slope, there.value, length * innerProduct(there.gradient, direction));
    }
    if (!kept) break;
    [here, there] = [there, here];
  }
  const { point, value, gap, enough } = here;
  return { point, value, gap, iterations: taken, evaluations, converged: gap <= enough };
}

/** The minimiser of the cubic given by values and slopes at 0 and 1, kept within [0.1, 0.8]. */
function interpolate(value0: number, slope0: number, value1: number, slope1: number): number {
  const chord = slope0 + slope1 - 3 * (value1 - value0);
  const root = sqrt(max(0, chord * chord - slope0 * slope1));
  const least = 1 - (slope1 + root - chord) / (slope1 - slope0 + 2 * root);
  return least > 0 ? min(0.8, max(0.1, least)) : 0.5;
}
