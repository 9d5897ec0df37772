export { marginSums } from '../generalized-linear/sum-law.ts';
export {
  copies,
  gaussian,
  type HingeParameters,
  type HingeRequest,
  hingeParameters,
  lifted,
  printed,
  sampled,
} from './parameters.ts';
export { plannedRequest } from './planned-request.ts';
export { liftedHinge, sampledHinge } from './player.ts';
export { hinge } from './protocol.ts';
export { chebyshevCoefficients } from './server.ts';
export { study } from './study.ts';
