export { onlineAuditing } from './auditing.ts';
export { averageRate, type BoundFields, lastIterateBound, lastIterateRate, rateExponents } from './bounds.ts';
export { estimateStream, type OnlineEstimate, type OnlineQuery, plugInCovariance } from './estimate.ts';
export {
  averageLossBound,
  lastLossBound,
  printedAverageLossBound,
  printedLastLossBound,
} from './loss-bounds.ts';
export {
  gaussian,
  gdp,
  laplace,
  nonPrivate,
  type OnlineSgdRequest,
  onlineSgdPlan,
  printedGaussian,
  printedGdp,
  privUnit,
  VARIANTS,
} from './parameters.ts';
export type { OnlinePlan, OnlineStep } from './plan.ts';
export { player } from './player.ts';
export { type Streamable, type StreamPopulation, streamReplication } from './population-stream.ts';
export { onlineSgd } from './protocol.ts';
export type { OnlineReport } from './report.ts';
export { server } from './server.ts';
export type { OnlineState } from './state.ts';
export {
  asymptoticCovariance,
  neighbourDistance,
  noiseVariance,
  omega,
  type PopulationMoments,
  printedLaplaceRate,
} from './theory.ts';
