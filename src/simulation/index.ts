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

export { hingeOptimum } from './hinge-optimum.ts';
export { scoreMetrics } from './metrics.ts';
export { conduct, type Dataset, datasetPopulation, type Population, simulate, splitRows } from './runner.ts';
export { playersUntil } from './study.ts';
export { dataMoments, simulateSum } from './sum-law.ts';
