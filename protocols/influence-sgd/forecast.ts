import { checkInteger, checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { normalDensity } from '../../src/numeric/normal.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import type { GradientPerturbation, OutputPerturbation } from './gradient-perturbation.ts';
import type { Model } from './model.ts';
import type { InfluenceParameters } from './parameters.ts';
import { skipProbability } from './theory.ts';

const { expm1, floor, log1p, max, min, sqrt } = Math;

/** The expected error of a fit to the reference population, in the units of the coefficients. */
export interface FitError {
  /** √E‖θ − θ₀‖², θ₀ the best model of the population. */
  readonly error: number;
  /** The same without the noise of privacy: the error from records and steps alone. */
  readonly without: number;
}

/** The population that forecasts assume, in words. Its best model is 0, and all its records are alike. */
export const POPULATION = 'labels fair coins, features +1/√d or −1/√d by fair coins, so that the best model is 0';

/** Logistic regression with a ridge on records of length 1; forecasts need only these fields. */
type Regression = Pick<Model, 'parameters' | 'ridge'>;

/** Gradient descent with one record in each step. */
interface Descent extends Regression {
  readonly steps: number;
  /** Variance of the noise on a coordinate of a step's gradient, averaged over steps. */
  readonly noise: number;
  /** n, if records are drawn with replacement; absent if each is used once. */
  readonly redrawn?: number;
  step(t: number): number;
}

/**
 * The expected error of Algorithm 1 with these parameters; its privacy claim is refuted. The share of steps without
 * noise is the one that records of the population have at the start.
 */
export function forecastTraining(parameters: InfluenceParameters, model: Regression): FitError {
  const { records, steps, step, sigma, remainder } = parameters;
  const d = model.parameters;
  // At 0 a gradient is half a record, and coordinates of its contribution have either sign.
  const size = 1 / (2 * sqrt(d)) / (curvatureAt(0) / d + model.ridge) / records;
  const passes = (c: number): number => skipProbability(Float64Array.of(c + remainder), parameters);
  const skipped = ((passes(size) + passes(-size)) / 2) ** d;
  return fitError({ ...model, steps, redrawn: records, step: () => step }, sigma * sigma * (1 - skipped));
}

/**
 * The expected error of DP-SGD that draws a single record anew in each step.
 *
 * @throws RangeError for batches, for records in passes, and with smoothing.
 */
export function forecastGradientPerturbation(parameters: GradientPerturbation, model: Regression): FitError {
  const { records, steps, step, sigma, batch, smoothing, accountant } = parameters;
  checkInteger('batch', batch, 1, 1);
  checkWord('accountant', accountant, ['moments', 'printed']);
  if (smoothing > 0) throw new RefusedValue(refusal('smoothing', 'none, for a forecast', smoothing));
  return fitError({ ...model, steps, redrawn: records, step: () => step }, sigma * sigma);
}

/**
 * The expected error of output perturbation in one pass, if the iterates stay inside the ball.
 *
 * @throws RangeError for several passes.
 */
export function forecastOutputPerturbation(parameters: OutputPerturbation): FitError {
  const { model, records, passes, step, sigma } = parameters;
  checkInteger('passes', passes, 1, 1);
  const { smoothness } = model.constants;
  const stepAt = (t: number): number => (model.ridge > 0 ? min(1 / smoothness, 1 / (model.ridge * t)) : step);
  const { without } = fitError({ ...model, steps: records, step: stepAt }, 0);
  return { error: sqrt(without * without + model.parameters * sigma * sigma), without };
}

function fitError(descent: Omit<Descent, 'noise'>, noise: number): FitError {
  return {
    error: sqrt(squaredDistance({ ...descent, noise })),
    without: sqrt(squaredDistance({ ...descent, noise: 0 })),
  };
}

/** At step t, t/BLOCK steps are computed together: in so few, neither step sizes nor curvatures change much. */
const BLOCK = 1000;

/**
 * E‖θ_T‖² from θ_0 = 0.
 *
 * Law: the square S obeys S ← S(1 − 2αh) + α²·E‖g‖², h = κ/d + λ, with κ = E f″ over a margin that is normal with
 * variance S/d: by Stein's identity E⟨θ, g⟩ = hS. A gradient has E‖g‖² = ½ − κ + 2λκS/d + λ²S + d·v with noise of
 * variance v. If records are drawn with replacement, the model goes to the minimiser of these records, whose error is
 * the mean of n gradients at 0 over h. Exact for normal iterates in independent coordinates, except that the minimiser
 * of few records changes the curvature.
 */
function squaredDistance({ parameters: d, ridge, steps, step, noise, redrawn }: Descent): number {
  let [square, kept, slope] = [0, 1, 1];
  for (let t = 1; t <= steps; ) {
    // Long steps are computed one by one, because the square need not fall geometrically.
    const block = step(t) * slope > 0.25 ? 1 : min(max(1, floor(t / BLOCK)), steps - t + 1);
    const alpha = step(t + (block - 1) / 2);
    const kappa = curvatureAt(square / d);
    slope = kappa / d + ridge;
    const change = -2 * alpha * slope + alpha * alpha * ridge * (ridge + (2 * kappa) / d);
    const growth = block === 1 ? change : expm1(block * log1p(change));
    square += growth * square + (alpha * alpha * (0.5 - kappa + d * noise) * growth) / change;
    kept *= (1 - alpha * slope) ** block;
    t += block;
  }
  return redrawn === undefined ? square : square + ((1 - kept) / (2 * slope)) ** 2 / redrawn;
}

/** Number of panels of the integral, and how many standard deviations on each side they cover. */
const PANELS = 200;
const DEVIATIONS = 8;

const { secondDerivative } = logisticLoss();

/** E f″(t) over t ~ N(0, v), by the midpoint rule. */
function curvatureAt(variance: number): number {
  const panel = (2 * DEVIATIONS) / PANELS;
  const deviation = sqrt(variance);
  let sum = 0;
  for (let i = 0; i < PANELS; i++) {
    const at = (i + 0.5) * panel - DEVIATIONS;
    sum += panel * normalDensity(at) * secondDerivative(deviation * at);
  }
  return sum;
}
