import { digestOf, type Json, seededRandom } from 'ldpkit';
import { fillNormal, fillSphere } from 'ldpkit/mechanism';
import {
  type UserLevelMeanRequest,
  userLevelMean,
  userLevelMeanPlan,
  type vector,
} from 'ldpkit/protocols/user-level-mean';
import { conduct, type Population } from 'ldpkit/simulate';
import { digits, type RatePoint } from 'ldpkit/testing';
import { type CellResult, type Sweep, sweepResults } from '../../experiment/experiment.ts';
import { rootPoints } from '../../experiment/statistics.ts';
import { type KeptRuns, keptRuns } from '../../shared/lost-runs.ts';

const { sqrt } = Math;

/** Runs of one plan in several dimensions. */
export interface VectorSetting {
  readonly [name: string]: Json;
  /** What the plan is made from: a `UserLevelMeanRequest` as plain data, for samples in a ball. */
  readonly request: { readonly [name: string]: Json };
  /** s√d: samples in the unit ball are so far from the mean, in root mean square; of a local mean √m times less. */
  readonly spread: number;
  /** Norm of the mean, whose direction is drawn in each run. */
  readonly length: number;
  /** Replications of one chunk. */
  readonly runs: number;
}

/** Squared errors of all coordinates, run after run. */
export interface VectorChunk {
  readonly [name: string]: Json;
  readonly squares: readonly number[];
}

/** The plan of a setting. */
export function vectorPlanOf({ request }: VectorSetting): ReturnType<typeof vector> {
  const plan = userLevelMeanPlan(request as unknown as UserLevelMeanRequest);
  if (plan.variant !== 'vector' && plan.variant !== 'coordinates') {
    throw new RangeError('"request" expected vector or coordinates');
  }
  return plan;
}

/** One chunk: each run draws the direction of the mean, local means of all players, and all coins of the protocol. */
export function vectorChunk(setting: VectorSetting, chunk: number, seed: string): VectorChunk {
  const plan = vectorPlanOf(setting);
  const { dimension: d, players, samples: m } = plan;
  const deviation = setting.spread / sqrt(d * m);
  // A stream for every setting: cells of one figure are independent of each other.
  const key = `${seed} ${digestOf(setting)}`;
  const squares: number[] = [];
  const mean = new Float64Array(d);
  const samples = new Float64Array(d);
  const local = { samples };
  for (let run = chunk * setting.runs; run < (chunk + 1) * setting.runs; run++) {
    const draws = seededRandom(`${key} data ${run}`);
    fillSphere(mean, draws);
    for (let i = 0; i < d; i++) mean[i] *= setting.length;
    const datum = (index: number) => {
      draws.seek(index);
      fillNormal(samples, draws, 0, d);
      let squared = 0;
      for (let i = 0; i < d; i++) {
        samples[i] = mean[i] + deviation * samples[i];
        squared += samples[i] * samples[i];
      }
      if (squared > 1) for (let i = 0; i < d; i++) samples[i] /= sqrt(squared) * (1 + 1e-12);
      return local;
    };
    const estimate = estimateOf(plan, { players, datum }, `${key} ${run}`);
    for (let i = 0; i < d; i++) squares.push((estimate[i] - mean[i]) ** 2);
  }
  return { squares };
}

/**
 * The estimate of one run. With few players it happens that nobody answers about some coordinate, which the protocol refuses: then
 * nothing is said, and the error is that of saying 0.
 */
function estimateOf(
  plan: ReturnType<typeof vector>,
  population: Population<Parameters<typeof userLevelMean.player.randomize>[1]>,
  seed: string,
): Float64Array {
  try {
    return conduct(userLevelMean, plan, population, { seed }).estimate.unprojected;
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('reports of each of')) {
      return new Float64Array(plan.dimension);
    }
    throw error;
  }
}

/** The same, over in milliseconds. */
export function vectorSmallRun(setting: VectorSetting): VectorSetting {
  return { ...setting, runs: 1, request: { ...setting.request, players: 2000 } };
}

/** Root mean squared norms of the error along a sweep, of the runs that lost no coordinate, and those runs. */
export interface VectorErrors {
  readonly points: readonly RatePoint[];
  readonly groups: readonly KeptRuns[];
}

/** Errors along a sweep. Coordinates, which are uncorrelated, are counted one by one. */
export function vectorErrors(
  sweep: Sweep<VectorSetting>,
  results: readonly CellResult<VectorSetting, VectorChunk>[],
): VectorErrors {
  const groups = sweepResults(sweep, results).map(({ cell, chunks }) =>
    keptRuns(
      chunks.flatMap(({ squares }) => squares),
      vectorPlanOf(cell.setting).dimension,
    ),
  );
  const squares = groups.map((group) => group.squares);
  return { points: rootPoints(sweep.xs, squares), groups };
}

/** What a sweep in several dimensions keeps fixed. */
export interface VectorSweep {
  readonly key: string;
  readonly variable: string;
  /** The field of the request that differs. */
  readonly field: 'players' | 'samples' | 'epsilon' | 'dimension';
  readonly xs: readonly number[];
  readonly request: { readonly [name: string]: Json };
  /** What else differs. */
  readonly change?: (x: number) => { readonly [name: string]: Json };
  /** Replications of each value at the quick scale. */
  readonly runs: readonly number[];
}

/** Chunks of a cell at the full scale, and how many times the replications of a chunk. */
export const FULL_PARTS = 4;
const FULL_TIMES = 4;

/** A sweep in one field of the request; samples are .3 from a mean of norm ½. */
export function vectorSweep({ request, field, change, runs, ...rest }: VectorSweep): Sweep<VectorSetting> {
  return {
    ...rest,
    setting: (x, place, scale) => ({
      request: { ...request, domain: 'ball', [field]: x, ...change?.(x) },
      spread: 0.3,
      length: 0.5,
      runs: runs[place] * (scale === 'full' ? FULL_TIMES : 1),
    }),
  };
}

/** Rows of a table with one column more: the root mean square of all runs, lost ones too, in the unit of each row. */
export function untrimmedRows(
  rows: readonly (readonly string[])[],
  groups: readonly KeptRuns[],
  units: readonly number[] = groups.map(() => 1),
): readonly (readonly string[])[] {
  return rows.map((row, i) => [...row, digits(units[i] * groups[i].untrimmed)]);
}
