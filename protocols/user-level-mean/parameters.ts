import { checkWord } from '../../src/check/number.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { type NaiveRequest, naivePlan } from './scalar/naive.ts';
import { type OneBitRequest, oneBitPlan } from './scalar/one-bit.ts';
import type { NaivePlan, OneBitPlan, PrintedPlan, ScalarPlan, TwoRoundPlan } from './scalar/plan.ts';
import { type PrintedRequest, printedPlan } from './scalar/printed.ts';
import type { ScalarRound } from './scalar/round.ts';
import { type TwoRoundRequest, twoRoundPlan } from './scalar/two-round.ts';
import type { UserLevelFamily } from './scalar/types.ts';
import {
  type CoordinatesRequest,
  coordinates as coordinatesPlan,
  type VectorPlan,
  type VectorRequest,
  vector as vectorPlan,
} from './vector/plan.ts';
import { type PrintedVectorPlan, printedVector } from './vector/printed.ts';
import type { VectorRound } from './vector/round.ts';
import type { SeveralPlan } from './vector/several.ts';
import { type TwoRoundVectorPlan, twoRoundVector } from './vector/two-round.ts';

export { isVector } from './scalar/kind.ts';
export type {
  CoordinatesRequest,
  NaivePlan,
  NaiveRequest,
  OneBitPlan,
  OneBitRequest,
  PrintedPlan,
  PrintedRequest,
  PrintedVectorPlan,
  TwoRoundPlan,
  TwoRoundRequest,
  TwoRoundVectorPlan,
  VectorPlan,
  VectorRequest,
};

// The version of the wire format and of the laws of all variants of this protocol.
const FAMILY: UserLevelFamily = { protocol: 'user-level-mean', version: 1 };

/** Plans of the protocol, by variant: what is agreed before the first round. */
export type UserLevelMeanPlan = ScalarPlan | SeveralPlan;

/** Public parameters of one round of a plan. */
export type UserLevelMeanRound = ScalarRound | VectorRound;

/** Everything a variant is told, as plain data that a device can be sent: see {@link userLevelMeanPlan}. */
export type UserLevelMeanRequest =
  | ({ readonly variant: 'oneBit' } & OneBitRequest)
  | ({ readonly variant: 'twoRound' } & TwoRoundRequest)
  | ({ readonly variant: 'vector' } & VectorRequest)
  | ({ readonly variant: 'coordinates' } & CoordinatesRequest)
  | ({ readonly variant: 'naive' | 'printedNaive' } & NaiveRequest)
  | ({ readonly variant: 'printed' } & PrintedRequest);

// A plan that knows what it was made from, so that it can be certified.
function remembering<Plan extends UserLevelMeanPlan>(plan: Plan, request: object): Plan {
  const entries = Object.entries({ ...request, variant: plan.variant }).filter(([, value]) => value !== undefined);
  return { ...plan, request: Object.fromEntries(entries) as PlainRequest };
}

/** The variants of this protocol: in one dimension, best first, then in several, then the references. */
export const VARIANTS = ['oneBit', 'twoRound', 'vector', 'coordinates', 'naive', 'printed', 'printedNaive'] as const;

/**
 * Noisy local means, the slides' baseline with the right noise: its error does not fall with m.
 *
 * Guarantee: (ε, δ), calibrated exactly for the sensitivity 2B.
 *
 * Source: Avella-Medina 2023 (slides), a naive estimator.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem slides A naive estimator, noise and privacy
 */
export function naive(request: NaiveRequest): NaivePlan {
  return remembering(naivePlan(FAMILY, 'naive', request), request);
}

/**
 * Noisy local means with the noise that the slides print, N(0, 2B²·ln(2/δ)/ε²): a quarter of what is needed. For audits only.
 *
 * Guarantee: not the one claimed; the certificate has the μ that holds.
 *
 * @throws as {@link naive}.
 * @theorem slides A naive estimator, noise and privacy
 */
export function printedNaive(request: NaiveRequest): NaivePlan {
  return remembering(naivePlan(FAMILY, 'printedNaive', request), request);
}

// Whatever came as a dimension: what is no number is refused by the variants.
const several = ({ dimension }: { readonly dimension?: unknown }): boolean =>
  typeof dimension === 'number' && dimension > 1;

/**
 * The slides' two rounds as printed; the reference to measure against. A mean at the edge of a bin costs it a bias that no n
 * removes. In several dimensions on each rotated coordinate.
 *
 * Guarantee: (ε, δ) over both rounds, which every player answers; the certificate shows how much of it is spent. Not for the
 * calibration `unsplit` of several dimensions, see the certificate.
 *
 * Source: Avella-Medina 2023 (slides), algorithm of the two-round estimator.
 *
 * @throws as {@link naive}.
 * @theorem slides An improved estimator
 * @theorem slides Algorithm, round 1
 * @theorem slides Algorithm, round 2, projection
 * @theorem slides Algorithm, round 2, noise
 * @theorem slides Theorem, two-round estimator, privacy
 * @theorem slides Results for the multivariate case, preprocessing
 * @theorem slides Theorem, multivariate case, privacy
 */
export function printed(request: PrintedRequest & { readonly dimension?: 1 }): PrintedPlan;
export function printed(request: PrintedRequest): PrintedPlan | PrintedVectorPlan;
export function printed(request: PrintedRequest): PrintedPlan | PrintedVectorPlan {
  if (several(request)) return remembering(printedVector(FAMILY, request), request);
  return remembering(printedPlan(FAMILY, request), request);
}

/**
 * The two rounds corrected: the best pair of bins, fresh players in each round (or one split budget), noise for the interval's
 * own sensitivity. Unbiased for any law of the samples, but for what lies outside the interval. In several dimensions bins of rotated
 * coordinates, one a player, and the residual as one vector.
 *
 * Guarantee: (ε, δ), or pure ε where no δ is given.
 *
 * @throws as {@link naive}.
 * @theorem slides An improved estimator
 * @theorem slides Algorithm, round 2, projection
 * @theorem slides Theorem, two-round estimator, privacy
 * @theorem slides Theorem, two-round estimator, error
 * @theorem slides Results for the multivariate case, preprocessing
 * @theorem slides Theorem, multivariate case, privacy
 * @theorem slides Theorem, multivariate case, error
 */
export function twoRound(request: TwoRoundRequest & { readonly dimension?: 1 }): TwoRoundPlan;
export function twoRound(request: TwoRoundRequest): TwoRoundPlan | TwoRoundVectorPlan;
export function twoRound(request: TwoRoundRequest): TwoRoundPlan | TwoRoundVectorPlan {
  if (several(request)) return remembering(twoRoundVector(FAMILY, request), request);
  return remembering(twoRoundPlan(FAMILY, request), request);
}

/**
 * One bit per player, pure ε, in four rounds of fresh players. What the toolkit recommends in one dimension.
 *
 * Guarantee: pure ε, exact for the bits that travel.
 *
 * @throws as {@link naive}.
 * @theorem slides Theorem, two-round estimator, error
 */
export function oneBit(request: OneBitRequest): OneBitPlan {
  return remembering(oneBitPlan(FAMILY, request), request);
}

/**
 * Means in d dimensions: rotated, found coordinate by coordinate, one bit per player; and, where that is better, the residual as
 * one unit vector in the last round. What the toolkit recommends in several dimensions.
 *
 * Guarantee: pure ε; (ε, δ) in the form `gaussian`.
 *
 * @throws as {@link naive}.
 * @theorem slides Results for the multivariate case, preprocessing
 * @theorem slides Results for the multivariate case, random rotation
 * @theorem slides Theorem, multivariate case, privacy
 * @theorem slides Theorem, multivariate case, error
 * @theorem slides Theorem, multivariate case, condition
 */
export function vector(request: VectorRequest): VectorPlan {
  return remembering(vectorPlan(FAMILY, request), request);
}

/**
 * Means in d dimensions coordinate by coordinate, the budget split among them: for comparison.
 *
 * Guarantee: pure ε.
 *
 * @throws as {@link naive}.
 * @theorem slides Results for the multivariate case, coordinate-wise
 */
export function coordinates(request: CoordinatesRequest): VectorPlan {
  return remembering(coordinatesPlan(FAMILY, request), request);
}

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem slides Mean estimation under user-level local privacy constraints
 */
export function userLevelMeanPlan(request: UserLevelMeanRequest): UserLevelMeanPlan {
  const variant = checkWord('variant', request.variant, VARIANTS);
  switch (request.variant) {
    case 'oneBit':
      return oneBit(request);
    case 'twoRound':
      return twoRound(request);
    case 'vector':
      return vector(request);
    case 'coordinates':
      return coordinates(request);
    case 'printed':
      return printed(request);
    default:
      return variant === 'naive' ? naive(request) : printedNaive(request);
  }
}
