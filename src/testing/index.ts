// Claims about a protocol, measured: ldpkit/testing.
export {
  atLeastClaim,
  atMostClaim,
  atMostSlopeClaim,
  boundClaim,
  DEVIATIONS,
  meanClaim,
  meansClaim,
  type NumberLaw,
  otherSlopeClaim,
  rangeClaim,
  slopeClaim,
  toleranceOf,
} from './claim.ts';
export type { ContractCase } from './contract/law.ts';
export {
  assertContract,
  assertControls,
  CONTROLS,
  checkContract,
  checkControls,
  LAWS,
} from './contract/laws.ts';
export { claimedCurve, meanCurve, measuredCurve, measuredPoints, plainPoints } from './curve.ts';
export { digits, plusMinus, shownMean } from './digits.ts';
export type {
  BoxFigure,
  BoxGroup,
  CurveFigure,
  Figure,
  FigureAxis,
  FigureBox,
  FigureCurve,
  FigureLevel,
  FigurePoint,
} from './figure.ts';
export { attackPlayer, attackRound, attackStep, liesAbout } from './hostile.ts';
export {
  columnMeans,
  fiveNumbers,
  type Measured,
  measuredMean,
  measuredSums,
  pooledMeans,
  shareError,
  summed,
} from './mean.ts';
export type { OwnColumn, OwnData, OwnRecords, OwnTable, Reproduction } from './paper-experiment.ts';
export {
  type CellResult,
  type ExperimentCell,
  type ExperimentClaim,
  type ExperimentReport,
  PAPER_TITLES,
  PAPERS,
  type Paper,
  type PaperExperiment,
  replicationsOf,
  SCALES,
  type Scale,
  type TheoremValidation,
} from './paper-experiment.ts';
export {
  exactSlope,
  jackknifeSlope,
  meanRatio,
  powerLaw,
  type RateFit,
  type RatePoint,
  rateFit,
  ratePoints,
  rootPoints,
  type Slope,
  scatteredFit,
} from './rate.ts';
