/**
 * Tools for testing a protocol in any test runner.
 *
 * | to | start from |
 * |---|---|
 * | try all laws of the contract | {@link assertContract}, {@link assertControls} |
 * | play a hostile server | {@link attackPlayer}, {@link attackRound}, {@link attackStep} |
 * | claim a number with a tolerance | {@link meanClaim}, {@link slopeClaim}, {@link boundClaim} |
 * | measure a rate | {@link measuredMean}, {@link ratePoints}, {@link rateFit} |
 *
 * @packageDocumentation
 */
export {
  atLeastClaim,
  atMostClaim,
  atMostSlopeClaim,
  boundClaim,
  DEVIATIONS,
  digits,
  type ExperimentClaim,
  exactSlope,
  type Measured,
  meanClaim,
  meansClaim,
  measuredMean,
  otherSlopeClaim,
  plusMinus,
  powerLaw,
  type RatePoint,
  rangeClaim,
  rateFit,
  ratePoints,
  type Slope,
  slopeClaim,
  toleranceOf,
} from './claim.ts';
export { assertContract, assertControls, checkContract } from './contract/laws.ts';
export { attackPlayer, attackRound, attackStep } from './hostile.ts';
