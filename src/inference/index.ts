// Confidence intervals of streams.
export * from './batch-means.ts';
export * from './batch-schedule.ts';
export * from './chi-square.ts';
export * from './contrast.ts';
export * from './coverage.ts';
export * from './critical-value.ts';
export * from './ellipsoid.ts';
export * from './hessian-release.ts';
export * from './interval.ts';
export * from './joint-scaling.ts';
export * from './merge-batch-means.ts';
export * from './printed-plug-in.ts';
export * from './random-scaling.ts';
export * from './released-gradients.ts';
export * from './sandwich.ts';
