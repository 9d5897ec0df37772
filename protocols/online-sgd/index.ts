export { type OnlineEstimate, type OnlineQuery, plugInCovariance } from './estimate.ts';
export { type OnlineSgdRequest, onlineSgdPlan } from './parameters.ts';
export type { OnlinePlan, OnlineStep } from './plan.ts';
export { onlineSgd } from './protocol.ts';
export type { OnlineState } from './state.ts';
export { type StreamPopulation, streamReplication } from './streams.ts';
export { asymptoticCovariance, type PopulationMoments } from './theory.ts';
