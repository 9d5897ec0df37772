import { checkPositive, checkWord, RefusedKind } from '../../src/check/refusal.ts';
import { checkGrade, type Grade } from '../../src/core/digest.ts';
import { type OnlineModel, onlineModel } from '../../src/risk/regression/model.ts';
import {
  gaussianNoise,
  gdpNoise,
  laplaceNoise,
  noNoise,
  type OnlineNoise,
  printedGaussianNoise,
  printedGdpNoise,
  unitNoise,
} from './noise.ts';
import {
  type ApproximateRequest,
  type GdpRequest,
  hessianOf,
  type OnlinePlan,
  onlinePlan,
  type PureRequest,
  type StreamRequest,
} from './plan.ts';

export type { ModelRequest } from '../../src/risk/regression/model.ts';

/**
 * How a variant's noise is calibrated. The other functions of a law are in `channel.ts`, and its draw in
 * `player.ts`.
 */
interface Calibration {
  /** Whether its noise may be exact, with whole numbers in the report. */
  readonly deployable?: boolean;
  /** Whether players may also release their Hessians. */
  readonly hessians?: boolean;
  /**
   * The requested noise.
   *
   * @throws TypeError or RangeError naming the field.
   */
  noise(model: OnlineModel, request: never, grade: Grade): OnlineNoise;
}

/** The variants of this protocol, best first. */
export const VARIANTS = [
  'privUnit',
  'gdp',
  'gaussian',
  'laplace',
  'printedGaussian',
  'printedGdp',
  'nonPrivate',
] as const;

/** Names of the variants of this protocol. */
export type Variant = (typeof VARIANTS)[number];

const CALIBRATIONS: { readonly [variant in Variant]: Calibration } = {
  privUnit: { deployable: true, noise: unitNoise },
  gdp: { hessians: true, noise: gdpNoise },
  gaussian: { deployable: true, noise: gaussianNoise },
  laplace: { noise: laplaceNoise },
  printedGaussian: { noise: printedGaussianNoise },
  printedGdp: { noise: printedGdpNoise },
  nonPrivate: { noise: noNoise },
};

function planOf(variant: Variant, request: StreamRequest): OnlinePlan {
  if (request === null || typeof request !== 'object') throw new RefusedKind('request', 'an object', request);
  const { deployable = false, hessians = false, noise: noiseOf }: Calibration = CALIBRATIONS[variant];
  const grade = checkGrade(request.grade, variant, deployable);
  const model = onlineModel(request.model);
  const noise = noiseOf(model, request as never, grade);
  const { hessianMu }: GdpRequest = request;
  const hessian =
    hessians && hessianMu !== undefined ? { hessian: hessianOf(model, checkPositive('hessianMu', hessianMu)) } : {};
  return onlinePlan({ variant, grade, model, noise, ...hessian }, request);
}

/**
 * Gradients by the best pure randomizer of a unit vector, PrivUnitG, after one more coordinate has completed Ψ/B₀ to
 * the sphere. Recommended among all variants with pure reports.
 *
 * Guarantee: pure ε for each player.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG).
 *
 * @throws TypeError or RangeError naming the field.
 */
export function privUnit(request: PureRequest): OnlinePlan {
  return planOf('privUnit', request);
}

/**
 * Gradients with Gaussian noise of standard deviation Δ/μ, 2B₀/μ for most models: the mechanism of both papers. With
 * `budgets` each player has its own μ, and with `hessianMu` each player also releases its Hessian.
 *
 * Guarantee: μ-Gaussian differential privacy, of the player with the largest μ; √(μ² + μ_A²) with a Hessian.
 *
 * Source: non-asymptotic paper, example 3, with the variance 4B₀²/μ² that holds; inference paper, Section 3.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-inference (2.3)
 * @theorem online-inference Example 1
 * @theorem online-inference Example 2
 * @theorem online-inference Example 3
 * @theorem online-rates Example 3
 * @theorem online-rates Figure 2
 * @theorem online-rates Figure 4
 */
export function gdp(request: GdpRequest): OnlinePlan {
  return planOf('gdp', request);
}

/**
 * Gradients with Gaussian noise, calibrated exactly; whole numbers on a grid for the grade `deployment`.
 *
 * Guarantee: (ε, δ) for each player.
 *
 * Source: Balle, Wang 2018 (analytic Gaussian mechanism).
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 2
 */
export function gaussian(request: ApproximateRequest): OnlinePlan {
  return planOf('gaussian', request);
}

/**
 * Gradients with Laplace noise of scale 2√p·B₀/ε on each coordinate.
 *
 * Guarantee: pure ε for each player. {@link privUnit} has the same guarantee with far less noise.
 *
 * Source: non-asymptotic paper, example 1.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 1
 * @theorem online-rates Figure 4
 */
export function laplace(request: PureRequest): OnlinePlan {
  return planOf('laplace', request);
}

/**
 * Example 2 of the non-asymptotic paper exactly as printed: noise of variance B₀²·8·log(1.25/δ)/ε. A reference for
 * comparison; nobody should deploy it.
 *
 * Guarantee: see the certificate, which prints the claimed (ε, δ) beside the guarantee that holds; they differ for
 * ε < 1.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 2
 */
export function printedGaussian(request: ApproximateRequest): OnlinePlan {
  return planOf('printedGaussian', request);
}

/**
 * Example 3 of the non-asymptotic paper exactly as printed: noise of variance B₀²·4/μ. A reference for comparison;
 * nobody should deploy it.
 *
 * Guarantee: see the certificate, which prints the claimed μ beside √μ, which holds; for μ < 1 that is more.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 3
 */
export function printedGdp(request: GdpRequest): OnlinePlan {
  return planOf('printedGdp', request);
}

/**
 * Gradients without noise: a study compares private variants with this one.
 *
 * Guarantee: none; a request for a guarantee or a certificate is refused.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-inference (2.2)
 * @theorem online-rates (3.1)
 */
export function nonPrivate(request: StreamRequest): OnlinePlan {
  return planOf('nonPrivate', request);
}

/** Every field of a variant's request, as plain data that a device can be sent. */
export type OnlineSgdRequest = { readonly variant: Variant } & StreamRequest;

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function onlineSgdPlan(request: OnlineSgdRequest): OnlinePlan {
  const { variant, ...asked } = request;
  return planOf(checkWord('variant', variant, VARIANTS), asked);
}
