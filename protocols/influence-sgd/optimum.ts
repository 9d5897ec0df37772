import { checkInteger, checkPositive } from '../../src/check/number.ts';
import { clipEigenvalues } from '../../src/optimize/ball-newton.ts';
import { innerProduct } from '../../src/optimize/projection.ts';
import { choleskySolver } from './contribution.ts';
import { checkFit, empiricalHessian, empiricalRisk, fillMeanGradient, type Model } from './model.ts';
import { type CentralRecords, checkRecords } from './records.ts';

const { sqrt } = Math;

/** Eigenvalues of the Hessian below this are raised to it, where the loss need not have curvature. */
const FLOOR = 1e-3;

/** Where the search begins and when it stops. */
export interface OptimumOptions {
  /** Where to begin; the origin if left out. A perceptron never leaves the origin. */
  readonly start?: Float64Array;
  /** Stop when the gradient is at most this; 1e-10 if left out. */
  readonly tolerance?: number;
  /** The most Newton steps; 100 if left out. */
  readonly iterations?: number;
}

/** Where the search ended. */
export interface Optimum {
  /** θ*, or the best θ found. */
  readonly theta: Float64Array;
  /** L* = L(θ*; D), or the least risk found. */
  readonly risk: number;
  /** ‖∇L‖ at `theta`. */
  readonly gradientNorm: number;
}

/**
 * The model without privacy: a minimiser of the empirical risk, found by Newton steps that are shortened until the risk
 * falls. For a loss that is not convex the result is a local minimiser.
 *
 * @throws TypeError or RangeError naming the field, or for records outside the domain.
 * @theorem influence Figure 2
 */
export function optimum(model: Model, records: CentralRecords, options: OptimumOptions = {}): Optimum {
  const m = model.parameters;
  const tolerance = checkPositive('tolerance', options.tolerance ?? 1e-10);
  const iterations = checkInteger('iterations', options.iterations ?? 100, 0);
  const theta = options.start === undefined ? new Float64Array(m) : options.start.slice();
  checkRecords(records);
  checkFit(model, theta, records);
  const gradient = new Float64Array(m);
  const direction = new Float64Array(m);
  const next = new Float64Array(m);
  let risk = empiricalRisk(model, theta, records);
  fillMeanGradient(model, theta, records, gradient);
  for (let i = 0; i < iterations && sqrt(innerProduct(gradient, gradient)) > tolerance; i++) {
    let hessian = empiricalHessian(model, theta, records);
    if (!(model.convex && model.ridge > 0)) hessian = clipEigenvalues(hessian, m, FLOOR);
    direction.set(gradient);
    choleskySolver(hessian, m)(direction);
    const slope = innerProduct(gradient, direction);
    let length = 1;
    let found = risk;
    for (; length > 1e-12; length /= 2) {
      for (let j = 0; j < m; j++) next[j] = theta[j] - length * direction[j];
      found = empiricalRisk(model, next, records);
      // Close to the optimum the fall is smaller than the rounding of the risk; the full step is then right.
      if (found <= risk - 1e-4 * length * slope || slope < 1e-14) break;
    }
    if (length <= 1e-12) break;
    theta.set(next);
    risk = found;
    fillMeanGradient(model, theta, records, gradient);
  }
  return { theta, risk, gradientNorm: sqrt(innerProduct(gradient, gradient)) };
}
