/**
 * Robust regression by noisy gradient descent, where a curator holds the records.
 *
 * | to | start from |
 * |---|---|
 * | make a plan, and play it | {@link descent}; {@link descend}, {@link fitIntervals} |
 *
 * @packageDocumentation
 */
export { descend } from './curator.ts';
export { fitEllipsoid, fitIntervals } from './m-estimation/fit.ts';
export {
  type BoundedModelRequest,
  boundedModel,
  type CentralRecord,
  curvatureMoment,
  meanScore,
  scoreMoment,
} from './m-estimation/model.ts';
export type { NoisyFitRequest } from './m-estimation/request.ts';
export { descent } from './parameters.ts';
export { privacyError, theory } from './theory.ts';
