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
export { fiveNumbers } from './five-numbers.ts';
export { columnMeans, type Measured, measuredMean, measuredSums, pooledMeans, shareError, summed } from './mean.ts';
export type { OwnColumn, OwnData, OwnRecords, OwnTable } from './own-data.ts';
export {
  type CellResult,
  type ExperimentCell,
  type ExperimentClaim,
  type ExperimentReport,
  type PaperExperiment,
  replicationsOf,
  SCALES,
  type Scale,
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
export type { Reproduction } from './reproduction.ts';
export { PAPER_TITLES, PAPERS, type Paper, type TheoremValidation } from './theorem-validation.ts';
