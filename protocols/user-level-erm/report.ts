import type { Wire } from '../../src/core/contract.ts';
import { report as meanReport } from '../user-level-mean/report.ts';
import type { UserLevelReport } from '../user-level-mean/shape.ts';
import { askedOf } from './descent.ts';
import type { UserLevelErmRound } from './parameters.ts';

/**
 * One player's report: one whole number, 2·(number of the threshold) + (1 for above); in a two-round gradient, a report
 * of the mean.
 */
export type ErmReport = UserLevelReport;

/** The wire of the protocol: that of the mean, bound to the round of the descent. */
export const report: Wire<UserLevelErmRound, ErmReport> = {
  encode: (round, sent) => meanReport.encode(askedOf(round), sent),
  decode: (round, bytes) => meanReport.decode(askedOf(round), bytes),
};
