export { directionGradient, integrateDirections, stepCoefficients } from './algorithm-3.ts';
export { potential } from './expansion.ts';
export { createMedianForecaster, forecastMedian, type MedianForecaster, medianPlayersNeeded } from './forecast.ts';
export { liftedMoments } from './moments.ts';
export {
  type CopiesParameters,
  copies,
  type EuclideanMedianParameters,
  euclideanMedianParameters,
  type GaussianParameters,
  gaussian,
  type LiftedParameters,
  lifted,
  printed,
  VARIANTS,
} from './parameters.ts';
export { type EuclideanMedianDatum, player } from './player.ts';
export { euclideanMedian } from './protocol.ts';
export { type PointPopulation, pointPopulation, pointRisk } from './reference-points.ts';
export type { EuclideanMedianReport } from './report.ts';
export { radialRisks } from './risk.ts';
export { server } from './server.ts';
export { study } from './study.ts';
export { gradientVariance, productSecondMoment } from './variance.ts';
