import type { Wire } from '../../src/core/contract.ts';
import type { UserLevelReport } from '../user-level-mean/scalar/types.ts';
import { vectorReport } from '../user-level-mean/vector/report.ts';
import { askedOf, type UserLevelErmRound } from './round.ts';

/** One player's report: one whole number, 2·(number of the threshold) + (1 for above); of two rounds that of the mean. */
export type ErmReport = UserLevelReport;

/** The report as bytes: see the frame in src/core. */
export function encode(round: UserLevelErmRound, report: ErmReport): Uint8Array {
  return vectorReport.encode(askedOf(round), report);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that this round cannot have produced.
 */
export function decode(round: UserLevelErmRound, bytes: Uint8Array): ErmReport {
  return vectorReport.decode(askedOf(round), bytes);
}

/** The wire of the protocol. */
export const report: Wire<UserLevelErmRound, ErmReport> = { encode, decode };
