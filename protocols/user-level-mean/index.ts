/**
 * The mean of samples of which every player holds several, all protected together.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link userLevelMean} |
 * | make the parameters of a variant | {@link oneBit}, {@link twoRound}, {@link vector}, {@link coordinates}, {@link naive} |
 *
 * @packageDocumentation
 */

export {
  coordinates,
  naive,
  oneBit,
  printed,
  printedNaive,
  twoRound,
  type UserLevelMeanRequest,
  userLevelMeanPlan,
  vector,
} from './parameters.ts';
export { edgeBias } from './printed.ts';
export { deployableMean, study, userLevelMean } from './protocol.ts';
export { pairFailure } from './scalar/question.ts';
export { isVector } from './shape.ts';
export { createRotation, rotate, rotationBound } from './vector/coordinate-round.ts';
export { expectedSquaredError } from './vector/vector.ts';
