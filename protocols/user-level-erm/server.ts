import type { Server } from '../../src/core/contract.ts';
import { server as meanServer } from '../user-level-mean/server.ts';
import type { MeanTally } from '../user-level-mean/shape.ts';
import { askedOf } from './descent.ts';
import type { UserLevelErmRound } from './parameters.ts';
import type { ErmReport } from './report.ts';

/** What a server keeps of a round: for each threshold, how many signs were reported below and above it; of two rounds their sums. */
export type ErmTally = MeanTally;

/** The tally of a round: that of the mean of gradients. How rounds go on is with the way to a gradient: see `courseBy`. */
export const server: Omit<Server<UserLevelErmRound, ErmReport, ErmTally, never, never>, 'estimate'> = {
  empty: (round) => meanServer.empty(askedOf(round)),
  add: (round, tally, report) => meanServer.add(askedOf(round), tally, report),
  merge: (round, tally, other) => meanServer.merge(askedOf(round), tally, other),
};
