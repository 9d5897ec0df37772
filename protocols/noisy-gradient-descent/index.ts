/**
 * Robust regression by noisy gradient descent, where a curator holds the records.
 *
 * | to | start from |
 * |---|---|
 * | make a plan, and play it | {@link descent}; {@link descend}, {@link fitIntervals} |
 *
 * @packageDocumentation
 */
export { descend, fitEllipsoid, fitIntervals } from './curator.ts';
export {
  type BoundedModelRequest,
  boundedModel,
  type CentralRecord,
  curvatureMoment,
  meanScore,
  scoreMoment,
} from './model.ts';
export { descent, type NoisyFitRequest } from './parameters.ts';
export { privacyError, theory } from './protocol.ts';
