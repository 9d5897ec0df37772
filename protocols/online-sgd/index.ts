export {
  gaussian,
  gdp,
  laplace,
  MAKERS,
  nonPrivate,
  type OnlineSgdRequest,
  onlineSgdPlan,
  printedGaussian,
  printedGdp,
  privUnit,
} from './parameters.ts';
export { player } from './player.ts';
export { type Streamable, type StreamPopulation, streamReplication } from './population-stream.ts';
export { onlineSgd } from './protocol.ts';
export { server } from './server.ts';
export { onlineAuditing } from './stream/auditing.ts';
export { averageRate, type BoundFields, lastIterateBound, lastIterateRate, rateExponents } from './stream/bounds.ts';
export { estimateStream, type OnlineEstimate, type OnlineQuery, plugInCovariance } from './stream/estimate.ts';
export {
  averageLossBound,
  lastLossBound,
  printedAverageLossBound,
  printedLastLossBound,
} from './stream/loss-bounds.ts';
export type { OnlinePlan } from './stream/plan.ts';
export type { OnlineStep } from './stream/player.ts';
export type { OnlineReport } from './stream/report.ts';
export type { OnlineState } from './stream/state.ts';
export {
  asymptoticCovariance,
  noiseVariance,
  omega,
  type PopulationMoments,
  printedLaplaceRate,
} from './stream/theory.ts';
export { neighbourDistance } from './theory.ts';
