/**
 * A linear model under the hinge loss from one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link hinge} |
 * | make the parameters of a variant | {@link direct}, {@link lifted}, {@link gaussian}, {@link sampled}, {@link copies}, {@link printed}; on a small device {@link liftedHinge} |
 *
 * @packageDocumentation
 */
export { marginSums } from '../generalized-linear/sum-law.ts';
export {
  copies,
  direct,
  gaussian,
  type HingeParameters,
  type HingeRequest,
  hingeParameters,
  lifted,
  printed,
  sampled,
} from './parameters.ts';
export { liftedHinge } from './player.ts';
export { hinge, plannedRequest, study } from './protocol.ts';
export { chebyshevCoefficients } from './server.ts';
