import type { Player } from '../../../src/core/contract.ts';
import { createValues } from '../../../src/core/frame.ts';
import type { Random } from '../../../src/random/random.ts';
import { randomizeAnswer } from './answer.ts';
import { clipSamples, localMean } from './local-mean.ts';
import type { ScalarRound } from './round.ts';
import type { UserDatum, UserLevelReport } from './types.ts';

/**
 * One player's randomized report in a round.
 *
 * @throws TypeError or RangeError for samples outside the domain; the message never contains their values.
 */
function randomize(round: ScalarRound, datum: UserDatum, random: Random): UserLevelReport {
  const report = { values: createValues(round.precision, round.length) };
  randomizeInto(round, datum, random, report);
  return report;
}

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
function randomizeInto(round: ScalarRound, datum: UserDatum, random: Random, report: UserLevelReport): void {
  const y = localMean(datum, round.bound);
  if (report.values.length !== round.length) {
    throw new RangeError(`"report" expected ${round.length} values, got ${report.values.length}`);
  }
  randomizeAnswer(round.question, y, report.values, random);
}

/** The player of every round of a scalar plan. */
export const scalarPlayer: Player<ScalarRound, UserDatum, UserLevelReport> = {
  randomize,
  randomizeInto,
  clip: (round, datum) => clipSamples(round, datum),
};
