import type { TheoremValidation } from '../../experiment/experiment.ts';
import { ermErrorValidation } from './erm-error.ts';
import { gradientErrorValidation } from './gradient-error.ts';

/** What the slides claim of user-level empirical risk minimization, measured. */
export const validations: readonly TheoremValidation[] = [gradientErrorValidation, ermErrorValidation];
