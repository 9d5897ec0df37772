import { createScratch, reserveExactly } from '../../src/check/datum.ts';
import type { Player } from '../../src/core/contract.ts';
import { createReport, type ValuesReport } from '../../src/core/frame.ts';
import type { Random } from '../../src/random/random.ts';
import { player as meanPlayer } from '../user-level-mean/player.ts';
import { askedOf } from './descent.ts';
import type { UserLevelErmRound } from './parameters.ts';
import { clipRecords, type ErmDatum, fillGradient } from './record.ts';

// Scratch of the kernel, kept between calls; each call overwrites it.
const scratch = /* @__PURE__ */ createScratch(0);
const gradient: { samples: Float64Array } = { samples: new Float64Array(0) };

function randomize(round: UserLevelErmRound, datum: ErmDatum, random: Random): ValuesReport {
  const report = createReport(round.asked);
  randomizeInto(round, datum, random, report);
  return report;
}

function randomizeInto(round: UserLevelErmRound, datum: ErmDatum, random: Random, report: ValuesReport): void {
  const { objective, theta } = round;
  gradient.samples = reserveExactly(scratch, objective.dimension);
  fillGradient(objective, theta, datum, gradient.samples);
  meanPlayer.randomizeInto(askedOf(round), gradient, random, report);
}

/** A player answers about its own mean gradient: by one sign, or in a round of a two-round gradient. */
export const player: Player<UserLevelErmRound, ErmDatum, ValuesReport> = {
  randomize,
  randomizeInto,
  clip: ({ objective }, datum) => clipRecords(objective, datum),
};
