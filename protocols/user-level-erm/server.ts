import type { Server } from '../../src/core/contract.ts';
import { vectorServer } from '../user-level-mean/vector/tallying.ts';
import type { ErmReport } from './report.ts';
import { askedOf, type ErmTally, type UserLevelErmRound } from './round.ts';

export { rounds } from './rounds.ts';

/** The tally of no reports. */
export function empty(round: UserLevelErmRound): ErmTally {
  return vectorServer.empty(askedOf(round));
}

/**
 * Adds one report.
 *
 * @throws RangeError for a tally of another round.
 */
export function add(round: UserLevelErmRound, tally: ErmTally, report: ErmReport): void {
  vectorServer.add(askedOf(round), tally, report);
}

/**
 * Adds everything in `other`.
 *
 * @throws RangeError for a tally of another round.
 */
export function merge(round: UserLevelErmRound, tally: ErmTally, other: ErmTally): void {
  vectorServer.merge(askedOf(round), tally, other);
}

/** The tally of a round: counts, so that no order of additions changes it. */
export const server: Omit<Server<UserLevelErmRound, ErmReport, ErmTally, never, never>, 'estimate'> = {
  empty,
  add,
  merge,
};
