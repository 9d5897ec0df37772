import type { Auditing } from '../../src/core/auditing.ts';
import { isVector, type UserLevelMeanRound } from './parameters.ts';
import { scalarAuditing } from './scalar/auditing.ts';
import type { UserDatum, UserLevelReport } from './scalar/types.ts';
import { vectorAuditing } from './vector/auditing.ts';

/** What an audit of the player of a round may use. */
export const auditing: Auditing<UserLevelMeanRound, UserDatum, UserLevelReport> = {
  pairs: (round, random) =>
    isVector(round) ? vectorAuditing.pairs(round, random) : scalarAuditing.pairs(round, random),
  view: (round, report) => (isVector(round) ? vectorAuditing.view(round, report) : scalarAuditing.view(round, report)),
  channel: (round, datum) =>
    isVector(round) ? vectorAuditing.channel?.(round, datum) : scalarAuditing.channel?.(round, datum),
  logLikelihoodRatio: (round, pair) =>
    isVector(round)
      ? vectorAuditing.logLikelihoodRatio?.(round, pair)
      : scalarAuditing.logLikelihoodRatio?.(round, pair),
};
