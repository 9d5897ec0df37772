import type { Dataset } from '../../simulation/dataset.ts';
import { loadDatasetApart } from '../dataset-thread.ts';
import { counted } from '../figures.ts';
import type { Progress } from '../progress.ts';
import { loadStudy } from '../studies.ts';
import { createThreads } from '../threads.ts';
import { assembleDocument, type Origin } from './assembly.ts';
import { collectRuns } from './collection.ts';
import { divide } from './division.ts';
import type { RunDocument } from './document.ts';
import { measureRuns } from './measurement.ts';
import { type Plan, queryOf, requestOf } from './plan.ts';

/** What an experiment is run with; none of it changes the result but for the times. */
export interface Surroundings {
  /** Worker threads; one for each core by default. */
  readonly threads: number | undefined;
  readonly progress: Progress;
  readonly origin: Origin;
}

/**
 * Runs a plan: reads the records, plays every run, measures all models.
 *
 * The result is the same for every number of threads, except for the times.
 *
 * @throws TypeError or RangeError for parameters, a file or a record that is refused; the message has no private value.
 */
export async function runExperiment(
  plan: Plan,
  { threads: count, progress, origin }: Surroundings,
): Promise<RunDocument> {
  const study = await loadStudy(plan.protocol, plan.loss);
  // Parameters are refused before millions of records have been read.
  for (const epsilon of plan.epsilons)
    for (const variant of plan.variants) study.parameters(requestOf(plan, variant, epsilon));
  for (const variant of plan.variants) study.query(queryOf(plan, variant));
  const dataset = await readRecords(plan, progress);
  const division = divide(dataset, plan);
  const threads = createThreads(count);
  try {
    const stage = { plan, study, dataset, division, threads };
    const runs = plan.epsilons.length * plan.variants.length * plan.repetitions;
    progress.begin(`${counted(runs, 'run')} of ${counted(division.count, 'player')}`, runs * division.count);
    const collected = await collectRuns(stage, progress.advance);
    progress.begin('measuring the models', 2 * runs + 1);
    const measured = await measureRuns(stage, collected, progress.advance);
    return assembleDocument(stage, collected, measured, origin);
  } finally {
    progress.end();
    await threads.close();
  }
}

async function readRecords({ source }: Plan, progress: Progress): Promise<Dataset> {
  let begun = false;
  const task = 'reading the records';
  progress.begin(task);
  try {
    return await loadDatasetApart(source, (records, expected) => {
      if (!begun) progress.begin(task, expected);
      begun = true;
      progress.advance(records);
    });
  } finally {
    progress.end();
  }
}
