import type { PaperExperiment } from '../../experiment/experiment.ts';
import { comparators } from './comparators.ts';
import { defaults } from './defaults.ts';

/** The methods of others in table 1, and the default on synthetic files. */
export const experiments: readonly PaperExperiment[] = [comparators, defaults];
