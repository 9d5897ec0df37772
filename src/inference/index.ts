/**
 * Confidence intervals, and the laws that they need.
 *
 * | to | start from |
 * |---|---|
 * | an interval from a covariance | {@link normalIntervals}, {@link sandwich} |
 * | one from the path of a stream | {@link randomScalingMatrix}, {@link batchMeansCovariance} |
 * | a critical value | {@link normalCriticalValue}, {@link randomScalingCriticalValue}, {@link chiSquareCriticalValue} |
 * | a normal law | {@link normalCdf}, {@link normalQuantile} |
 *
 * @packageDocumentation
 */
export { inverseIncompleteBeta, logGamma } from '../numeric/beta.ts';
export { normalCdf, normalDensity, normalQuantile } from '../numeric/normal.ts';
export { batchMeansCovariance } from './batch-means.ts';
export { packedLength, unpackSymmetric } from './block-sums.ts';
export {
  chiSquareCriticalValue,
  chiSquareExceedance,
  normalCriticalValue,
  randomScalingCoverage,
  randomScalingCriticalValue,
} from './critical-value.ts';
export { ellipsoidDistance, normalIntervals, sandwich } from './interval.ts';
export { averageIterate, randomScalingMatrix } from './iterate-average.ts';
export { gradientSecondMoment } from './released-gradients.ts';
