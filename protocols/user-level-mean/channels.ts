import { oncePer } from '../../src/core/channel.ts';
import { type ScalarRound, scalarChannel } from './scalar/question.ts';
import type { RoundChannel } from './shape.ts';
import { type CoordinateRound, coordinateChannel } from './vector/coordinate-round.ts';
import { type ResidualRound, residualChannel } from './vector/residual-round.ts';
import { type SignRound, signRoundChannel } from './vector/sign-round.ts';

/** A round of a plan in several dimensions. */
export type VectorRound = SignRound | ResidualRound | CoordinateRound;

/** Public parameters of one round of a plan, of any kind. */
export type UserLevelMeanRound = ScalarRound | VectorRound;

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
