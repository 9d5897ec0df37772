import { normalityValidation } from '../../../src/simulation/noisy-fit/normality.ts';
import { optimalRateValidation } from '../../../src/simulation/noisy-fit/optimal-rate.ts';
import { privacyValidation } from '../../../src/simulation/noisy-fit/privacy.ts';
import { privacyErrorValidation } from '../../../src/simulation/noisy-fit/privacy-error.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { algorithm } from './algorithm.ts';
import { attack } from './attack.ts';
import { matrixNoise } from './matrix-noise.ts';
import { steps } from './steps.ts';

/** Theorems on noisy Newton, measured. */
export const validations: readonly TheoremValidation[] = [
  matrixNoise,
  steps,
  privacyValidation(algorithm, attack),
  privacyErrorValidation(algorithm, 3),
  normalityValidation(algorithm),
  optimalRateValidation(algorithm),
];
