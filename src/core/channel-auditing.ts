import type { Random } from '../random/random.ts';
import type { Auditing, AuditPair } from './auditing.ts';
import type { ChannelOf } from './channel.ts';
import type { ValuesReport } from './frame.ts';

/** The part of an audit that servers never reach: pairs of data, and the vector that is randomized for a datum. */
export interface PlayerSide<Parameters, Datum> {
  /** Candidate pairs; see `Auditing`. */
  pairs(parameters: Parameters, random: Random): readonly AuditPair<Datum>[];
  /** The vector that the channel of the parameters randomizes, before any padding: a copy. */
  vectorOf(parameters: Parameters, datum: Datum): ArrayLike<number>;
}

/**
 * What an audit may use against a player: these pairs, and the exact density ratio of every channel. The two are joined
 * here and not in the channel: servers read reports through channels, and must not reach code that reads a datum.
 */
export function channelAuditing<Parameters, Datum>(
  channelOf: ChannelOf<Parameters>,
  { pairs, vectorOf }: PlayerSide<Parameters, Datum>,
): Auditing<Parameters, Datum, ValuesReport> {
  return {
    pairs,
    view: (parameters, { values }) => channelOf(parameters).view?.(values) ?? values,
    logLikelihoodRatio(parameters, { first, second }) {
      const ratio = channelOf(parameters).logRatio(vectorOf(parameters, first), vectorOf(parameters, second));
      return ({ values }) => ratio(values);
    },
  };
}
