import { checkWord } from '../../src/check/refusal.ts';
import { readWhole } from '../../src/core/request.ts';
import {
  type CopiesParameters,
  type GaussianParameters,
  type MarginGaussianRequest as GaussianRequest,
  type LiftedParameters,
  type MarginLiftedRequest as LiftedRequest,
  type MarginFamily,
  type MarginParameters,
  type MarginRequest,
  marginCopies,
  marginDirect,
  marginGaussian,
  marginLifted,
  marginSampled,
  type SampledParameters,
} from '../generalized-linear/margin/parameters.ts';

/** Name of the protocol, and version of the wire format and of the laws of all its variants. */
export const HINGE: MarginFamily = { protocol: 'hinge', version: 1 };

/** Parameters of the hinge protocol, by variant. */
export type HingeParameters = MarginParameters;

/** A complete request for a variant, as plain data that can be sent to a device: see {@link hingeParameters}. */
export type HingeRequest = MarginRequest;

/**
 * Algorithm 1 exactly as printed: its noise levels, its copies; decoded by the product estimator and SIGM (the
 * stochastic intermediate gradient method) over sampled reports. The reference to measure against; nobody should deploy
 * it.
 *
 * Guarantee: see the certificate, which prints the claimed (ε, δ) beside what holds.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1.
 * @throws TypeError or RangeError naming the field: ε ≤ 0, δ ∉ (0, 1), degree not a whole number from 0 to 20, p < 1.
 * @theorem noninteractive Algorithm 1
 */
export function printed(request: GaussianRequest): CopiesParameters {
  return marginCopies(HINGE, 'printed', request);
}

/**
 * The report shape of algorithm 1 with the budget calibrated exactly by composition of Gaussian DP and split over the
 * copies to minimise the variance of the leading monomial; one pass without replacement.
 *
 * Guarantee: (ε, δ) for the whole transcript.
 * @throws as {@link printed}.
 */
export function copies(request: GaussianRequest): CopiesParameters {
  return marginCopies(HINGE, 'copies', request);
}

/**
 * One Gaussian copy of v = y·x, decoded by the inverse Weierstrass transform. One tally serves any polynomial up to the
 * degree, chosen after collection.
 *
 * Guarantee: (ε, δ), calibrated exactly (analytic Gaussian mechanism with sensitivity 2).
 *
 * Source: Stefanski 1989, Nakamura 1990 (corrected scores); mathematics of the toolkit, docs/hinge.md.
 * @throws TypeError or RangeError naming the field; RangeError when the powers of v up to d + 1 exceed the size limit.
 */
export function gaussian(request: GaussianRequest): GaussianParameters {
  return marginGaussian(HINGE, request);
}

/**
 * One pure-ε report z of v itself, v = y·x, by PrivUnitG with a cap from which E v and E v·vᵀ can both be read: E zzᵀ = a·I +
 * b·v·vᵀ. From about ε = .7 on its two powers have less noise than in `lifted` with the usual shares, at ε = 4 two thirds and a
 * third of it, and a report costs p + 1 numbers. For a degree above 1 the device draws, as for `sampled`, whether it reports v or
 * one of the powers from the third on.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, docs/hinge.md (one report of two powers).
 * @throws as {@link lifted}.
 */
export function direct(request: LiftedRequest): SampledParameters {
  return marginDirect(HINGE, request);
}

/**
 * One pure-ε report of the lifted vector (a_1 v, a_2 sym²(v), …) by the best mechanism for a unit vector, PrivUnitG.
 * The tally is a running vector sum. It is planned for a small ε.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, docs/hinge.md.
 * @throws TypeError or RangeError naming the field; RangeError when the lifted vector exceeds the size limit.
 */
export function lifted(request: LiftedRequest): LiftedParameters {
  return marginLifted(HINGE, request);
}

/**
 * One pure-ε report of one power sym^k(v) at full norm, v = y·x. The device draws k with the public probabilities s_k. With
 * s_k = a_k² the noise is that of `lifted`, and a simulated report costs Σ s_k·D_k numbers, D_k the entries of power k,
 * instead of Σ D_k.
 *
 * Guarantee: pure ε, δ = 0: k does not depend on the record.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, README of this protocol.
 * @throws as {@link lifted}.
 */
export function sampled(request: LiftedRequest): SampledParameters {
  return marginSampled(HINGE, request);
}

/**
 * Parameters from plain data. A device that gets this data makes the same parameters as the server, with the same
 * digest.
 * @throws TypeError or RangeError naming the field, also one that the variant does not use.
 */
export function hingeParameters(request: HingeRequest): HingeParameters {
  return readWhole('request', request, (asked) => {
    const make: (request: never) => HingeParameters = MAKERS[checkWord('variant', asked.variant, VARIANTS)];
    return make(asked as never);
  });
}

/** The variants of this protocol: a command that is told none, and plans none, takes the first, and compares it with the second. */
export const VARIANTS = ['lifted', 'gaussian', 'direct', 'sampled', 'copies', 'printed'] as const;

const MAKERS = { copies, direct, gaussian, lifted, printed, sampled } as const;
