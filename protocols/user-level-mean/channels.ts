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

// Channels by rounds, each made once, and the channel of the last call: reports of one round arrive together.
const known = new WeakMap<object, RoundChannel>();
const last: { round?: UserLevelMeanRound; channel?: RoundChannel } = {};

/** The channel of a round: the same object for the same round. */
export function channelOf(round: UserLevelMeanRound): RoundChannel {
  if (last.round === round && last.channel !== undefined) return last.channel;
  let channel = known.get(round);
  if (channel === undefined) {
    const make: (round: never) => RoundChannel = CHANNELS[round.kind];
    channel = make(round as never);
    known.set(round, channel);
  }
  last.round = round;
  last.channel = channel;
  return channel;
}
