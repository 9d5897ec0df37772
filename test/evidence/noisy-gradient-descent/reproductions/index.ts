import { descend, descent } from 'ldpkit/protocols/noisy-gradient-descent';
import type { PaperExperiment } from '../../experiment/experiment.ts';
import { noisyCoverageExperiment } from '../../noisy-fit/coverage.ts';
import { type NoisyAlgorithm, REGRESSION_MODEL } from '../../noisy-fit/population.ts';
import { noisyTrajectoryExperiment } from '../../noisy-fit/trajectory.ts';

const algorithm: NoisyAlgorithm = {
  name: 'noisy gradient descent',
  key: 'gradient-descent',
  summary: 'Steps of size 1/B̄ = 1, as many as the rule K = ½·log n/−log(1 − ητ₁) says for τ₁ = .1.',
  run: (mu, records, random) =>
    descend(descent({ mu, records: records.length, model: REGRESSION_MODEL }), records, random),
};

/** Coverage and trajectories, computed again. */
export const experiments: readonly PaperExperiment[] = [
  noisyCoverageExperiment(algorithm),
  noisyTrajectoryExperiment(algorithm),
];
