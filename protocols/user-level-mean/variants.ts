import { checkWord } from '../../src/check/refusal.ts';
import type { UserLevelMeanRound } from './channels.ts';
import type { Variant } from './course.ts';
import { printed, printedNaive, printedVector } from './printed.ts';
import { naive, twoRound } from './scalar/noisy-means.ts';
import { oneBit } from './scalar/one-bit.ts';
import { isVector, rememberedRequest, type UserLevelFamily, type UserLevelPlan } from './shape.ts';
import { twoRoundVector } from './vector/two-round.ts';
import { coordinates, vector } from './vector/vector.ts';

// The version of the wire format and of the laws of all variants of this protocol.
const FAMILY: UserLevelFamily = { protocol: 'user-level-mean', version: 1 };

// A table holds variants of every request and plan; the lookup by name makes sure that each gets only its own.
type AnyVariant = Variant<never, UserLevelPlan, UserLevelMeanRound>;

/** A variant as a protocol uses it, with its own plans. */
export type MeanVariant<Plan extends UserLevelPlan> = Variant<object, Plan, UserLevelMeanRound>;

/** The variants of a protocol by name, each in one dimension, in several, or in both. */
export type VariantTable = {
  readonly [name: string]: { readonly one?: AnyVariant; readonly several?: AnyVariant };
};

/** The variants that a device may play: in one dimension best first, then in several. */
export const DEPLOYABLE: VariantTable = {
  oneBit: { one: oneBit },
  twoRound: { one: twoRound, several: twoRoundVector },
  vector: { several: vector },
  coordinates: { several: coordinates },
  naive: { one: naive },
};

/** All variants; a new variant needs a line here or above. */
export const VARIANT_TABLE: VariantTable = /* @__PURE__ */ Object.assign({}, DEPLOYABLE, {
  printed: { one: printed, several: printedVector },
  printedNaive: { one: printedNaive },
});

/**
 * The variant of this name for this number of dimensions; if there is only one, that variant, which then refuses the
 * number itself.
 */
function variantFor<Plan extends UserLevelPlan>(
  table: VariantTable,
  name: string,
  several: boolean,
): MeanVariant<Plan> {
  const { one, several: vectors } = table[name];
  return (several ? (vectors ?? one) : (one ?? vectors)) as MeanVariant<Plan>;
}

/**
 * The requested plan by a table of variants; the plan remembers its request, so that it can be certified.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function planFrom<Plan extends UserLevelPlan>(
  table: VariantTable,
  request: { readonly variant?: unknown; readonly dimension?: unknown },
): Plan {
  const variant = checkWord('variant', request.variant, Object.keys(table));
  // The dimension may be of any kind: the variants refuse a value that is not a number.
  const several = typeof request.dimension === 'number' && request.dimension > 1;
  const plan = variantFor<Plan>(table, variant, several).make(FAMILY, request);
  return { ...plan, request: rememberedRequest(request, variant) };
}

/** The variant that made a plan. */
export function variantOf<Plan extends UserLevelPlan>(table: VariantTable, plan: Plan): MeanVariant<Plan> {
  return variantFor(table, plan.variant, isVector(plan));
}
