import type { RoundsProtocol } from '../../../src/core/rounds.ts';
import type { MeanEstimate, UserDatum, UserLevelReport } from '../scalar/types.ts';
import { vectorAuditing } from './auditing.ts';
import type { VectorPlan } from './plan.ts';
import { vectorPlayer } from './player.ts';
import { vectorReport } from './report.ts';
import type { VectorRound, VectorTally } from './round.ts';
import { vectorRounds } from './rounds.ts';
import { vectorServer } from './tallying.ts';
import { vectorTheory } from './theory.ts';

/** A protocol in rounds for the mean of vectors. */
export type VectorProtocol = RoundsProtocol<
  VectorPlan,
  VectorRound,
  UserDatum,
  UserLevelReport,
  VectorTally,
  MeanEstimate
>;

/** The protocol of this name for vector plans. */
export function vectorProtocol(name: string): VectorProtocol {
  return {
    name,
    player: vectorPlayer,
    report: vectorReport,
    server: vectorServer,
    rounds: vectorRounds,
    theory: vectorTheory,
    auditing: vectorAuditing,
  };
}
