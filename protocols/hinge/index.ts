export {
  copies,
  gaussian,
  type HingeParameters,
  type HingeRequest,
  hingeParameters,
  lifted,
  printed,
} from './parameters.ts';
export { liftedHinge } from './player.ts';
export { hinge } from './protocol.ts';
export { chebyshevCoefficients } from './server.ts';
export { study } from './study.ts';
