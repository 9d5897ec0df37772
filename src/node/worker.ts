import type { Baseline } from '../simulation/baseline.ts';
import type { Dataset } from '../simulation/dataset.ts';
import { type ModelMetrics, scoreMetrics } from '../simulation/metrics.ts';
import { datasetPopulation } from '../simulation/population.ts';
import { simulate } from '../simulation/runner.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { loadStudy } from './studies.ts';

/** The records that a thread looks at. */
export interface SharedRecords {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The records, in shared memory. */
  readonly dataset: Dataset;
  /** The rows that are meant, in shared memory; all by default. */
  readonly rows?: Uint32Array | undefined;
}

/** A range of players for one thread to simulate. */
export interface PlayersTask extends SharedRecords {
  /** What the protocol's parameters are made from. */
  readonly request: StudyRequest;
  /** Seed of the players' coins. */
  readonly seed: string;
  /** First player. */
  readonly from: number;
  /** One past the last player. */
  readonly to: number;
}

/** Linear models for one thread to measure. */
export interface MetricsTask extends SharedRecords {
  /** The models. */
  readonly models: readonly Float64Array[];
}

/** A non-private optimum for one thread to find. */
export interface OptimumTask extends SharedRecords {
  /** R: the constraint is ‖w‖ ≤ R. */
  readonly radius: number;
}

/** Simulates one range of players in a worker thread and returns their tally. */
export default async function work(task: PlayersTask): Promise<unknown> {
  const { protocol, parameters } = await loadStudy(task.protocol);
  const population = datasetPopulation(task.dataset, task.rows);
  const { seed, from, to } = task;
  return simulate(protocol, parameters(task.request), population, { seed, from, to });
}

/** Measures models under the protocol's loss in a worker thread. */
export async function measure({ protocol, dataset, rows, models }: MetricsTask): Promise<readonly ModelMetrics[]> {
  const { loss } = await loadStudy(protocol);
  return scoreMetrics(dataset, models, rows, loss);
}

/** Finds the protocol's non-private optimum in a worker thread. */
export async function optimum({ protocol, dataset, rows, radius }: OptimumTask): Promise<Baseline> {
  const study = await loadStudy(protocol);
  return study.optimum(dataset, radius, rows);
}
