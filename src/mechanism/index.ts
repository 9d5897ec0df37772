/**
 * Randomizers of numbers, vectors and categories, and the exact samplers below them.
 *
 * | to | start from |
 * |---|---|
 * | hide a category | {@link randomizedResponse}, {@link hadamardResponse}, {@link subsetSelection}; {@link bestFrequencyMechanism} chooses |
 * | hide a number | {@link oneBitMean}, {@link discreteGaussianMechanism} |
 * | hide a vector | {@link kClosest}, {@link privUnitG}, {@link gaussianMechanism} |
 * | take any value as a datum | {@link clipNumber}, {@link clipBall} |
 * | flip an exact coin | {@link exactCoin}, {@link twoLevels} |
 * | draw numbers for a study | {@link uniform}, {@link normal}, {@link fillSphere} |
 *
 * @packageDocumentation
 */
export { clipBall, clipNumber, createScratch, reserve, wipeScratch } from '../check/datum.ts';
export { fillNormal } from '../random/kernel.ts';
export { bernoulli, fillSphere, normal, permutation, uniform, uniformInteger } from '../random/random.ts';
export { gaussianMechanism, randomizeGaussian, randomizeSphericalLaplace, sphericalLaplace } from './added-noise.ts';
export {
  oneBitMean,
  randomizedResponse,
  randomizeOneBitMean,
  randomizeResponse,
  randomizeSubset,
  subsetSelection,
} from './categories.ts';
export { discreteGaussianMechanism, randomizeDiscreteGaussian } from './discrete-gaussian.ts';
export { COIN_UNITS, exactCoin, twoLevels } from './exact-coin.ts';
export { bestFrequencyMechanism, estimateFrequencies, hadamardResponse, randomizeHadamard } from './frequency.ts';
export { checkKClosestReport, expandKClosest, kClosest, randomizeKClosest } from './k-closest.ts';
export { pureFromApproximate, randomizePureFromApproximate } from './pure-from-approximate.ts';
export { privUnitG, randomizePrivUnitG } from './unit-mechanism.ts';
