export { deployableMean } from './deployable.ts';
export {
  coordinates,
  naive,
  oneBit,
  printed,
  printedNaive,
  twoRound,
  type UserLevelMeanPlan,
  type UserLevelMeanRequest,
  userLevelMeanPlan,
  VARIANTS,
  vector,
} from './parameters.ts';
export { edgeBias } from './printed.ts';
export { userLevelMean } from './protocol.ts';
export { pairFailure } from './scalar/answers.ts';
export { isVector, type UserDatum } from './shape.ts';
export { study } from './study.ts';
export { createRotation, rotate, rotationBound } from './vector/rotation.ts';
export { expectedSquaredError, type VectorPlan } from './vector/vector.ts';
