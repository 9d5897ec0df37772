import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { auditing } from './auditing.ts';
import {
  type UserLevelMeanPlan,
  type UserLevelMeanRequest,
  type UserLevelMeanRound,
  userLevelMeanPlan,
} from './parameters.ts';
import { player, type UserDatum } from './player.ts';
import { report, type UserLevelReport } from './report.ts';
import { type MeanEstimate, rounds, server, type UserLevelMeanTally } from './server.ts';
import { theory } from './theory.ts';

/**
 * The mean of samples of which every player holds several, all of them protected together, in rounds.
 *
 * Source: Avella-Medina 2023 (slides of Ramesh, Han, Avella-Medina, Rush), the two-round estimator, and what is known since.
 * @theorem slides Mean estimation under user-level local privacy constraints
 */
export const userLevelMean: RoundsProtocol<
  UserLevelMeanPlan,
  UserLevelMeanRound,
  UserDatum,
  UserLevelReport,
  UserLevelMeanTally,
  MeanEstimate
> = {
  name: 'user-level-mean',
  player,
  report,
  server,
  rounds,
  theory,
  auditing,
  // The variants check every field, of whatever kind.
  make: (request) => userLevelMeanPlan(request as unknown as UserLevelMeanRequest),
};
