import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { auditing } from './auditing.ts';
import { type UserLevelErmPlan, type UserLevelErmRequest, userLevelErmPlan } from './parameters.ts';
import { type ErmDatum, player } from './player.ts';
import { type ErmReport, report } from './report.ts';
import type { ErmTally, UserLevelErmRound } from './round.ts';
import type { ErmEstimate } from './rounds.ts';
import { rounds, server } from './server.ts';
import { theory } from './theory.ts';

/**
 * Empirical risk minimisation by noisy gradient descent, where all records of a player are protected together.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 * @theorem slides User-level LDP ERM
 */
export const userLevelErm: RoundsProtocol<
  UserLevelErmPlan,
  UserLevelErmRound,
  ErmDatum,
  ErmReport,
  ErmTally,
  ErmEstimate
> = {
  name: 'user-level-erm',
  player,
  report,
  server,
  rounds,
  theory,
  // The variant checks every field, of whatever kind.
  make: (request) => userLevelErmPlan(request as unknown as UserLevelErmRequest),
  auditing,
};
