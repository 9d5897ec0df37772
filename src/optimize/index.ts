/**
 * Losses, and what minimises them from noisy gradients.
 *
 * | to | start from |
 * |---|---|
 * | choose a loss | {@link lossByName}, {@link hingeLoss}, {@link logisticLoss} |
 * | step along noisy gradients | {@link sigm} with {@link onePassOracle} |
 * | find a median in the clear | {@link weiszfeld} |
 *
 * @packageDocumentation
 */

export { innerProduct } from '../numeric/matrix.ts';
export {
  convexMixture,
  printedSphereConstant,
  reconstructedValue,
  sampleConvexMixture,
  sphereConstant,
} from '../risk/convex-mixture.ts';
export { hingeLoss, type MarginLoss, smoothedHinge } from '../risk/margin-loss.ts';
export { binaryLogisticLoss, logisticLoss, lossByName } from '../risk/named-loss.ts';
export { fillGradient, fillHessianFactor } from '../risk/regression/gradient.ts';
export { mallowsWeight, sigmoid } from '../risk/response-loss.ts';
export { symmetricEigen } from './ball.ts';
export { largestGap } from './corrected-risk.ts';
export { onePassOracle, withReplacementOracle } from './oracle.ts';
export { sigm, sigmBound, sigmSchedule } from './stochastic-gradient.ts';
export { weiszfeld } from './weiszfeld.ts';
