import { createScratch, reserveExactly } from '../../src/check/datum.ts';
import type { Player } from '../../src/core/contract.ts';
import { createValues } from '../../src/core/frame.ts';
import type { Random } from '../../src/random/random.ts';
import { player as meanPlayer } from '../user-level-mean/player.ts';
import { askedOf } from './descent.ts';
import type { ErmReport, UserLevelErmRound } from './parameters.ts';
import { clipRecords, type ErmDatum, fillGradient } from './record.ts';

// Scratch of the kernel, kept between calls; each call overwrites it.
const scratch = /* @__PURE__ */ createScratch(0);
const gradient: { samples: Float64Array } = { samples: new Float64Array(0) };

/**
 * One player's randomized report: a sign of its own mean gradient, or its answer in a round of a two-round gradient.
 * @throws TypeError or RangeError for records outside the domain; the message never contains their values.
 */
function randomize(round: UserLevelErmRound, datum: ErmDatum, random: Random): ErmReport {
  const { precision, length } = round.asked;
  const report = { values: createValues(precision, length) };
  randomizeInto(round, datum, random, report);
  return report;
}

/** {@link randomize}, overwriting an existing report; the same coins give the same report. */
function randomizeInto(round: UserLevelErmRound, datum: ErmDatum, random: Random, report: ErmReport): void {
  const { objective, theta } = round;
  gradient.samples = reserveExactly(scratch, objective.dimension);
  fillGradient(objective, theta, datum, gradient.samples);
  meanPlayer.randomizeInto(askedOf(round), gradient, random, report);
}

/** The player of the protocol. */
export const player: Player<UserLevelErmRound, ErmDatum, ErmReport> = {
  randomize,
  randomizeInto,
  clip: ({ objective }, datum) => clipRecords(objective, datum),
};
