import type { PaperExperiment } from '../../experiment/experiment.ts';
import { twoRounds } from './two-rounds.ts';

/** The schemes of the slides beside ours, in several dimensions. */
export const experiments: readonly PaperExperiment[] = [twoRounds];
