import type { Dataset } from '../simulation/dataset.ts';
import { datasetPopulation } from '../simulation/population.ts';
import { simulate } from '../simulation/runner.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { loadStudy } from './studies.ts';

/** A range of players for one thread to simulate. */
export interface Task {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** What its parameters are made from. */
  readonly request: StudyRequest;
  /** Seed of the players' coins. */
  readonly seed: string;
  /** The records, in shared memory. */
  readonly dataset: Pick<Dataset, 'players' | 'dimension' | 'names' | 'features' | 'labels'>;
  /** The rows that are players, in shared memory; all by default. */
  readonly rows?: Uint32Array;
  /** First player. */
  readonly from: number;
  /** One past the last player. */
  readonly to: number;
}

/** Simulates one range of players in a worker thread and returns their tally. */
export default async function work(task: Task): Promise<unknown> {
  const { protocol, parameters } = await loadStudy(task.protocol);
  const population = datasetPopulation(task.dataset, task.rows);
  const { seed, from, to } = task;
  return simulate(protocol, parameters(task.request), population, { seed, from, to });
}

