import { oncePer } from '../../src/core/channel.ts';
import type { Wire } from '../../src/core/contract.ts';
import { decodeValues, encodeValues } from '../../src/core/frame.ts';
import { type ScalarRound, scalarChannel } from './scalar/question.ts';
import type { RoundChannel, UserLevelReport } from './shape.ts';
import {
  type CoordinateRound,
  coordinateChannel,
  type SignRound,
  signRoundChannel,
} from './vector/coordinate-round.ts';
import { type ResidualRound, residualChannel } from './vector/residual-round.ts';

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

/** The report as bytes: see the frame in src/core. */
function encode(round: UserLevelMeanRound, { values }: UserLevelReport): Uint8Array {
  return encodeValues(round, round.precision, round.length, values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that players of this round cannot have produced, including a report of another round
 * or plan, and for a number or a norm that they produce only once in 10¹² reports.
 */
function decode(round: UserLevelMeanRound, bytes: Uint8Array): UserLevelReport {
  const values = decodeValues(round, round.precision, round.length, bytes);
  channelOf(round).check(values);
  return { values };
}

/** The wire of a round. */
export const report: Wire<UserLevelMeanRound, UserLevelReport> = { encode, decode };
