import type { TheoremValidation } from '../../experiment/experiment.ts';
import { normalityValidation } from '../../noisy-fit/normality.ts';
import { optimalRateValidation } from '../../noisy-fit/optimal-rate.ts';
import { privacyValidation } from '../../noisy-fit/privacy.ts';
import { privacyErrorValidation } from '../../noisy-fit/privacy-error.ts';
import { algorithm } from './algorithm.ts';
import { attacks } from './attack.ts';
import { matrixNoise } from './matrix-noise.ts';
import { steps } from './steps.ts';

/** Theorems on noisy Newton, measured. */
export const validations: readonly TheoremValidation[] = [
  matrixNoise,
  steps,
  privacyValidation(algorithm, ['Noisy Newton'], attacks),
  privacyErrorValidation(algorithm, 3),
  normalityValidation(algorithm),
  optimalRateValidation(algorithm, {
    // Less noise than for gradient descent: that on Hessians has to be below their curvature.
    records: [4000, 8000, 16_000],
    mus: [0.2, 0.3, 0.4],
    ranges: { privacy: [8, 17], whole: [1.3, 2.8] },
  }),
];
