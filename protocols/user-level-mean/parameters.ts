import type { PrintedPlan, PrintedRequest, PrintedVectorPlan } from './printed.ts';
import type { NaivePlan, NaiveRequest, TwoRoundPlan, TwoRoundRequest } from './scalar/noisy-means.ts';
import type { OneBitPlan, OneBitRequest } from './scalar/one-bit.ts';
import { planFrom, VARIANT_TABLE } from './variants.ts';
import type { TwoRoundVectorPlan } from './vector/two-round.ts';
import type { CoordinatesRequest, VectorPlan, VectorRequest } from './vector/vector.ts';

/** Plans in one dimension. */
export type ScalarPlan = NaivePlan | PrintedPlan | TwoRoundPlan | OneBitPlan;

/** Plans of the protocol, by variant: everything that is agreed on before the first round. */
export type UserLevelMeanPlan = ScalarPlan | VectorPlan | TwoRoundVectorPlan | PrintedVectorPlan;

/** Every field of a variant's request, as plain data that a device can be sent: see {@link userLevelMeanPlan}. */
export type UserLevelMeanRequest =
  | ({ readonly variant: 'oneBit' } & OneBitRequest)
  | ({ readonly variant: 'twoRound' } & TwoRoundRequest)
  | ({ readonly variant: 'vector' } & VectorRequest)
  | ({ readonly variant: 'coordinates' } & CoordinatesRequest)
  | ({ readonly variant: 'naive' | 'printedNaive' } & NaiveRequest)
  | ({ readonly variant: 'printed' } & PrintedRequest);

/** The variants of this protocol: in one dimension, best first, then in several, then the references. */
export const VARIANTS = /* @__PURE__ */ Object.keys(VARIANT_TABLE) as readonly UserLevelMeanRequest['variant'][];

/**
 * Noisy local means, the slides' baseline with the correct noise: its error does not fall with m.
 *
 * Guarantee: (ε, δ), calibrated exactly for the sensitivity 2B.
 *
 * Source: Avella-Medina 2023 (slides), a naive estimator.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function naive(request: NaiveRequest): NaivePlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'naive' });
}

/**
 * Noisy local means with the noise that the slides print, N(0, 2B²·ln(2/δ)/ε²): a quarter of the required noise. For
 * audits only.
 *
 * Guarantee: not the claimed one; the certificate has the μ that holds.
 *
 * @throws as {@link naive}.
 */
export function printedNaive(request: NaiveRequest): NaivePlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'printedNaive' });
}

/**
 * The slides' two rounds as printed; a reference for comparison. A mean at the edge of a bin gives it a bias that no n
 * removes. In several dimensions, the two rounds run on each rotated coordinate.
 *
 * Guarantee: (ε, δ) over both rounds, which every player answers; the certificate shows how much of it is used. The
 * calibration `unsplit` of several dimensions does not have this guarantee, see the certificate.
 *
 * Source: Avella-Medina 2023 (slides), algorithm of the two-round estimator.
 *
 * @throws as {@link naive}.
 */
export function printed(request: PrintedRequest & { readonly dimension?: 1 }): PrintedPlan;
export function printed(request: PrintedRequest): PrintedPlan | PrintedVectorPlan;
export function printed(request: PrintedRequest): PrintedPlan | PrintedVectorPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'printed' });
}

/**
 * The two rounds corrected: the best pair of bins, fresh players in each round (or one split budget), noise for the
 * interval's own sensitivity. Unbiased for any law of the samples, except for the part outside the interval. In several
 * dimensions it uses bins of rotated coordinates, one per player, and the residual as one vector.
 *
 * Guarantee: (ε, δ), or pure ε if no δ is given.
 *
 * @throws as {@link naive}.
 */
export function twoRound(request: TwoRoundRequest & { readonly dimension?: 1 }): TwoRoundPlan;
export function twoRound(request: TwoRoundRequest): TwoRoundPlan | TwoRoundVectorPlan;
export function twoRound(request: TwoRoundRequest): TwoRoundPlan | TwoRoundVectorPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'twoRound' });
}

/**
 * One bit per player, pure ε, in four rounds of fresh players. Recommended by the toolkit in one dimension.
 *
 * Guarantee: pure ε, exact for the bits that are sent.
 *
 * @throws as {@link naive}.
 */
export function oneBit(request: OneBitRequest): OneBitPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'oneBit' });
}

/**
 * Means in d dimensions: rotated, found coordinate by coordinate, one bit per player; if that is better, the last round
 * sends the residual as one unit vector. Recommended by the toolkit in several dimensions.
 *
 * Guarantee: pure ε; (ε, δ) in the form `gaussian`.
 *
 * @throws as {@link naive}.
 */
export function vector(request: VectorRequest): VectorPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'vector' });
}

/**
 * Means in d dimensions coordinate by coordinate, with the budget split among them: for comparison.
 *
 * Guarantee: pure ε.
 *
 * @throws as {@link naive}.
 */
export function coordinates(request: CoordinatesRequest): VectorPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'coordinates' });
}

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem slides Mean estimation under user-level local privacy constraints
 */
export function userLevelMeanPlan(request: UserLevelMeanRequest): UserLevelMeanPlan {
  return planFrom(VARIANT_TABLE, request);
}
