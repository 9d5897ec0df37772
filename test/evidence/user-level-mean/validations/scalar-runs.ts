import { digestOf, type Json, seededRandom } from 'ldpkit';
import { normal, uniform } from 'ldpkit/mechanism';
import {
  isVector,
  type UserLevelMeanRequest,
  userLevelMean,
  userLevelMeanPlan,
} from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import type { CellResult } from '../../experiment/experiment.ts';

/** Plans in one dimension. */
type ScalarPlan = Exclude<ReturnType<typeof userLevelMeanPlan>, { readonly domain: unknown }>;

const { max, min, round, sqrt } = Math;

/** Runs of one scalar plan. */
export interface ScalarSetting {
  readonly [name: string]: Json;
  /** What the plan is made from: a `UserLevelMeanRequest` as plain data. */
  readonly request: { readonly [name: string]: Json };
  /** s: local means are normal around the mean with the deviation s/√m, cut off at ±B. */
  readonly spread: number;
  /** The mean: uniform on [−B/2, B/2], or the edge of a bin of `printed` that is nearest to 0. */
  readonly mean: 'anywhere' | 'edge';
  /** Replications of one chunk. */
  readonly runs: number;
}

/** Estimates less the mean. */
export interface ScalarChunk {
  readonly [name: string]: Json;
  readonly errors: readonly number[];
}

/** The plan of a setting. */
export function planOf({ request }: ScalarSetting): ScalarPlan {
  const plan = userLevelMeanPlan(request as unknown as UserLevelMeanRequest);
  if (isVector(plan)) throw new RangeError('"request" expected a variant in one dimension');
  return plan;
}

/** One chunk: each run draws a mean, local means of all players, and all coins of the protocol. */
export function scalarChunk(setting: ScalarSetting, chunk: number, seed: string): ScalarChunk {
  const plan = planOf(setting);
  const { players, samples, bound } = plan;
  const deviation = setting.spread / sqrt(samples);
  // A stream for every setting: cells of one figure are independent of each other.
  const key = `${seed} ${digestOf(setting)}`;
  const draws = seededRandom(`${key} data`);
  const values = new Float64Array(players);
  const datum = { samples: new Float64Array(1) };
  const population = {
    players,
    datum(i: number) {
      datum.samples[0] = values[i];
      return datum;
    },
  };
  const errors: number[] = [];
  for (let run = chunk * setting.runs; run < (chunk + 1) * setting.runs; run++) {
    draws.seek(run);
    const mean = setting.mean === 'edge' ? edgeOf(plan) : bound * (uniform(draws) - 0.5);
    for (let i = 0; i < players; i++) values[i] = max(-bound, min(bound, mean + deviation * normal(draws)));
    const { estimate } = conduct(userLevelMean, plan, population, { seed: `${key} ${run}` });
    errors.push(estimate.unprojected[0] - mean);
  }
  return { errors };
}

function edgeOf(plan: ScalarPlan): number {
  if (!('pilot' in plan) || plan.pilot.kind !== 'bin') return 0;
  const { categories } = plan.pilot.mechanism;
  return plan.bound * ((2 * round(categories / 2)) / categories - 1);
}

/** The same, over in milliseconds. */
export function scalarSmallRun(setting: ScalarSetting): ScalarSetting {
  return { ...setting, runs: 1, request: { ...setting.request, players: 400 } };
}

/** The squared errors of all chunks of a cell. */
export function squaresOf({ chunks }: CellResult<ScalarSetting, ScalarChunk>): readonly number[] {
  return chunks.flatMap(({ errors }) => errors.map((error) => error * error));
}
