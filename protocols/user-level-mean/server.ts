import { oncePer } from '../../src/core/channel.ts';
import type { Server, Wire } from '../../src/core/contract.ts';
import { decodeValues, encodeReport, type ValuesReport } from '../../src/core/frame.ts';
import { checkTally } from './course.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import { scalarChannel } from './scalar/question.ts';
import type { MeanTally, RoundChannel } from './shape.ts';
import { coordinateChannel, signRoundChannel } from './vector/coordinate-round.ts';
import { residualChannel } from './vector/residual-round.ts';

/** The tally of a round. The variant of the plan determines how tallies lead to the next round: see `roundsBy`. */
export const server: Omit<Server<UserLevelMeanRound, ValuesReport, MeanTally, never, never>, 'estimate'> = {
  empty: (round) => ({ digest: round.digest, players: 0, sums: new Float64Array(channelOf(round).sums) }),
  // Allocates nothing, except for rounds about coordinates.
  add(round, tally, { values }) {
    checkTally('tally', tally, round);
    channelOf(round).add(tally.sums, values);
    tally.players++;
  },
  merge(round, tally, other) {
    checkTally('tally', tally, round);
    checkTally('other', other, round);
    for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
    tally.players += other.players;
  },
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

export const report: Wire<UserLevelMeanRound, ValuesReport> = {
  encode: encodeReport,
  decode(round, bytes) {
    const values = decodeValues(round, round.precision, round.length, bytes);
    channelOf(round).check(values);
    return { values };
  },
};
