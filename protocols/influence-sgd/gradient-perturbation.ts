import {
  type Budget,
  checkBudget,
  checkInteger,
  checkNonNegative,
  checkNormBound,
  checkPositive,
  checkWord,
  RefusedValue,
} from '../../src/check/refusal.ts';
import { projectBall } from '../../src/numeric/matrix.ts';
import { analyticGaussianSigma, gdpMu } from '../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { fillNormal, permutation, type Random, uniformInteger } from '../../src/random/random.ts';
import { type CentralRecords, checkAll, clipRecords, fillRecordGradient, type Model } from './model.ts';
import { momentsSigma, printedSigma } from './parameters.ts';

const { PI, ceil, cos, floor, min, sqrt } = Math;

/**
 * Laplacian smoothing: a function that replaces a vector v by A⁻¹v, A = I − s·Δ with the periodic second difference Δ
 * of the coordinates. It keeps the mean and shrinks changes from one coordinate to the next by at most the factor
 * 1 + 4s. Applied to a noisy gradient it is post-processing and costs no privacy.
 *
 * Law: A is circulant with eigenvalues 1 + 2s(1 − cos(2πk/m)); A⁻¹ is applied as a circular convolution, m² operations.
 *
 * Source: Wang, Gu, Boedihardjo, Barekat, Osher (2019), DP-LSSGD.
 * @theorem influence Figure 1
 */
export function laplacianSmoothing(m: number, s: number): (vector: Float64Array) => void {
  if (s === 0 || m === 1) return () => {};
  const kernel = new Float64Array(m);
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < m; k++) {
      kernel[j] += cos((2 * PI * ((j * k) % m)) / m) / (1 + 2 * s * (1 - cos((2 * PI * k) / m))) / m;
    }
  }
  const copy = new Float64Array(m);
  return (vector) => {
    copy.set(vector);
    for (let i = 0; i < m; i++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += kernel[j > i ? m + i - j : i - j] * copy[j];
      vector[i] = sum;
    }
  };
}

/**
 * How the noise of DP-SGD is computed. `moments`: batches drawn anew, the moments accountant. `gdp`: batches taken in
 * turn from shuffled passes; a record is used once per pass, so Gaussian composition is exact. `printed`: the paper's
 * (2).
 */
export type Accountant = 'moments' | 'gdp' | 'printed';

/** The request for DP-SGD. */
export interface GradientPerturbationRequest extends Budget {
  /** How the noise is computed. */
  readonly accountant: Accountant;
  /** Number of records n. */
  readonly records: number;
  /** G: bound on the gradient of a record, from 1e-100 to 1e300. Gradients are scaled down to it. */
  readonly lipschitz: number;
  /** T. */
  readonly steps: number;
  /** α. */
  readonly step: number;
  /** Number of records in a step; 1 if left out, and always 1 with `printed`. */
  readonly batch?: number;
  /** Strength of the Laplacian smoothing of DP-LSSGD; 0, which is plain DP-SGD, if left out. */
  readonly smoothing?: number;
}

/** Everything the curator needs for DP-SGD or DP-LSSGD. Plain data. */
export interface GradientPerturbation extends Required<GradientPerturbationRequest> {
  /** σ: standard deviation of the noise on the mean gradient of a step. */
  readonly sigma: number;
  /** The guarantee for replacing one record; absent with `printed`, whose formula is used outside its conditions. */
  readonly guarantee?: Guarantee;
}

/**
 * DP-SGD, or DP-LSSGD with `smoothing`: θ ← θ − α·A⁻¹(mean gradient of a batch + N(0, σ²I)).
 *
 * Guarantee: central, replace-one: (ε, δ) by `moments`; by `gdp` μ-Gaussian, μ = 2G√E/(bσ) for E passes, calibrated to (ε, δ).
 * With `printed` nothing is guaranteed.
 *
 * Source: Abadi et al. (2016); Dong, Roth, Su (2022), section 3; Wang et al. (2019), DP-LSSGD.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Equation (1)
 * @theorem influence Figure 1
 * @theorem influence Figure 2
 */
export function gradientPerturbation(request: GradientPerturbationRequest): GradientPerturbation {
  const budget = checkBudget(request);
  const accountant = checkWord('accountant', request.accountant, ['moments', 'gdp', 'printed']);
  const records = checkInteger('records', request.records, 1);
  const batch = checkInteger('batch', request.batch ?? 1, 1, records);
  const steps = checkInteger('steps', request.steps, 1);
  const lipschitz = checkNormBound('lipschitz', request.lipschitz);
  if (accountant === 'printed' && batch > 1) throw new RefusedValue('batch', '1 with the printed noise', batch);
  const checked = {
    ...budget,
    ...{ accountant, records, batch, steps, lipschitz },
    step: checkPositive('step', request.step),
    smoothing: checkNonNegative('smoothing', request.smoothing ?? 0),
  };
  if (accountant === 'printed') return { ...checked, sigma: printedSigma(checked) };
  if (accountant === 'moments') {
    return { ...checked, sigma: momentsSigma(checked), guarantee: approximate(budget) };
  }
  const passes = ceil(steps / floor(records / batch));
  const mu = gdpMu(budget);
  // The last factor raises sigma by more than the rounding of the product.
  return { ...checked, sigma: ((2 * lipschitz) / batch) * (sqrt(passes) / mu) * (1 + 2 ** -50), guarantee: gdp(mu) };
}

/**
 * Runs DP-SGD or DP-LSSGD from `start`, the origin if left out, and returns the last iterate. The gradient of every
 * record is scaled down to G, so a record that rounding has put outside the unit ball costs no privacy.
 * @throws TypeError or RangeError for records outside the domain (the message has no values) or of sizes that differ
 * from those in the parameters.
 * @theorem influence Equation (1)
 * @theorem influence Theorem 1
 * @theorem influence Equation (4)
 */
export function descendNoisily(
  parameters: GradientPerturbation,
  model: Model,
  records: CentralRecords,
  random: Random,
  start: Float64Array = new Float64Array(model.parameters),
): Float64Array {
  const { batch, steps, step, sigma, lipschitz, smoothing, accountant } = parameters;
  checkAll(model, start, records, parameters);
  const m = model.parameters;
  const theta = start.slice();
  const gradient = new Float64Array(m);
  const sum = new Float64Array(m);
  const noise = new Float64Array(m);
  const smooth = laplacianSmoothing(m, smoothing);
  const chosen = accountant === 'gdp' ? inPasses(records.records, batch, random) : anew(records.records, batch, random);
  for (let t = 0; t < steps; t++) {
    const indexes = chosen();
    sum.fill(0);
    for (let b = 0; b < batch; b++) {
      fillRecordGradient(model, theta, records, indexes[b], lipschitz, gradient);
      for (let j = 0; j < m; j++) sum[j] += gradient[j];
    }
    fillNormal(noise, random);
    for (let j = 0; j < m; j++) sum[j] = sum[j] / batch + sigma * noise[j];
    smooth(sum);
    for (let j = 0; j < m; j++) theta[j] -= step * sum[j];
  }
  return theta;
}

/** Batches drawn anew in every step, without replacement within a batch. */
function anew(records: number, batch: number, random: Random): () => Uint32Array {
  const order = Uint32Array.from({ length: records }, (_, i) => i);
  return () => {
    // The first entries of a shuffle; the order before it does not matter.
    for (let i = 0; i < batch; i++) {
      const other = i + uniformInteger(records - i, random);
      const kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    return order;
  };
}

/** Full batches in turn. Records left over at the end of a pass are not used in it; the next pass has a new order. */
function inPasses(records: number, batch: number, random: Random): () => Uint32Array {
  let order = new Uint32Array(0);
  let next = 0;
  return () => {
    if (next + batch > order.length) {
      order = permutation(records, random) as Uint32Array<ArrayBuffer>;
      next = 0;
    }
    next += batch;
    return order.subarray(next - batch, next);
  };
}

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
    throw new RefusedValue('step', `a number of at most 2/L = ${2 / model.constants.smoothness}`, step);
  }
  const bound = model.gradientBound;
  const sensitivity = ridge > 0 ? (2 * bound) / (ridge * records) : 2 * bound * passes * step;
  return {
    ...budget,
    ...{ model, records, passes, radius, step, sensitivity },
    sigma: analyticGaussianSigma({ ...budget, sensitivity }),
    guarantee: approximate(budget),
  };
}

/**
 * Runs output perturbation from the origin and returns the noised last iterate. The sensitivity holds for records in
 * the unit ball: other records are refused, and records that rounding has put outside the ball are scaled back to it.
 * @throws TypeError or RangeError for records outside the domain (the message has no values) or of sizes that differ
 * from those in the parameters.
 */
export function perturbOutput(parameters: OutputPerturbation, given: CentralRecords, random: Random): Float64Array {
  const { model, passes, radius, sigma } = parameters;
  const theta = new Float64Array(model.parameters);
  checkAll(model, theta, given, parameters);
  const records = clipRecords(given);
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
