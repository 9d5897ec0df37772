export { solve } from './curator.ts';
export { type NoisyNewtonPlan, newton } from './parameters.ts';
export { privacyError, theory } from './theory.ts';
