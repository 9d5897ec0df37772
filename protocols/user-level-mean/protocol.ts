import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { auditing } from './auditing.ts';
import { report, type UserLevelMeanRound } from './channels.ts';
import { roundsBy } from './course.ts';
import type { UserLevelMeanPlan } from './parameters.ts';
import { player } from './player.ts';
import { server } from './server.ts';
import type { MeanEstimate, MeanTally, UserDatum, UserLevelReport } from './shape.ts';
import { meanTheory } from './theory.ts';
import { planFrom, VARIANT_TABLE, type VariantTable, variantOf } from './variants.ts';

/** A protocol for the mean, with some or all variants. */
export type MeanProtocol = RoundsProtocol<
  UserLevelMeanPlan,
  UserLevelMeanRound,
  UserDatum,
  UserLevelReport,
  MeanTally,
  MeanEstimate
>;

/** The protocol with the variants of a table. */
export function meanProtocol(variants: VariantTable): MeanProtocol {
  return {
    name: 'user-level-mean',
    player,
    report,
    server,
    rounds: roundsBy((plan: UserLevelMeanPlan) => variantOf(variants, plan)),
    theory: meanTheory(variants),
    auditing,
    // The variants check every field, whatever its kind.
    make: (request) => planFrom(variants, request),
  };
}

/**
 * The mean of samples, estimated in rounds. Every player holds several samples, all of them protected together.
 *
 * Source: Avella-Medina 2023 (slides of Ramesh, Han, Avella-Medina, Rush), the two-round estimator, and later results.
 * @theorem slides Mean estimation under user-level local privacy constraints
 */
export const userLevelMean: MeanProtocol = /* @__PURE__ */ meanProtocol(VARIANT_TABLE);
