import type { Wire } from '../../src/protocol/contract.ts';
import type { UserLevelReport } from '../../src/protocol/user-level/types.ts';
import { vectorReport } from '../../src/protocol/user-level/vector/report.ts';
import { type ErmRound, signsOf } from './round.ts';

/** One player's report: one whole number, 2·(number of the threshold) + (1 for above). */
export type ErmReport = UserLevelReport;

/** A report to write into. */
export function createReport(): ErmReport {
  return { values: new Uint32Array(1) };
}

/** The report as bytes: see the frame in src/protocol. */
export function encode(round: ErmRound, report: ErmReport): Uint8Array {
  return vectorReport.encode(signsOf(round), report);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that this round cannot have produced.
 */
export function decode(round: ErmRound, bytes: Uint8Array): ErmReport {
  return vectorReport.decode(signsOf(round), bytes);
}

/** The wire of the protocol. */
export const report: Wire<ErmRound, ErmReport> = { encode, decode };
