export { descend } from './curator.ts';
export { leastGradientSteps, leastNewtonSteps, minimaxErrorRate } from './m-estimation/conditions.ts';
export { fitEllipsoid, fitIntervals, flooredEigen, type NoisyFit, spectralMatrix } from './m-estimation/fit.ts';
export { type BoundedModel, type BoundedModelRequest, boundedModel } from './m-estimation/model.ts';
export { type CentralRecord, curvatureMoment, meanScore, scoreMoment } from './m-estimation/moments.ts';
export type { NoisyFitRequest, SandwichNoise } from './m-estimation/request.ts';
export { descent, type NoisyGradientDescentPlan, type NoisyGradientDescentRequest } from './parameters.ts';
export { certificate, contraction, privacyError } from './theory.ts';
