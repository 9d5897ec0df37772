export type { LiftedParameters } from '../generalized-linear/margin/parameters.ts';
export { chebyshevCoefficients } from './algorithm-1.ts';
export {
  copies,
  gaussian,
  type HingeParameters,
  type HingeRequest,
  hingeParameters,
  lifted,
  printed,
  VARIANTS,
} from './parameters.ts';
export { type HingeDatum, liftedHinge, player } from './player.ts';
export { hinge } from './protocol.ts';
export { encode, type HingeReport } from './report.ts';
export { type HingeTally, server } from './server.ts';
export { study } from './study.ts';
export { oracleQuality, playersForSameVariance } from './theory.ts';
