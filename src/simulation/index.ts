/**
 * Players of a simulation, and measurements of their collection.
 *
 * | to | start from |
 * |---|---|
 * | play many players | {@link simulate}; in rounds {@link conduct} |
 * | draw what their reports add up to | {@link dataMoments}, {@link simulateSum} |
 * | measure a model | {@link scoreMetrics}, {@link hingeOptimum} |
 * | know how many players a target needs | {@link playersUntil} |
 *
 * @packageDocumentation
 */

export { hingeOptimum, scoreMetrics } from './metrics.ts';
export type { Dataset } from './population.ts';
export { datasetPopulation, type Population, splitRows } from './population.ts';
export { conduct, simulate } from './runner.ts';
export { playersUntil } from './study.ts';
export { dataMoments, simulateSum } from './sum-law.ts';
