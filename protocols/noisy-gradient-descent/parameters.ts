import { checkInteger, checkPositive, refusal } from '../../src/check/number.ts';
import { leastGradientSteps, leastRecords } from './m-estimation/conditions.ts';
import { calibratedSensitivity } from './m-estimation/matrix-noise.ts';
import { type BoundedModel, boundedModel } from './m-estimation/model.ts';
import {
  curvaturesOf,
  type NoisyFitRequest,
  type SandwichNoise,
  shareBudget,
  startOf,
} from './m-estimation/request.ts';

const { sqrt } = Math;

/** What noisy gradient descent is asked for. */
export interface NoisyGradientDescentRequest extends NoisyFitRequest {
  /** η, at most 1/τ₂; 1/τ₂ by default. */
  readonly step?: number;
}

/** Everything that is decided before a record is seen. Plain data. */
export interface NoisyGradientDescentPlan {
  readonly protocol: 'noisy-gradient-descent';
  readonly variant: 'descent';
  readonly mu: number;
  /** n. */
  readonly records: number;
  readonly model: BoundedModel;
  readonly start: Float64Array;
  /** K. */
  readonly steps: number;
  /** η. */
  readonly step: number;
  /** τ₁. */
  readonly strongConvexity: number;
  readonly hessianFloor: number;
  /** Standard deviation of the noise on every coordinate of a gradient, Δ√K/(nμ_o). */
  readonly noise: number;
  /** Of the noise on the matrices of the sandwich; absent without regions. */
  readonly sandwich?: SandwichNoise;
}

/**
 * The plan of noisy gradient descent θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − η·((1/n)·Σ Ψ(z_i, θ⁽ᵏ⁾) + (2B√K/(nμ))·Z_k), Z_k standard normal, with regions
 * by default. 2B is the sensitivity of the sum; where a smaller one is known (a joint scale), that one is used.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * Source: slides of Avella-Medina (2023), noisy gradient descent; Avella-Medina, Bradshaw, Loh (2023).
 *
 * @throws TypeError or RangeError naming the field: μ ≤ 0, K ≤ 0, a loss without bounds, η above 1/τ₂; RangeError for a K or an n
 * below what the theorem asks for, unless forced.
 * @theorem slides Noisy gradient descent
 */
export function descent(request: NoisyGradientDescentRequest): NoisyGradientDescentPlan {
  if (request === null || typeof request !== 'object') throw new TypeError(refusal('request', 'an object', request));
  const mu = checkPositive('mu', request.mu);
  const records = checkInteger('records', request.records, 1);
  const model = boundedModel(request.model);
  const { strongConvexity, smoothness, hessianFloor } = curvaturesOf(model, request);
  const step = checkPositive('step', request.step ?? 1 / smoothness);
  if (!(step <= 1 / smoothness)) {
    throw new RangeError(refusal('step', `a number <= ${1 / smoothness}, which is 1/smoothness`, step));
  }
  const least = leastGradientSteps(records, step, strongConvexity);
  const steps = checkInteger('steps', request.steps ?? least, 1, 1e6);
  const { matrixCalibration = 'exact', force = false } = request;
  const budget = shareBudget(mu, records, model, request, (bound) => calibratedSensitivity(bound, matrixCalibration));
  const { dimension, scoreSensitivity: sensitivity, scoreBound } = model;
  if (!force) {
    if (steps < least) {
      throw new RangeError(refusal('steps', `at least ${least}, what the theorem asks for, or force: true`, steps));
    }
    const radius = request.radius === undefined ? undefined : checkPositive('radius', request.radius);
    const largestNoise = radius === undefined ? scoreBound : radius * strongConvexity;
    const enough = leastRecords({ dimension, steps, mu: budget.optimization, sensitivity, largestNoise });
    if (records < enough) {
      throw new RangeError(
        refusal('records', `at least ${enough}, what the theorem asks for, or force: true`, records),
      );
    }
  }
  const { sandwich } = budget;
  return {
    protocol: 'noisy-gradient-descent',
    variant: 'descent',
    mu,
    records,
    model,
    start: startOf(model, request.start),
    steps,
    step,
    strongConvexity,
    hessianFloor,
    noise: (sensitivity * sqrt(steps)) / (records * budget.optimization),
    ...(sandwich === undefined ? {} : { sandwich }),
  };
}
