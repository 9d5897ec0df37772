import { join } from 'node:path';
import { createProgress, jsonText, print, printJson, writeTogether } from 'ldpkit/node';
import { type ExperimentDocument, runExperimentCells } from '../engine/experiment-run.ts';
import type { FoundExperiment } from '../engine/experiments.ts';
import { figureFiles } from '../engine/figure.ts';
import { keptParts, NOTHING_KEPT } from '../engine/kept-parts.ts';
import { experimentPage } from '../engine/page.ts';
import { createPartThreads } from '../engine/part-threads.ts';
import { experimentLines } from '../engine/text.ts';
import { type ComputingOptions, readComputing } from './computing-options.ts';
import { stoppable } from './stoppable.ts';

/** Where results go, in a folder named after the experiment, unless they go to the standard output as JSON. */
const FOLDER = 'out';

/**
 * `npm run reproduce` of an experiment: computes what the folder does not hold already, and writes numbers, figures and a page.
 *
 * @throws RangeError naming the option.
 */
export async function reproduceExperiment(found: FoundExperiment, options: ComputingOptions): Promise<void> {
  const { folder, threads, ...origin } = await readComputing(options, join(FOLDER, found.experiment.name));
  const computer = createPartThreads(threads);
  const kept = folder === undefined ? NOTHING_KEPT : keptParts(folder);
  const document = await stoppable(folder, createProgress(), (progress) =>
    runExperimentCells({ ...found, ...origin }, { computer, kept, progress }),
  ).finally(() => computer.close());
  const json = jsonText(document);
  const files = folder === undefined ? [] : await writeTogether('out', folder, filesOf(document, json));
  if (options.json === true) printJson(json);
  else print([...experimentLines(document), '', ...files.map((file) => `wrote ${file}`)]);
}

function filesOf(document: ExperimentDocument, json: string): Readonly<Record<string, string>> {
  return { 'result.json': json, ...figureFiles(document.figures), 'report.html': experimentPage(document) };
}
