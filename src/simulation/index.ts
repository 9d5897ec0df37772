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
export { hingeOptimum } from './baseline.ts';
export { conduct } from './conduct.ts';
export type { Dataset } from './dataset.ts';
export { splitRows } from './dataset.ts';
export { playersUntil } from './forecast.ts';
export { scoreMetrics } from './metrics.ts';
export { datasetPopulation, type Population } from './population.ts';
export { simulate } from './runner.ts';
export { dataMoments, simulateSum } from './sum-law.ts';
