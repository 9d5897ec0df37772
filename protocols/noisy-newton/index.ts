export { injectedCovariance } from './covariance.ts';
export { solve } from './curator.ts';
export { type NoisyNewtonPlan, type NoisyNewtonRequest, newton, type WarmUp } from './parameters.ts';
export { certificate, hessianDistance, privacyError } from './theory.ts';
