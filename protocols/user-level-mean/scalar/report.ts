import type { Wire } from '../../../src/core/contract.ts';
import { decodeValues, encodeValues } from '../../../src/core/frame.ts';
import { checkRoundAnswer } from './question.ts';
import type { ScalarRound } from './round.ts';
import type { UserLevelReport } from './types.ts';

/** The report as bytes: see the frame in src/core. */
function encode(round: ScalarRound, report: UserLevelReport): Uint8Array {
  return encodeValues(round, round.precision, round.length, report.values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that players of this round cannot have produced: a report of another round, too.
 */
function decode(round: ScalarRound, bytes: Uint8Array): UserLevelReport {
  const values = decodeValues(round, round.precision, round.length, bytes);
  checkRoundAnswer(round.question, values);
  return { values };
}

/** The wire of every round of a scalar plan. */
export const scalarReport: Wire<ScalarRound, UserLevelReport> = { encode, decode };
