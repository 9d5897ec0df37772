export {
  coordinates,
  naive,
  oneBit,
  printed,
  printedNaive,
  twoRound,
  type UserLevelMeanPlan,
  type UserLevelMeanRequest,
  type UserLevelMeanRound,
  userLevelMeanPlan,
  VARIANTS,
  vector,
} from './parameters.ts';
export { player } from './player.ts';
export { userLevelMean } from './protocol.ts';
export { randomizeAnswer } from './scalar/answer.ts';
export { edgeBias, localisationFloor, naiveError, oneBitError, skewBias } from './scalar/error.ts';
export { pairEdge, popularBin } from './scalar/interval.ts';
export { isVector } from './scalar/kind.ts';
export { printedNaiveSigma } from './scalar/naive.ts';
export type { ScalarPlan } from './scalar/plan.ts';
export { concentrationRadius, DEFAULT_FAILURE } from './scalar/printed.ts';
export { addAnswer, type BinQuestion, binQuestion, shapeOf, sumsOf } from './scalar/question.ts';
export type { ScalarTally } from './scalar/round.ts';
export { residualIsBetter, residualRadius } from './scalar/skew.ts';
export { pairFailure } from './scalar/two-round.ts';
export type { UserDatum } from './scalar/types.ts';
export { study } from './study.ts';
export { certificate } from './theory.ts';
export type { UserStudyRequest } from './user-study.ts';
export type { VectorPlan } from './vector/plan.ts';
export { vectorProtocol } from './vector/protocol.ts';
export { createRotation, type Rotation, rotate } from './vector/rotation.ts';
export { expectedSquaredError, locationPlayers, rotationBound } from './vector/theory.ts';
