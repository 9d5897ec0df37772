import type { Server, Wire } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { report as meanReport, server as meanServer } from '../user-level-mean/server.ts';
import type { MeanTally } from '../user-level-mean/shape.ts';
import { askedOf } from './descent.ts';
import type { UserLevelErmRound } from './parameters.ts';

/** The tally of a round: that of the mean of gradients. The kind of gradients determines the next round. */
export const server: Omit<Server<UserLevelErmRound, ValuesReport, MeanTally, never, never>, 'estimate'> = {
  empty: (round) => meanServer.empty(askedOf(round)),
  add: (round, tally, report) => meanServer.add(askedOf(round), tally, report),
  merge: (round, tally, other) => meanServer.merge(askedOf(round), tally, other),
};

/** The wire of the protocol: that of the mean, bound to the round of the descent. */
export const report: Wire<UserLevelErmRound, ValuesReport> = {
  encode: (round, sent) => meanReport.encode(askedOf(round), sent),
  decode: (round, bytes) => meanReport.decode(askedOf(round), bytes),
};
