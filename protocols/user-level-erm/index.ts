export { requiredPlayers, requiredSamples } from './condition.ts';
export { type ErmDatum, fillGradient, type Objective } from './objective.ts';
export {
  type DescentPlan,
  descent,
  type ErmPlan,
  type TwoRoundErmPlan,
  type UserLevelErmPlan,
  userLevelErmPlan,
  VARIANTS,
} from './parameters.ts';
export { player } from './player.ts';
export { userLevelErm } from './protocol.ts';
export type { ErmRequest } from './request.ts';
export { descentBound, expectedGradientError, skewBias } from './theory.ts';
