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
export { sigmoid } from '../numeric/sigmoid.ts';
export {
  convexMixture,
  printedSphereConstant,
  reconstructedValue,
  sampleConvexMixture,
  sphereConstant,
} from '../risk/convex-mixture.ts';
export { hingeLoss, smoothedHinge } from '../risk/hinge.ts';
export { mallowsWeight } from '../risk/huber.ts';
export { binaryLogisticLoss, logisticLoss } from '../risk/logistic.ts';
export type { MarginLoss } from '../risk/margin-loss.ts';
export { lossByName } from '../risk/named-loss.ts';
export { fillGradient, fillHessianFactor } from '../risk/regression/gradient.ts';
export { onePassOracle, withReplacementOracle } from './oracle.ts';
export { innerProduct } from './projection.ts';
export { largestGap } from './settled-fit.ts';
export { sigm, sigmBound, sigmSchedule } from './sigm.ts';
export { symmetricEigen } from './symmetric-eigen.ts';
export { weiszfeld } from './weiszfeld.ts';
