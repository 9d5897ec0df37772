import type { FinishedRound, Rounds, RoundsProtocol } from '../../src/core/rounds.ts';
import type { UserLevelMeanPlan, UserLevelMeanRound } from './parameters.ts';
import { isVector } from './scalar/kind.ts';
import type { FinishedScalar, ScalarTally } from './scalar/round.ts';
import { scalarRounds } from './scalar/rounds.ts';
import { scalarTallying } from './scalar/tallying.ts';
import type { MeanEstimate, UserDatum, UserLevelReport } from './scalar/types.ts';
import type { FinishedVector, VectorTally } from './vector/round.ts';
import { severalRounds } from './vector/several.ts';
import { vectorServer } from './vector/tallying.ts';

export type { MeanEstimate };

/** What a server keeps of a round: a few sums, whatever the number of players. */
export type UserLevelMeanTally = ScalarTally | VectorTally;

/** A round that is over. */
export type FinishedMean = FinishedRound<UserLevelMeanRound, UserLevelMeanTally>;

// A tally made under another variant's rounds is caught by its digest, whatever type it is given here.
const scalar = (tally: UserLevelMeanTally): ScalarTally => tally as ScalarTally;
const vector = (tally: UserLevelMeanTally): VectorTally => tally as VectorTally;

/** The server of a round: what `RoundsProtocol` calls `server`. */
export type Tallying = RoundsProtocol<
  UserLevelMeanPlan,
  UserLevelMeanRound,
  UserDatum,
  UserLevelReport,
  UserLevelMeanTally,
  MeanEstimate
>['server'];

/** The tally of a round. */
export const server: Tallying = {
  empty: (round) => (isVector(round) ? vectorServer.empty(round) : scalarTallying.empty(round)),
  add(round, tally, report) {
    if (isVector(round)) vectorServer.add(round, vector(tally), report);
    else scalarTallying.add(round, scalar(tally), report);
  },
  merge(round, tally, other) {
    if (isVector(round)) vectorServer.merge(round, vector(tally), vector(other));
    else scalarTallying.merge(round, scalar(tally), scalar(other));
  },
};

/** From round to round, and to the estimate. */
export const rounds: Rounds<UserLevelMeanPlan, UserLevelMeanRound, UserLevelMeanTally, MeanEstimate, undefined> = {
  first: (plan) => (isVector(plan) ? severalRounds.first(plan) : scalarRounds.first(plan)),
  next: (plan, finished) =>
    isVector(plan)
      ? severalRounds.next(plan, finished as readonly FinishedVector[])
      : scalarRounds.next(plan, finished as readonly FinishedScalar[]),
  estimate: (plan, finished) =>
    isVector(plan)
      ? severalRounds.estimate(plan, finished as readonly FinishedVector[])
      : scalarRounds.estimate(plan, finished as readonly FinishedScalar[]),
  remake: (plan, received) =>
    isVector(plan) ? severalRounds.remake(plan, received) : scalarRounds.remake(plan, received),
  answers: (plan) => (isVector(plan) ? severalRounds.answers(plan) : scalarRounds.answers(plan)),
};

/**
 * What all rounds say of the mean.
 *
 * @throws RangeError when a round that is needed is missing or empty, naming how many reports it needs.
 */
export const estimate: (plan: UserLevelMeanPlan, finished: readonly FinishedMean[]) => MeanEstimate = (
  plan,
  finished,
) => rounds.estimate(plan, finished);
