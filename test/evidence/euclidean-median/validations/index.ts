import type { TheoremValidation } from '../../experiment/experiment.ts';
import { lemma16 } from './lemma-16.ts';
import { oracle } from './oracle.ts';
import { rate } from './rate.ts';
import { table } from './table.ts';

/** What the paper proves of algorithm 3 and its tools, measured. */
export const validations: readonly TheoremValidation[] = [lemma16, oracle, rate, table];
