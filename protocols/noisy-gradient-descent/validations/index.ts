import { normalityValidation } from '../../../src/simulation/noisy-fit/normality.ts';
import { optimalRateValidation } from '../../../src/simulation/noisy-fit/optimal-rate.ts';
import { privacyValidation } from '../../../src/simulation/noisy-fit/privacy.ts';
import { privacyErrorValidation } from '../../../src/simulation/noisy-fit/privacy-error.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { algorithm } from './algorithm.ts';
import { attack } from './attack.ts';
import { influence } from './influence.ts';
import { sandwich } from './sandwich.ts';
import { steps } from './steps.ts';

/** Theorems on M-estimators and on noisy gradient descent, measured. */
export const validations: readonly TheoremValidation[] = [
  influence,
  sandwich,
  steps,
  privacyValidation(algorithm, attack),
  privacyErrorValidation(algorithm, 60),
  normalityValidation(algorithm),
  optimalRateValidation(algorithm),
];
