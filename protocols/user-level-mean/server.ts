import type { Server } from '../../src/core/contract.ts';
import { channelOf, type UserLevelMeanRound } from './channels.ts';
import { checkTally } from './course.ts';
import type { MeanTally, UserLevelReport } from './shape.ts';

/** The tally of no reports. */
function empty(round: UserLevelMeanRound): MeanTally {
  return { digest: round.digest, players: 0, sums: new Float64Array(channelOf(round).sums) };
}

/**
 * Adds one report. Allocates nothing, except for rounds about coordinates.
 *
 * @throws RangeError for a tally of another round, or of another plan.
 */
function add(round: UserLevelMeanRound, tally: MeanTally, { values }: UserLevelReport): void {
  checkTally('tally', tally, round);
  channelOf(round).add(tally.sums, values);
  tally.players++;
}

/**
 * Adds everything in `other`.
 *
 * @throws RangeError for a tally of another round, or of another plan.
 */
function merge(round: UserLevelMeanRound, tally: MeanTally, other: MeanTally): void {
  checkTally('tally', tally, round);
  checkTally('other', other, round);
  for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  tally.players += other.players;
}

/** The tally of a round. The variant of the plan determines how tallies lead to the next round: see `roundsBy`. */
export const server: Omit<Server<UserLevelMeanRound, UserLevelReport, MeanTally, never, never>, 'estimate'> = {
  empty,
  add,
  merge,
};
