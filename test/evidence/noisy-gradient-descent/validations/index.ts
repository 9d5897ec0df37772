import type { TheoremValidation } from '../../experiment/experiment.ts';
import { normalityValidation } from '../../noisy-fit/normality.ts';
import { optimalRateValidation } from '../../noisy-fit/optimal-rate.ts';
import { privacyValidation } from '../../noisy-fit/privacy.ts';
import { privacyErrorValidation } from '../../noisy-fit/privacy-error.ts';
import { algorithm } from './algorithm.ts';
import { attacks } from './attack.ts';
import { influence } from './influence.ts';
import { sandwich } from './sandwich.ts';
import { steps } from './steps.ts';

/** Theorems on M-estimators and on noisy gradient descent, measured. */
export const validations: readonly TheoremValidation[] = [
  influence,
  sandwich,
  steps,
  privacyValidation(algorithm, ['Gaussian mechanism', 'Composition, product', 'Noisy gradient descent'], attacks),
  privacyErrorValidation(algorithm, 60),
  normalityValidation(algorithm),
  optimalRateValidation(algorithm, {
    records: [2000, 4000, 8000],
    mus: [0.04, 0.08, 0.16],
    // At 2000 and .04 the privacy term is more than half of the curve.
    ranges: { privacy: [7.5, 14], whole: [4.2, 7.8] },
  }),
];
