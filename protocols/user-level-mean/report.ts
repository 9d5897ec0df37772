import type { Wire } from '../../src/core/contract.ts';
import { decodeValues, encodeValues } from '../../src/core/frame.ts';
import { channelOf, type UserLevelMeanRound } from './channels.ts';
import type { UserLevelReport } from './shape.ts';

/** The report as bytes: see the frame in src/core. */
function encode(round: UserLevelMeanRound, { values }: UserLevelReport): Uint8Array {
  return encodeValues(round, round.precision, round.length, values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that players of this round cannot have produced, including a report of another round
 * or plan, and for a number or a norm that they produce only once in 10¹² reports.
 */
function decode(round: UserLevelMeanRound, bytes: Uint8Array): UserLevelReport {
  const values = decodeValues(round, round.precision, round.length, bytes);
  channelOf(round).check(values);
  return { values };
}

/** The wire of a round. */
export const report: Wire<UserLevelMeanRound, UserLevelReport> = { encode, decode };
