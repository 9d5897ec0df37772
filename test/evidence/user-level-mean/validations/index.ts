import type { TheoremValidation } from '../../experiment/experiment.ts';
import { improvedEstimatorValidation } from './improved-estimator.ts';
import { multivariateConditionValidation } from './multivariate-condition.ts';
import { multivariateErrorValidation } from './multivariate-error.ts';
import { multivariatePrivacyValidation } from './multivariate-privacy.ts';
import { multivariateRatesValidation } from './multivariate-rates.ts';
import { naiveErrorValidation } from './naive-error.ts';
import { naivePrivacyValidation } from './naive-privacy.ts';
import { oneBitErrorValidation } from './one-bit-error.ts';
import { randomRotationValidation } from './random-rotation.ts';
import { twoRoundConditionValidation } from './two-round-condition.ts';
import { twoRoundErrorValidation } from './two-round-error.ts';
import { twoRoundPrivacyValidation } from './two-round-privacy.ts';

/** What the slides claim of user-level means, measured. */
export const validations: readonly TheoremValidation[] = [
  naiveErrorValidation,
  naivePrivacyValidation,
  improvedEstimatorValidation,
  twoRoundErrorValidation,
  oneBitErrorValidation,
  twoRoundConditionValidation,
  twoRoundPrivacyValidation,
  multivariateRatesValidation,
  randomRotationValidation,
  multivariateErrorValidation,
  multivariateConditionValidation,
  multivariatePrivacyValidation,
];
