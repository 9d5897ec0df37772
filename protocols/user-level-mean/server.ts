import { oncePer } from '../../src/core/channel.ts';
import type { Server, Wire } from '../../src/core/contract.ts';
import { decodeValues, encodeValues } from '../../src/core/frame.ts';
import { checkTally } from './course.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import { scalarChannel } from './scalar/question.ts';
import type { MeanTally, RoundChannel, UserLevelReport } from './shape.ts';
import { coordinateChannel, signRoundChannel } from './vector/coordinate-round.ts';
import { residualChannel } from './vector/residual-round.ts';

function empty(round: UserLevelMeanRound): MeanTally {
  return { digest: round.digest, players: 0, sums: new Float64Array(channelOf(round).sums) };
}

/** Adds one report. Allocates nothing, except for rounds about coordinates. */
function add(round: UserLevelMeanRound, tally: MeanTally, { values }: UserLevelReport): void {
  checkTally('tally', tally, round);
  channelOf(round).add(tally.sums, values);
  tally.players++;
}

/** Adds everything in `other`. */
function merge(round: UserLevelMeanRound, tally: MeanTally, other: MeanTally): void {
  checkTally('tally', tally, round);
  checkTally('other', other, round);
  for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  tally.players += other.players;
}

/** The tally of a round. The variant of the plan determines how tallies lead to the next round: see `roundsBy`. */
export const server: Omit<Server<UserLevelMeanRound, UserLevelReport, MeanTally, never, never>, 'estimate'> = {
  empty,
  add,
  merge,
};

/** The kinds of rounds: a new kind needs a line here and a line in `player.ts`. */
const CHANNELS = {
  scalar: scalarChannel,
  sign: signRoundChannel,
  coordinate: coordinateChannel,
  residual: residualChannel,
} as const;

/** The channel of a round: the same object for the same round. */
export const channelOf: (round: UserLevelMeanRound) => RoundChannel = /* @__PURE__ */ oncePer((round) => {
  const make: (round: never) => RoundChannel = CHANNELS[round.kind];
  return make(round as never);
});

function encode(round: UserLevelMeanRound, { values }: UserLevelReport): Uint8Array {
  return encodeValues(round, round.precision, round.length, values);
}

/** The report in the bytes. */
function decode(round: UserLevelMeanRound, bytes: Uint8Array): UserLevelReport {
  const values = decodeValues(round, round.precision, round.length, bytes);
  channelOf(round).check(values);
  return { values };
}

/** The wire of a round. */
export const report: Wire<UserLevelMeanRound, UserLevelReport> = { encode, decode };
