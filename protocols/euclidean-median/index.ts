/**
 * A robust centre of points from one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link euclideanMedian} |
 * | make the parameters of a variant | {@link lifted}, {@link gaussian}, {@link copies}, {@link printed} |
 *
 * @packageDocumentation
 */
export { directionGradient, integrateDirections, productSecondMoment, stepCoefficients } from './algorithm-3.ts';
export { createMedianForecaster, pointPopulation, pointRisk } from './forecast.ts';
export { liftedMoments, potential, radialRisks } from './moments.ts';
export { copies, euclideanMedianParameters, gaussian, lifted, printed } from './parameters.ts';
export { euclideanMedian, study } from './protocol.ts';
export { gradientVariance } from './server.ts';
