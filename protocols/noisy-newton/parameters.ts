import { checkInteger, checkOpenUnit, checkPositive } from '../../src/check/refusal.ts';
import { leastHessianRecords, leastNewtonSteps } from '../noisy-gradient-descent/model.ts';
import { type NoisyFitPlan, type NoisyFitRequest, readPlan, sharedPlan } from '../noisy-gradient-descent/parameters.ts';

const { min, sqrt } = Math;

/** The request for noisy Newton. */
export interface NoisyNewtonRequest extends NoisyFitRequest {
  /** Noisy gradient steps of size 1/τ₂ before the first Newton step; 8 by default, 0 for the printed algorithm. */
  readonly warmUp?: number;
  /** The share of the warm-up in μ² of all steps; .2 by default. */
  readonly warmUpShare?: number;
  /** The share of the Hessians in μ² of the Newton steps; .2 by default, .5 in the printed algorithm. */
  readonly curvatureShare?: number;
  /**
   * L, how fast the Hessian changes around the minimiser, a public belief. With it the first Newton step is refused
   * unless its gradient is at most τ₁²/L, apart from the noise. This is the start condition of the theorem, checked on
   * released values only.
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

/** Everything that is decided before a record is read. Plain data; `steps` are Newton steps. */
export interface NoisyNewtonPlan extends NoisyFitPlan {
  readonly protocol: 'noisy-newton';
  readonly variant: 'newton';
  readonly warmUp: WarmUp;
  /** Standard deviation of the noise on every coordinate of a gradient. */
  readonly gradientNoise: number;
  /** Standard deviation of the noise on every distinct entry of a Hessian. */
  readonly hessianNoise: number;
  /** τ₁²/L, if L was given. */
  readonly largestStart?: number;
}

/**
 * The plan of noisy Newton: θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − H̃_k⁻¹·g̃_k with noise on the mean score (sensitivity 2B/n) and on the
 * Hessian (1/n)·Σ a·aᵀ (sensitivity √2·B̄/n; printed 2B̄/n), whose eigenvalues are raised to a floor. Some noisy
 * gradient steps come first: from a start that is not close, Newton's method can fail, with or without noise.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * With `warmUp: 0`, `curvatureShare: 0.5`, `matrixCalibration: 'printed'` and `regions: false` the noise is the printed
 * one, 2B√(2K)/(nμ) and 2B̄√(2K)/(nμ).
 *
 * Source: slides of Avella-Medina (2023), noisy Newton; Avella-Medina, Bradshaw, Loh (2023).
 * @throws TypeError or RangeError naming the field: a μ outside 1e-9 to 1e100, K ≤ 0, a loss without bounds; RangeError for a K or an n
 * below what the theorem requires, unless forced.
 * @theorem slides Noisy Newton
 * @theorem slides Noisy Newton, scale of the matrix noise
 * @theorem slides Theorem, noisy Newton, conditions
 */
export function newton(request: NoisyNewtonRequest): NoisyNewtonPlan {
  return readPlan('newton', request, newtonOf);
}

function newtonOf(request: NoisyNewtonRequest): NoisyNewtonPlan {
  const shared = sharedPlan(request, leastNewtonSteps, 1e4);
  const { plan, smoothness, optimization, calibrated } = shared;
  const { model, records, steps, strongConvexity } = plan;
  const { dimension, scoreSensitivity } = model;
  const warmUpSteps = checkInteger('warmUp', request.warmUp ?? 8, 0, 1e6);
  const warmUpShare = warmUpSteps === 0 ? 0 : checkOpenUnit('warmUpShare', request.warmUpShare ?? 0.2);
  const curvatureShare = checkOpenUnit('curvatureShare', request.curvatureShare ?? 0.2);
  const muOf = (share: number): number => optimization * sqrt(share);
  const gradientMu = muOf((1 - warmUpShare) * (1 - curvatureShare));
  const hessianMu = muOf((1 - warmUpShare) * curvatureShare);
  const sensitivity = calibrated(model.hessianBound);
  shared.checkRecords(
    gradientMu,
    leastHessianRecords({ dimension, steps, mu: hessianMu, sensitivity, strongConvexity }),
  );
  const noiseOf = (count: number, mu: number): number => (scoreSensitivity * sqrt(count)) / (records * mu);
  const warmUpNoise = warmUpSteps === 0 ? 0 : noiseOf(warmUpSteps, muOf(warmUpShare));
  const { hessianLipschitz } = request;
  const largestStart =
    hessianLipschitz === undefined
      ? undefined
      : min(Number.MAX_VALUE, strongConvexity ** 2 / checkPositive('hessianLipschitz', hessianLipschitz));
  return {
    protocol: 'noisy-newton',
    variant: 'newton',
    ...plan,
    warmUp: { steps: warmUpSteps, step: 1 / smoothness, noise: warmUpNoise },
    gradientNoise: noiseOf(steps, gradientMu),
    hessianNoise: (sensitivity * sqrt(steps)) / (records * hessianMu),
    ...(largestStart === undefined ? {} : { largestStart }),
  };
}
