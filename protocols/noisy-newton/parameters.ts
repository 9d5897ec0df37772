import { checkInteger, checkOpenUnit, checkPositive, refusal } from '../../src/check/number.ts';
import {
  leastHessianRecords,
  leastNewtonSteps,
  leastRecords,
} from '../noisy-gradient-descent/m-estimation/conditions.ts';
import { calibratedSensitivity } from '../noisy-gradient-descent/m-estimation/matrix-noise.ts';
import { type BoundedModel, boundedModel } from '../noisy-gradient-descent/m-estimation/model.ts';
import {
  curvaturesOf,
  type NoisyFitRequest,
  type SandwichNoise,
  shareBudget,
  startOf,
} from '../noisy-gradient-descent/m-estimation/request.ts';

const { max, min, sqrt } = Math;

/** What noisy Newton is asked for. */
export interface NoisyNewtonRequest extends NoisyFitRequest {
  /** Steps of noisy gradient descent, of size 1/τ₂, before the first Newton step; 8 by default, 0 for the printed algorithm. */
  readonly warmUp?: number;
  /** Share of μ² of all steps that the warm-up has; .2 by default. */
  readonly warmUpShare?: number;
  /** Share of μ² of the Newton steps that their Hessians have; .2 by default, .5 in the printed algorithm. */
  readonly curvatureShare?: number;
  /**
   * L, how fast the Hessian changes around the minimiser, a public belief. With it the first Newton step is refused unless its
   * gradient is at most τ₁²/L but for the noise: the start condition of the theorem, looked at on what is released anyway.
   */
  readonly hessianLipschitz?: number;
}

/** The steps of noisy gradient descent before the first Newton step. */
export interface WarmUp {
  readonly steps: number;
  /** Step size, 1/τ₂. */
  readonly step: number;
  /** Standard deviation of the noise on every coordinate of a gradient. */
  readonly noise: number;
}

/** Everything that is decided before a record is seen. Plain data. */
export interface NoisyNewtonPlan {
  readonly protocol: 'noisy-newton';
  readonly variant: 'newton';
  readonly mu: number;
  /** n. */
  readonly records: number;
  readonly model: BoundedModel;
  readonly start: Float64Array;
  readonly warmUp: WarmUp;
  /** K, Newton steps. */
  readonly steps: number;
  /** τ₁. */
  readonly strongConvexity: number;
  readonly hessianFloor: number;
  /** Standard deviation of the noise on every coordinate of a gradient. */
  readonly gradientNoise: number;
  /** Standard deviation of the noise on every distinct entry of a Hessian. */
  readonly hessianNoise: number;
  /** τ₁²/L, where L was given. */
  readonly largestStart?: number;
  /** Of the noise on the matrices of the sandwich; absent without regions. */
  readonly sandwich?: SandwichNoise;
}

/**
 * The plan of noisy Newton: θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − H̃_k⁻¹·g̃_k with noise on the mean score (sensitivity 2B/n) and on the Hessian
 * (1/n)·Σ a·aᵀ (sensitivity √2·B̄/n; printed 2B̄/n), whose eigenvalues are raised to a floor. Before it some noisy gradient steps:
 * from a start that is not close, Newton's method goes astray with noise and without.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * With `warmUp: 0`, `curvatureShare: 0.5`, `matrixCalibration: 'printed'` and `regions: false` the noise is the printed one,
 * 2B√(2K)/(nμ) and 2B̄√(2K)/(nμ).
 *
 * Source: slides of Avella-Medina (2023), noisy Newton; Avella-Medina, Bradshaw, Loh (2023).
 *
 * @throws TypeError or RangeError naming the field: μ ≤ 0, K ≤ 0, a loss without bounds; RangeError for a K or an n below what the
 * theorem asks for, unless forced.
 * @theorem slides Noisy Newton
 * @theorem slides Noisy Newton, scale of the matrix noise
 * @theorem slides Theorem, noisy Newton, conditions
 */
export function newton(request: NoisyNewtonRequest): NoisyNewtonPlan {
  if (request === null || typeof request !== 'object') throw new TypeError(refusal('request', 'an object', request));
  const mu = checkPositive('mu', request.mu);
  const records = checkInteger('records', request.records, 1);
  const model = boundedModel(request.model);
  const { strongConvexity, smoothness, hessianFloor } = curvaturesOf(model, request);
  const least = leastNewtonSteps(records);
  const steps = checkInteger('steps', request.steps ?? least, 1, 1e4);
  const { matrixCalibration = 'exact', force = false } = request;
  const { dimension, hessianBound, scoreBound, scoreSensitivity: sensitivity } = model;
  const calibrated = (bound: number): number => calibratedSensitivity(bound, matrixCalibration);
  const budget = shareBudget(mu, records, model, request, calibrated);
  const warmUpSteps = checkInteger('warmUp', request.warmUp ?? 8, 0, 1e6);
  const warmUpShare = warmUpSteps === 0 ? 0 : checkOpenUnit('warmUpShare', request.warmUpShare ?? 0.2);
  const curvatureShare = checkOpenUnit('curvatureShare', request.curvatureShare ?? 0.2);
  const muOf = (share: number): number => budget.optimization * sqrt(share);
  const gradientMu = muOf((1 - warmUpShare) * (1 - curvatureShare));
  const hessianMu = muOf((1 - warmUpShare) * curvatureShare);
  const noiseOf = (count: number, mus: number): number => (sensitivity * sqrt(count)) / (records * mus);
  if (!force) {
    if (steps < least) {
      throw new RangeError(refusal('steps', `at least ${least}, what the theorem asks for, or force: true`, steps));
    }
    const radius = request.radius === undefined ? undefined : checkPositive('radius', request.radius);
    const largestNoise = radius === undefined ? scoreBound : radius * strongConvexity;
    const enough = max(
      leastRecords({ dimension, steps, mu: gradientMu, sensitivity, largestNoise }),
      leastHessianRecords({ dimension, steps, mu: hessianMu, sensitivity: calibrated(hessianBound), strongConvexity }),
    );
    if (records < enough) {
      throw new RangeError(
        refusal('records', `at least ${enough}, what the theorem asks for, or force: true`, records),
      );
    }
  }
  const { hessianLipschitz } = request;
  const { sandwich } = budget;
  return {
    protocol: 'noisy-newton',
    variant: 'newton',
    mu,
    records,
    model,
    start: startOf(model, request.start),
    warmUp: {
      steps: warmUpSteps,
      step: 1 / smoothness,
      noise: warmUpSteps === 0 ? 0 : noiseOf(warmUpSteps, muOf(warmUpShare)),
    },
    steps,
    strongConvexity,
    hessianFloor,
    gradientNoise: noiseOf(steps, gradientMu),
    hessianNoise: (calibrated(hessianBound) * sqrt(steps)) / (records * hessianMu),
    ...(hessianLipschitz === undefined
      ? {}
      : {
          largestStart: min(
            Number.MAX_VALUE,
            strongConvexity ** 2 / checkPositive('hessianLipschitz', hessianLipschitz),
          ),
        }),
    ...(sandwich === undefined ? {} : { sandwich }),
  };
}
