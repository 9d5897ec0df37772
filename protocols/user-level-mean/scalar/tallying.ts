import type { Server } from '../../../src/core/contract.ts';
import { addAnswer } from './question.ts';
import { checkRoundTally, emptyScalarTally, type ScalarRound, type ScalarTally } from './round.ts';
import type { MeanEstimate, UserLevelReport } from './types.ts';

/**
 * Adds one report. Allocates nothing.
 *
 * @throws RangeError for a tally of another round, or of another plan.
 */
function add(round: ScalarRound, tally: ScalarTally, report: UserLevelReport): void {
  checkRoundTally('tally', tally, round);
  addAnswer(round.question, tally.sums, report.values);
  tally.players++;
}

/**
 * Adds everything in `other`.
 *
 * @throws RangeError for a tally of another round, or of another plan.
 */
function merge(round: ScalarRound, tally: ScalarTally, other: ScalarTally): void {
  checkRoundTally('tally', tally, round);
  checkRoundTally('other', other, round);
  for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  tally.players += other.players;
}

/** The tally of every round of a scalar plan: a few sums, whatever the number of players. */
export const scalarTallying: Omit<
  Server<ScalarRound, UserLevelReport, ScalarTally, MeanEstimate, undefined>,
  'estimate'
> = { empty: emptyScalarTally, add, merge };
