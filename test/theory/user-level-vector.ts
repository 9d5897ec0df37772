import { userLevelMean } from '../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanPlan } from '../../protocols/user-level-mean/parameters.ts';
import { fillNormal, normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type ConductOptions, conduct } from '../../src/simulation/runner.ts';

/** A run: mean squared error over all coordinates, and the estimate minus the mean. */
export interface Run {
  readonly squaredError: number;
  readonly error: Float64Array;
  readonly standardError: Float64Array;
}

/**
 * Plays a plan on local means that are normal with the deviation `tau` around a mean of the given norm, drawn afresh for each
 * seed; what leaves the domain is drawn in. Each player holds its local mean as one sample.
 */
export function play(
  plan: Extract<UserLevelMeanPlan, { readonly domain: unknown }>,
  tau: number,
  length: number,
  seed: string,
  vanishes?: ConductOptions['vanishes'],
): Run {
  const { dimension: d, players, bound, domain } = plan;
  const random = seededRandom(`samples ${seed}`);
  const mean = Float64Array.from({ length: d }, () => normal(random));
  const norm = Math.hypot(...mean);
  for (let i = 0; i < d; i++) mean[i] *= length / norm;
  const noise = new Float64Array(d);
  const samples = new Float64Array(d);
  const datum = (index: number) => {
    random.seek(index);
    fillNormal(noise, random, 0, d);
    let squared = 0;
    for (let i = 0; i < d; i++) {
      samples[i] = mean[i] + tau * noise[i];
      squared += samples[i] * samples[i];
      if (domain === 'box') samples[i] = Math.max(-bound, Math.min(bound, samples[i]));
    }
    const factor = domain === 'ball' && squared > bound * bound ? bound / Math.sqrt(squared) : 1;
    if (factor < 1) for (let i = 0; i < d; i++) samples[i] *= factor;
    return { samples };
  };
  const options: ConductOptions = vanishes === undefined ? { seed } : { seed, vanishes };
  const { estimate } = conduct(userLevelMean, plan, { players, datum }, options);
  const error = Float64Array.from(mean, (x, i) => estimate.unprojected[i] - x);
  const squaredError = error.reduce((sum, x) => sum + x * x, 0);
  return { squaredError, error, standardError: estimate.standardError };
}

/** Root mean squared error over runs. */
export function rootError(runs: number, run: (index: number) => Run): number {
  let sum = 0;
  for (let i = 0; i < runs; i++) sum += run(i).squaredError / runs;
  return Math.sqrt(sum);
}
