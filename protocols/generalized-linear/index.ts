export { mixtureGradients, mixtureSlope, smoothedStepCoefficients } from './algorithm-2.ts';
export { fitOf } from './fit.ts';
export { marginLossOf } from './loss.ts';
export { averagedGradients } from './margin/copies-oracle.ts';
export { createForecaster, type ForecastQuery, forecastMargin } from './margin/forecast.ts';
export { averagedMoments, momentsOf } from './margin/moments.ts';
export type { CopiesParameters, GaussianParameters, LiftedParameters, MarginParameters } from './margin/parameters.ts';
export { type Level, type Pool, poolLevels } from './margin/pool.ts';
export { productGradient, productGradients } from './margin/product.ts';
export {
  populationOptimum,
  populationRisk,
  type ReferencePopulation,
  referencePopulation,
} from './margin/reference-population.ts';
export type { MomentTally, ReportTally } from './margin/tally.ts';
export { printedBudget, transcriptMu } from './margin/theory.ts';
export { type Decoder, gradientVariance } from './margin/variance.ts';
export { planWalk } from './margin/walk-plan.ts';
export { type MixtureDecoding, mixtureVariance } from './mixture-variance.ts';
export {
  copies,
  type GaussianRequest,
  type GeneralizedLinearParameters,
  type GeneralizedLinearRequest,
  gaussian,
  generalizedLinearParameters,
  type LiftedRequest,
  lifted,
  printed,
  sphericalLaplace,
  type TaskRequest,
  VARIANTS,
} from './parameters.ts';
export { type GeneralizedLinearDatum, player } from './player.ts';
export { generalizedLinear } from './protocol.ts';
export { server } from './server.ts';
export { studyOf } from './study.ts';
