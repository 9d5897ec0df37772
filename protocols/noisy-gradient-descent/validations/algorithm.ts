import type { CentralAlgorithm } from '../../../src/simulation/noisy-fit/algorithm.ts';
import { descend } from '../curator.ts';
import { descent, type NoisyGradientDescentPlan } from '../parameters.ts';
import { certificate, privacyError } from '../theory.ts';

/** Noisy gradient descent as its validations run it. */
export const algorithm: CentralAlgorithm<NoisyGradientDescentPlan> = {
  name: 'noisy gradient descent',
  key: 'noisy-gradient-descent',
  steep: false,
  plan: descent,
  fit: descend,
  privacyError,
  certificate,
};
