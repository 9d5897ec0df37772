import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { checkGrade, type Grade } from '../../src/core/grade.ts';
import { type OnlineModel, onlineModel } from '../../src/risk/regression/model.ts';
import {
  gaussianNoise,
  gdpNoise,
  laplaceNoise,
  type OnlineNoise,
  printedGaussianNoise,
  printedGdpNoise,
  unitNoise,
} from './noise.ts';
import { hessianOf, type OnlineFamily, type OnlinePlan, onlinePlan } from './plan.ts';
import type { ApproximateRequest, GdpRequest, PureRequest, StreamRequest } from './request.ts';

export type { ModelKind, ModelRequest, OnlineModel } from '../../src/risk/regression/model.ts';
export type { BudgetRequest, Budgets } from './budgets.ts';
export type { OnlineNoise } from './noise.ts';
export type { OnlinePlan } from './plan.ts';
export type {
  ApproximateRequest,
  GdpRequest,
  Inference,
  PureRequest,
  StalePolicy,
  StreamRequest,
} from './request.ts';

// The protocol's name and the version of its wire format and of the laws of all variants.
const FAMILY: OnlineFamily = { protocol: 'online-sgd', version: 1 };

/** Names of the variants of this protocol. */
export type Variant = (typeof VARIANTS)[number];

function planOf<Request extends StreamRequest>(
  variant: Variant,
  request: Request,
  deployable: boolean,
  noiseOf: (model: OnlineModel, grade: Grade) => OnlineNoise,
): OnlinePlan {
  if (request === null || typeof request !== 'object') throw new TypeError(refusal('request', 'an object', request));
  const grade = checkGrade(request.grade, variant, deployable);
  const model = onlineModel(request.model);
  return onlinePlan(FAMILY, { variant, grade, model, noise: noiseOf(model, grade) }, request);
}

/**
 * Gradients by the best pure randomizer of a unit vector, PrivUnitG, after one more coordinate has completed Ψ/B₀ to the sphere.
 * Of all pure reports the one to recommend.
 *
 * Guarantee: pure ε for each player.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG).
 *
 * @throws TypeError or RangeError naming the field.
 */
export function privUnit(request: PureRequest): OnlinePlan {
  return planOf('privUnit', request, true, (model, grade) => unitNoise(model, request.epsilon, grade));
}

/**
 * Gradients with Gaussian noise of standard deviation Δ/μ, 2B₀/μ for most models: the mechanism of both papers. With `budgets`
 * players have a μ of their own, and with `hessianMu` each releases its Hessian besides.
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
  if (request === null || typeof request !== 'object') throw new TypeError(refusal('request', 'an object', request));
  const grade = checkGrade(request.grade, 'gdp', false);
  const model = onlineModel(request.model);
  const noise = gdpNoise(model, request);
  const { hessianMu } = request;
  const hessian = hessianMu === undefined ? {} : { hessian: hessianOf(model, checkPositive('hessianMu', hessianMu)) };
  return onlinePlan(FAMILY, { variant: 'gdp', grade, model, noise, ...hessian }, request);
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
  return planOf('gaussian', request, true, (model, grade) => gaussianNoise(model, request, grade));
}

/**
 * Gradients with Laplace noise of scale 2√p·B₀/ε on each coordinate.
 *
 * Guarantee: pure ε for each player. {@link privUnit} has the same with far less noise.
 *
 * Source: non-asymptotic paper, example 1.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 1
 * @theorem online-rates Figure 4
 */
export function laplace(request: PureRequest): OnlinePlan {
  return planOf('laplace', request, false, (model) => laplaceNoise(model, request.epsilon));
}

/**
 * Example 2 of the non-asymptotic paper exactly as printed: noise of variance B₀²·8·log(1.25/δ)/ε. The reference to measure
 * against; nobody should deploy it.
 *
 * Guarantee: see the certificate, which prints the claimed (ε, δ) beside what holds; for ε < 1 they differ.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 2
 */
export function printedGaussian(request: ApproximateRequest): OnlinePlan {
  return planOf('printedGaussian', request, false, (model) => printedGaussianNoise(model, request));
}

/**
 * Example 3 of the non-asymptotic paper exactly as printed: noise of variance B₀²·4/μ. The reference to measure against; nobody
 * should deploy it.
 *
 * Guarantee: see the certificate, which prints the claimed μ beside what holds, √μ; for μ < 1 that is more.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Example 3
 */
export function printedGdp(request: GdpRequest): OnlinePlan {
  return planOf('printedGdp', request, false, (model) => printedGdpNoise(model, request.mu as number));
}

/**
 * Gradients as they are: what privacy is compared with in a study.
 *
 * Guarantee: none; asking for it, or for a certificate, is refused.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem online-inference (2.2)
 * @theorem online-rates (3.1)
 */
export function nonPrivate(request: StreamRequest): OnlinePlan {
  return planOf('nonPrivate', request, false, () => ({ law: 'none' }));
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

/** Everything a variant is told, as plain data that a device can be sent. */
export type OnlineSgdRequest = { readonly variant: Variant } & StreamRequest;

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function onlineSgdPlan(request: OnlineSgdRequest): OnlinePlan {
  const { variant, ...asked } = request;
  // The variants check every field, of whatever kind.
  switch (checkWord('variant', variant, VARIANTS)) {
    case 'privUnit':
      return privUnit(asked as PureRequest);
    case 'gdp':
      return gdp(asked);
    case 'gaussian':
      return gaussian(asked as ApproximateRequest);
    case 'laplace':
      return laplace(asked as PureRequest);
    case 'printedGaussian':
      return printedGaussian(asked as ApproximateRequest);
    case 'printedGdp':
      return printedGdp(asked);
    case 'nonPrivate':
      return nonPrivate(asked);
  }
}
