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
export { liftedHinge, sampledHinge } from './player.ts';
export { hinge } from './protocol.ts';
export { chebyshevCoefficients } from './server.ts';
export { study } from './study.ts';
