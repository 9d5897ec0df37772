import { checkWord, RefusedValue } from '../../src/check/refusal.ts';
import { readWhole } from '../../src/core/request.ts';
import {
  type CopiesParameters,
  type GaussianParameters,
  type LiftedParameters,
  type MarginFamily,
  type MarginGaussianRequest,
  type MarginLiftedRequest,
  type MarginParameters,
  type MarginSphericalRequest,
  type MarginTask,
  marginCopies,
  marginDirect,
  marginGaussian,
  marginLifted,
  marginSampled,
  type PowerVariant,
  type SampledParameters,
  type SphericalParameters,
} from './margin/parameters.ts';
import { marginSpherical } from './margin/spherical.ts';

// The version of the wire format and of the laws of all variants of this protocol.
const FAMILY: MarginFamily = { protocol: 'generalized-linear', version: 1 };

/** Parameters of the generalized-linear protocol, by variant. */
export type GeneralizedLinearParameters = MarginParameters | SphericalParameters;

/** What a request adds for the variants that serve both tasks. */
export interface TaskRequest {
  /** `classification` (default): reports of y·x. `regression`: reports of (x, y)/√2, degree ≥ 1. */
  readonly task?: MarginTask;
}

/** A request for the variant `direct`, `lifted` or `sampled`. */
export interface LiftedRequest extends MarginLiftedRequest, TaskRequest {}

/** A request for the variant `gaussian`. */
export interface GaussianRequest extends MarginGaussianRequest, TaskRequest {}

/** A complete request for a variant, as plain data for a device: see {@link generalizedLinearParameters}. */
export type GeneralizedLinearRequest =
  | ({ readonly variant: 'printed' | 'copies' } & MarginGaussianRequest)
  | ({ readonly variant: 'gaussian' } & GaussianRequest)
  | ({ readonly variant: PowerVariant } & LiftedRequest)
  | ({ readonly variant: 'sphericalLaplace' } & MarginSphericalRequest);

function taskOf({ task = 'classification' }: TaskRequest): MarginTask {
  return checkWord('task', task, ['classification', 'regression']);
}

// Only reports of v itself, of its powers or of one Gaussian copy can serve a regression: another variant must not quietly collect something else.
function refuseRegression(variant: string, request: TaskRequest): void {
  if (taskOf(request) === 'regression') {
    throw new RefusedValue('task', `classification for variant ${variant}`, request.task);
  }
}

/**
 * Algorithm 2 exactly as printed: its noise levels, its copies, an independent s_k in each factor. Its gradient is
 * biased. It is here to show this bias; nobody should deploy it. (The scalar "+ f′(−1)" of line 18 is read as
 * f′(−1)·y₀x₀; the printed form adds a number to a vector.)
 *
 * Guarantee: see the certificate, which prints the claimed (ε, δ) beside what holds.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 2.
 * @throws TypeError or RangeError naming the field: ε ≤ 0, δ ∉ (0, 1), degree not a whole number from 0 to 20, p < 1.
 * @theorem noninteractive Algorithm 2
 */
export function printed(request: MarginGaussianRequest): CopiesParameters {
  refuseRegression('printed', request as TaskRequest);
  return marginCopies(FAMILY, 'printed', request);
}

/**
 * The report shape of algorithm 2 with the budget calibrated exactly by composition of Gaussian DP. It is decoded by
 * averaging the copies, or by products with *one* s per gradient, shared by all factors.
 *
 * Guarantee: (ε, δ) for the whole transcript.
 * @throws as {@link printed}.
 */
export function copies(request: MarginGaussianRequest): CopiesParameters {
  refuseRegression('copies', request as TaskRequest);
  return marginCopies(FAMILY, 'copies', request);
}

/**
 * One Gaussian copy of v = y·x, or of (x, y)/√2, decoded by the inverse Weierstrass transform. One tally serves any
 * loss and any polynomial up to the degree, chosen after collection.
 *
 * Guarantee: (ε, δ), calibrated exactly (analytic Gaussian mechanism with sensitivity 2).
 *
 * Source: Stefanski 1989, Nakamura 1990 (corrected scores); mathematics of the toolkit, docs/generalized-linear.md.
 * @throws TypeError or RangeError naming the field; RangeError when the powers up to d + 1 exceed the size limit.
 */
export function gaussian(request: GaussianRequest): GaussianParameters {
  return marginGaussian(FAMILY, request, taskOf(request));
}

/**
 * One pure-ε report z of v itself, which is y·x or (x, y)/√2, by PrivUnitG with a cap from which E v and E v·vᵀ can both be read:
 * E zzᵀ = a·I + b·v·vᵀ. From about ε = .7 on its two powers have less noise than in `lifted` with the usual shares, at ε = 4 two
 * thirds and a third of it, and a report costs p + 1 numbers. For a degree above 1 the device draws, as for `sampled`, whether it
 * reports v or one of the powers from the third on.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, docs/hinge.md (one report of two powers).
 * @throws as {@link lifted}.
 */
export function direct(request: LiftedRequest): SampledParameters {
  return marginDirect(FAMILY, request, taskOf(request));
}

/**
 * One pure-ε report of the lifted vector (a_1 v, a_2 sym²(v), …) by PrivUnitG; v is y·x, or (x, y)/√2. The tally is a
 * running vector sum that serves every loss. It is planned for a small ε, up to about .7.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, docs/generalized-linear.md.
 * @throws TypeError or RangeError naming the field; RangeError when the lifted vector exceeds the size limit.
 */
export function lifted(request: LiftedRequest): LiftedParameters {
  return marginLifted(FAMILY, request, taskOf(request));
}

/**
 * One pure-ε report of one power sym^k(v) at full norm; v is y·x, or (x, y)/√2. The device draws k with the public
 * probabilities s_k. With s_k = a_k² the noise is that of `lifted`, and a simulated report costs Σ s_k·D_k numbers, D_k the
 * entries of power k, instead of Σ D_k.
 *
 * Guarantee: pure ε, δ = 0: k does not depend on the record.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, README of hinge.
 * @throws as {@link lifted}.
 */
export function sampled(request: LiftedRequest): SampledParameters {
  return marginSampled(FAMILY, request, taskOf(request));
}

/**
 * One copy of v = y·x with spherical Laplace noise, for few features. For a loss with derivatives of every order
 * (logistic, exponential, squared) it is decoded exactly, without a polynomial.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: mathematics of the toolkit, docs/generalized-linear.md.
 * @throws TypeError or RangeError naming the field: ε ≤ 0, p not a whole number from 1 to 29.
 */
export function sphericalLaplace(request: MarginSphericalRequest): SphericalParameters {
  refuseRegression('sphericalLaplace', request as TaskRequest);
  return marginSpherical(FAMILY, request);
}

/**
 * Parameters from plain data. A device that gets this data makes the same parameters as the server, with the same
 * digest.
 * @throws TypeError or RangeError naming the field, also one that the variant does not use.
 */
export function generalizedLinearParameters(request: GeneralizedLinearRequest): GeneralizedLinearParameters {
  return readWhole('request', request, (asked) => {
    const make: (request: never) => GeneralizedLinearParameters = MAKERS[checkWord('variant', asked.variant, VARIANTS)];
    return make(asked as never);
  });
}

/** The variants of this protocol: a command that is told none, and plans none, takes the first, and compares it with the second. */
export const VARIANTS = ['lifted', 'gaussian', 'direct', 'sampled', 'sphericalLaplace', 'copies', 'printed'] as const;

const MAKERS = { copies, direct, gaussian, lifted, printed, sampled, sphericalLaplace } as const;
