import type { Server } from '../../src/protocol/contract.ts';
import { vectorServer } from '../../src/protocol/user-level/vector/server.ts';
import type { ErmReport } from './report.ts';
import { type ErmRound, type ErmTally, signsOf } from './round.ts';

export { rounds } from './rounds.ts';

/** The tally of no reports. */
export function empty(round: ErmRound): ErmTally {
  return vectorServer.empty(signsOf(round));
}

/**
 * Adds one report.
 *
 * @throws RangeError for a tally of another round.
 */
export function add(round: ErmRound, tally: ErmTally, report: ErmReport): void {
  vectorServer.add(signsOf(round), tally, report);
}

/**
 * Adds everything in `other`.
 *
 * @throws RangeError for a tally of another round.
 */
export function merge(round: ErmRound, tally: ErmTally, other: ErmTally): void {
  vectorServer.merge(signsOf(round), tally, other);
}

/** The tally of a round: counts, so that no order of additions changes it. */
export const server: Omit<Server<ErmRound, ErmReport, ErmTally, never, never>, 'estimate'> = { empty, add, merge };
