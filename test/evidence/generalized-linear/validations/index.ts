import type { TheoremValidation } from '../../experiment/experiment.ts';
import { lemma13 } from './lemma-13.ts';
import { meanGradient } from './mean-gradient.ts';
import { rate } from './rate.ts';

/** What the paper proves of algorithm 2 and its tools, measured. */
export const validations: readonly TheoremValidation[] = [lemma13, meanGradient, rate];
