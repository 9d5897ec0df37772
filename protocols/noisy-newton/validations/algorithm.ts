import type { CentralAlgorithm } from '../../../src/simulation/noisy-fit/algorithm.ts';
import { solve } from '../curator.ts';
import { type NoisyNewtonPlan, newton } from '../parameters.ts';
import { certificate, privacyError } from '../theory.ts';

/** Noisy Newton as its validations run it. */
export const algorithm: CentralAlgorithm<NoisyNewtonPlan> = {
  name: 'noisy Newton',
  key: 'noisy-newton',
  steep: true,
  plan: newton,
  fit: solve,
  privacyError,
  certificate,
};
