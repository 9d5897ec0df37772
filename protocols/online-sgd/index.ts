/**
 * A model from a stream of players, with intervals at every moment.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link onlineSgd} |
 * | make the parameters of a variant | {@link onlineSgdPlan} |
 *
 * @packageDocumentation
 */
export { type OnlineEstimate, type OnlineQuery, plugInCovariance } from './estimate.ts';
export { type OnlinePlan, type OnlineSgdRequest, type OnlineStep, onlineSgdPlan } from './parameters.ts';
export { onlineSgd } from './protocol.ts';
export type { OnlineState } from './state.ts';
export { type StreamPopulation, streamReplication } from './streams.ts';
export { asymptoticCovariance, type PopulationMoments } from './theory.ts';
