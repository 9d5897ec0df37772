import { newton, solve } from 'ldpkit/protocols/noisy-newton';
import type { PaperExperiment } from '../../experiment/experiment.ts';
import { noisyCoverageExperiment } from '../../noisy-fit/coverage.ts';
import { type NoisyAlgorithm, REGRESSION_MODEL } from '../../noisy-fit/population.ts';
import { noisyTrajectoryExperiment } from '../../noisy-fit/trajectory.ts';

const algorithm: NoisyAlgorithm = {
  name: 'noisy Newton',
  key: 'newton',
  summary:
    'Eight gradient steps of size 1/B̄ = 1, then as many Newton steps as the rule K = log log n says, at least 2.',
  run: (mu, records, random) =>
    solve(newton({ mu, records: records.length, model: REGRESSION_MODEL }), records, random),
};

/** Coverage and trajectories, computed again. */
export const experiments: readonly PaperExperiment[] = [
  noisyCoverageExperiment(algorithm),
  noisyTrajectoryExperiment(algorithm),
];
