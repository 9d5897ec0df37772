export { type FitRegion, fitEllipsoid, fitIntervals, type NoisyFit } from './m-estimation/fit.ts';
export { MATRIX_CALIBRATIONS, type MatrixCalibration } from './m-estimation/matrix-noise.ts';
export {
  BOUNDED_KINDS,
  type BoundedKind,
  type BoundedModel,
  type BoundedModelRequest,
  boundedModel,
} from './m-estimation/model.ts';
export type { CentralRecord } from './m-estimation/moments.ts';
export {
  type BudgetSplit,
  DEFAULT_SPLIT,
  type NoisyFitRequest,
  type SandwichNoise,
} from './m-estimation/request.ts';
export * from './curator.ts';
export * from './parameters.ts';
export * from './theory.ts';
