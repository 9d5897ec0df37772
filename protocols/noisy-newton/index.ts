export { type FitRegion, fitEllipsoid, fitIntervals, type NoisyFit } from '../noisy-gradient-descent/m-estimation/fit.ts';
export { MATRIX_CALIBRATIONS, type MatrixCalibration } from '../noisy-gradient-descent/m-estimation/matrix-noise.ts';
export {
  BOUNDED_KINDS,
  type BoundedKind,
  type BoundedModel,
  type BoundedModelRequest,
  boundedModel,
} from '../noisy-gradient-descent/m-estimation/model.ts';
export type { CentralRecord } from '../noisy-gradient-descent/m-estimation/moments.ts';
export {
  type BudgetSplit,
  DEFAULT_SPLIT,
  type NoisyFitRequest,
  type SandwichNoise,
} from '../noisy-gradient-descent/m-estimation/request.ts';
export * from './covariance.ts';
export * from './curator.ts';
export * from './parameters.ts';
export * from './theory.ts';
