import type { Baseline } from '../simulation/baseline.ts';
import { type ModelMetrics, scoreMetrics } from '../simulation/metrics.ts';
import { datasetPopulation } from '../simulation/population.ts';
import { simulate } from '../simulation/runner.ts';
import { loadStudy } from './studies.ts';
import type { MetricsTask, OptimumTask, PlayersTask } from './threads.ts';

/** Simulates one range of players in a worker thread and returns their tally. */
export default async function work(task: PlayersTask): Promise<unknown> {
  const { protocol, parameters } = await loadStudy(task.protocol);
  const population = datasetPopulation(task.dataset, task.rows);
  const { seed, from, to } = task;
  return simulate(protocol, parameters(task.request), population, { seed, from, to });
}

/** Measures models under the protocol's loss in a worker thread. */
export async function measure(task: MetricsTask): Promise<readonly ModelMetrics[]> {
  const { dataset, rows, models } = task;
  const { loss } = await loadStudy(task.protocol, task.loss);
  return scoreMetrics(dataset, models, rows, loss);
}

/** Finds the protocol's non-private optimum in a worker thread. */
export async function optimum({ protocol, loss, dataset, rows, radius }: OptimumTask): Promise<Baseline> {
  const study = await loadStudy(protocol, loss);
  return study.optimum(dataset, radius, rows);
}
