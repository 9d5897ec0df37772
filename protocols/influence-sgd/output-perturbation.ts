import { type Budget, checkBudget } from '../../src/check/budget.ts';
import { checkInteger, checkPositive, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { projectBall } from '../../src/optimize/projection.ts';
import { analyticGaussianSigma } from '../../src/privacy/gaussian.ts';
import { approximate, type Guarantee } from '../../src/privacy/guarantee.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { permutation } from '../../src/random/uniform.ts';
import { checkFit, fillRecordGradient, type Model } from './model.ts';
import { type CentralRecords, clipRecords } from './records.ts';

const { min } = Math;

/** The request for output perturbation. */
export interface OutputPerturbationRequest extends Budget {
  /** The model; its loss must be convex. */
  readonly model: Model;
  /** Number of records n. */
  readonly records: number;
  /** Number of passes over the shuffled records. */
  readonly passes: number;
  /** R: radius of the ball onto which every iterate is projected. */
  readonly radius: number;
  /** α, at most 2/L; only without regularisation. With it the steps are min(1/L, 1/(λt)). 1/√n if left out. */
  readonly step?: number;
}

/** Everything the curator needs for output perturbation. Plain data, except for the model. */
export interface OutputPerturbation extends Required<OutputPerturbationRequest> {
  /** How far replacing one record can move the last iterate. */
  readonly sensitivity: number;
  /** σ: standard deviation of the noise on the last iterate. */
  readonly sigma: number;
  /** The guarantee for replacing one record. */
  readonly guarantee: Guarantee;
}

/**
 * Output perturbation ("bolt-on"): projected SGD over shuffled passes, and noise on its last iterate only.
 *
 * Guarantee: central, replace-one (ε, δ), by the analytic Gaussian mechanism. The sensitivity is 2Gkα for k passes with
 * constant steps, or 2G/(λn) for any k with λ-strongly convex losses. G bounds the gradient of the record's part, 1 for
 * logistic regression; the regularisation moves both runs alike.
 *
 * Source: Wu, Li, Kumar, Chaudhuri, Jha, Naughton (2017), Bolt-on differential privacy, Algorithms 1 and 2.
 *
 * @throws RangeError for a loss that is not convex: the distance between the iterates of two data sets may then grow
 * without bound, and no sensitivity is known. TypeError or RangeError naming the field otherwise.
 * @theorem influence Figure 1
 * @theorem influence Figure 2
 */
export function outputPerturbation(request: OutputPerturbationRequest): OutputPerturbation {
  const budget = checkBudget(request);
  const { model } = request;
  if (!model.convex) throw new RefusedValue('"model" expected a convex loss, the bound that the sensitivity rests on');
  const records = checkInteger('records', request.records, 1);
  const passes = checkInteger('passes', request.passes, 1);
  const radius = checkPositive('radius', request.radius);
  const step = checkPositive('step', request.step ?? 1 / Math.sqrt(records));
  const { ridge } = model;
  if (ridge === 0 && step > 2 / model.constants.smoothness) {
    throw new RefusedValue(refusal('step', `a number of at most 2/L = ${2 / model.constants.smoothness}`, step));
  }
  const bound = model.gradientBound;
  const sensitivity = ridge > 0 ? (2 * bound) / (ridge * records) : 2 * bound * passes * step;
  return {
    ...budget,
    model,
    records,
    passes,
    radius,
    step,
    sensitivity,
    sigma: analyticGaussianSigma({ ...budget, sensitivity }),
    guarantee: approximate(budget),
  };
}

/**
 * Runs output perturbation from the origin and returns the noised last iterate. The sensitivity holds for records in
 * the unit ball: other records are refused, and records that rounding has put outside the ball are scaled back to it.
 *
 * @throws TypeError or RangeError for records outside the domain (the message has no values) or of sizes that differ
 * from those in the parameters.
 */
export function perturbOutput(parameters: OutputPerturbation, given: CentralRecords, random: Random): Float64Array {
  const { model, passes, radius, sigma } = parameters;
  const records = clipRecords(given);
  const theta = new Float64Array(model.parameters);
  checkFit(model, theta, records);
  if (records.records !== parameters.records) {
    throw new RefusedValue(refusal('records', `${parameters.records}, as in the parameters`, records.records));
  }
  const gradient = new Float64Array(model.parameters);
  let t = 0;
  // One order for all passes, as the sensitivity assumes.
  const order = permutation(records.records, random);
  for (let pass = 0; pass < passes; pass++) {
    for (let i = 0; i < order.length; i++) {
      t++;
      const step = model.ridge > 0 ? min(1 / model.constants.smoothness, 1 / (model.ridge * t)) : parameters.step;
      fillRecordGradient(model, theta, records, order[i], Infinity, gradient);
      for (let j = 0; j < theta.length; j++) theta[j] -= step * gradient[j];
      projectBall(theta, radius);
    }
  }
  fillNormal(gradient, random);
  for (let j = 0; j < theta.length; j++) theta[j] += sigma * gradient[j];
  return theta;
}
