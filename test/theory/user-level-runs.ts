import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import { normal, type Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';

/** Runs of a plan on its nominal number of players, whose local means are drawn as they are. */
export interface Runs {
  readonly runs: number;
  readonly seed: string;
  /** The mean of run number `run`. */
  mean(run: number): number;
  /** One local mean, in [−1, 1]. */
  local(mean: number, random: Random): number;
  readonly vanishes?: (player: number, round: number) => boolean;
}

/** Errors of the estimates, and those errors over the standard errors that were stated. */
export interface RunErrors {
  readonly errors: Float64Array;
  readonly standardised: Float64Array;
}

/** Normal local means of standard deviation s/√m around their mean. */
export function normalMeans(deviation: number): Runs['local'] {
  return (mean, random) => Math.max(-1, Math.min(1, mean + deviation * normal(random)));
}

/** Plays the plan over and over, with data and coins of each run's own. */
export function runErrors(request: UserLevelMeanRequest, { runs, seed, mean, local, vanishes }: Runs): RunErrors {
  const plan = userLevelMeanPlan(request);
  const { players } = request;
  const draws = seededRandom(`${seed} data`);
  const datum = { samples: new Float64Array(1) };
  const values = new Float64Array(players);
  const population = {
    players,
    datum(i: number) {
      datum.samples[0] = values[i];
      return datum;
    },
  };
  const errors = new Float64Array(runs);
  const standardised = new Float64Array(runs);
  for (let run = 0; run < runs; run++) {
    draws.seek(run);
    const truth = mean(run);
    for (let i = 0; i < players; i++) values[i] = local(truth, draws);
    const options = { seed: `${seed} ${run}`, ...(vanishes === undefined ? {} : { vanishes }) };
    const { estimate } = conduct(userLevelMean, plan, population, options);
    errors[run] = estimate.unprojected[0] - truth;
    standardised[run] = errors[run] / estimate.standardError[0];
  }
  return { errors, standardised };
}

/** Root of the mean square. */
export function rootMeanSquare(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum / values.length);
}

/** The arithmetic mean. */
export function average(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
