import { checkWord } from '../../src/check/refusal.ts';
import { readWhole } from '../../src/core/request.ts';
import type { Variant } from './course.ts';
import {
  type PrintedPlan,
  type PrintedRequest,
  type PrintedVectorPlan,
  printedNaive as printedMeans,
  printed as printedRounds,
  printedVector,
} from './printed.ts';
import {
  type NaivePlan,
  type NaiveRequest,
  naive as noisyMeans,
  twoRound as scalarRounds,
  type TwoRoundPlan,
  type TwoRoundRequest,
} from './scalar/noisy-means.ts';
import { type OneBitPlan, type OneBitRequest, oneBit as signRounds } from './scalar/one-bit.ts';
import type { ScalarRound } from './scalar/question.ts';
import { isVector, rememberedRequest, type UserLevelFamily, type UserLevelPlan } from './shape.ts';
import type { CoordinateRound, SignRound } from './vector/coordinate-round.ts';
import type { ResidualRound } from './vector/residual-round.ts';
import { type TwoRoundVectorPlan, twoRoundVector } from './vector/two-round.ts';
import {
  type CoordinatesRequest,
  coordinates as coordinateSigns,
  vector as rotatedSigns,
  type VectorPlan,
  type VectorRequest,
} from './vector/vector.ts';

/** Plans of the protocol, in one dimension and in several: everything that is agreed on before the first round. */
export type UserLevelMeanPlan =
  | (NaivePlan | PrintedPlan | TwoRoundPlan | OneBitPlan)
  | (VectorPlan | TwoRoundVectorPlan | PrintedVectorPlan);

/** Every field of a variant's request, as plain data that a device can be sent: see {@link userLevelMeanPlan}. */
export type UserLevelMeanRequest =
  | ({ readonly variant: 'oneBit' } & OneBitRequest)
  | ({ readonly variant: 'twoRound' } & TwoRoundRequest)
  | ({ readonly variant: 'vector' } & VectorRequest)
  | ({ readonly variant: 'coordinates' } & CoordinatesRequest)
  | ({ readonly variant: 'naive' | 'printedNaive' } & NaiveRequest)
  | ({ readonly variant: 'printed' } & PrintedRequest);

/**
 * Noisy local means, the slides' baseline with the correct noise: its error does not fall with m.
 *
 * Guarantee: (ε, δ), calibrated exactly for the sensitivity 2B.
 *
 * Source: Avella-Medina 2023 (slides), a naive estimator.
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
 * @throws as {@link naive}.
 */
export function vector(request: VectorRequest): VectorPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'vector' });
}

/**
 * Means in d dimensions coordinate by coordinate, with the budget split among them: for comparison.
 *
 * Guarantee: pure ε.
 * @throws as {@link naive}.
 */
export function coordinates(request: CoordinatesRequest): VectorPlan {
  return planFrom(VARIANT_TABLE, { ...request, variant: 'coordinates' });
}

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 * @throws TypeError or RangeError naming the field.
 * @theorem slides Mean estimation under user-level local privacy constraints
 */
export function userLevelMeanPlan(request: UserLevelMeanRequest): UserLevelMeanPlan {
  return planFrom(VARIANT_TABLE, request);
}

/** A round of a plan in several dimensions. */
export type VectorRound = SignRound | ResidualRound | CoordinateRound;

/** Public parameters of one round of a plan, of any kind. */
export type UserLevelMeanRound = ScalarRound | VectorRound;

// The version of the wire format and of the laws of all variants of this protocol.
const FAMILY: UserLevelFamily = { protocol: 'user-level-mean', version: 1 };

// A table holds variants of every request and plan; the lookup by name makes sure that each gets only its own.
type AnyVariant = Variant<never, UserLevelPlan, UserLevelMeanRound>;

/** A variant as a protocol uses it, with its own plans. */
type MeanVariant<Plan extends UserLevelPlan> = Variant<object, Plan, UserLevelMeanRound>;

/** The variants of a protocol by name, each in one dimension, in several, or in both. */
export type VariantTable = Readonly<Record<string, { readonly one?: AnyVariant; readonly several?: AnyVariant }>>;

/** The variants that a device may play: in one dimension best first, then in several. */
export const DEPLOYABLE: VariantTable = {
  oneBit: { one: signRounds },
  twoRound: { one: scalarRounds, several: twoRoundVector },
  vector: { several: rotatedSigns },
  coordinates: { several: coordinateSigns },
  naive: { one: noisyMeans },
};

/** All variants; a new variant needs a line here or above. */
export const VARIANT_TABLE: VariantTable = /* @__PURE__ */ Object.assign({}, DEPLOYABLE, {
  printed: { one: printedRounds, several: printedVector },
  printedNaive: { one: printedMeans },
});

/** The variants of this protocol: in one dimension, best first, then in several, then the references. */
export const VARIANTS = /* @__PURE__ */ Object.keys(VARIANT_TABLE) as readonly UserLevelMeanRequest['variant'][];

/** The variant for this number of dimensions; the only one if there is no other, which then refuses the number. */
function variantFor<Plan extends UserLevelPlan>({ one, several }: VariantTable[string], vectors: boolean) {
  return (vectors ? (several ?? one) : (one ?? several)) as MeanVariant<Plan>;
}

/**
 * The requested plan by a table of variants; the plan remembers its request, so that it can be certified. A field that the variant does not
 * read is refused: it would change nothing.
 */
export function planFrom<Plan extends UserLevelPlan>(
  table: VariantTable,
  request: { readonly variant?: unknown; readonly dimension?: unknown },
): Plan {
  const variant = checkWord('variant', request.variant, Object.keys(table));
  // The dimension may be of any kind: the variants refuse a value that is not a number.
  const several = typeof request.dimension === 'number' && request.dimension > 1;
  const make = (given: object): Plan => variantFor<Plan>(table[variant], several).make(FAMILY, given);
  const plan = readWhole('request', request, make, { others: ['variant'] });
  return { ...plan, request: rememberedRequest(request, variant) };
}

export function variantOf<Plan extends UserLevelPlan>(table: VariantTable, plan: Plan): MeanVariant<Plan> {
  return variantFor(table[plan.variant], isVector(plan));
}
