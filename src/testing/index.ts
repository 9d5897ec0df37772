// Tools for testing a protocol in any test runner: its laws, a hostile server, and claims about measurements.
// ldpkit/testing.
export {
  atLeastClaim,
  atMostClaim,
  atMostSlopeClaim,
  boundClaim,
  DEVIATIONS,
  digits,
  type ExperimentClaim,
  meanClaim,
  meansClaim,
  type NumberLaw,
  otherSlopeClaim,
  plusMinus,
  rangeClaim,
  slopeClaim,
  toleranceOf,
} from './claim.ts';
export type { ContractCase } from './contract/law.ts';
export { assertContract, assertControls, checkContract, checkControls } from './contract/laws.ts';
export { attackPlayer, attackRound, attackStep } from './hostile.ts';
export {
  exactSlope,
  type Measured,
  measuredMean,
  powerLaw,
  type RateFit,
  type RatePoint,
  rateFit,
  ratePoints,
  type Slope,
} from './rate.ts';
