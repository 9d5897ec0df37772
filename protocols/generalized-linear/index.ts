/**
 * A linear model under any convex loss of the margin, chosen after collection.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link generalizedLinear} |
 * | make the parameters of a variant | {@link direct}, {@link lifted}, {@link gaussian}, {@link sampled}, {@link sphericalLaplace}, {@link copies}, {@link printed} |
 *
 * @packageDocumentation
 */
export type { ReportTally } from '../../src/core/channel.ts';
export { mixtureGradients, mixtureSlope, mixtureVariance, smoothedStepCoefficients } from './algorithm-2.ts';
export { fitOf } from './fit.ts';
export { gradientVariance, momentsOf } from './margin/channels.ts';
export { createForecaster, populationMoments } from './margin/forecast.ts';
export type { MarginParameters } from './margin/parameters.ts';
export { poolLevels } from './margin/pool.ts';
export {
  populationOptimum,
  populationRisk,
  publicPopulation,
  referencePopulation,
} from './margin/reference-population.ts';
export { averagedGradients, productGradients } from './margin/walk-model.ts';
export {
  copies,
  direct,
  gaussian,
  generalizedLinearParameters,
  lifted,
  printed,
  sampled,
  sphericalLaplace,
} from './parameters.ts';
export { generalizedLinear, studyOf } from './protocol.ts';
export { marginSums } from './sum-law.ts';
