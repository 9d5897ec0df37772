import type { PaperExperiment } from '../../experiment/experiment.ts';
import { comparators } from './comparators.ts';

/** The methods of others in table 1, run beside those of this toolkit. */
export const experiments: readonly PaperExperiment[] = [comparators];
