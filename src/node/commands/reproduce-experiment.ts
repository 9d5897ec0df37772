import { join } from 'node:path';
import { checkInteger, checkWord } from '../../check/number.ts';
import { SCALES } from '../../simulation/paper-experiment.ts';
import { createProgress } from '../progress.ts';
import { type ExperimentDocument, runExperimentCells } from '../reproduction/experiment-run.ts';
import type { FoundExperiment } from '../reproduction/experiments.ts';
import { figureSvg } from '../reproduction/figure.ts';
import { keptParts, NOTHING_KEPT } from '../reproduction/kept-parts.ts';
import { experimentPage } from '../reproduction/page.ts';
import { createPartThreads } from '../reproduction/part-threads.ts';
import { experimentLines } from '../reproduction/text.ts';
import { checkFolder, writeTogether } from '../write-files.ts';
import { readNumber } from './number-option.ts';
import { commandText, packageVersion } from './origin.ts';
import type { ReproduceOptions } from './reproduce-options.ts';

/** Where results go, in a folder named after the experiment, unless they go to the standard output as JSON. */
const FOLDER = 'out';

/**
 * `ldpkit reproduce` of an experiment: computes what the folder does not hold already, and writes numbers, figures and a page.
 *
 * @throws RangeError naming the option.
 */
export async function reproduceExperiment(found: FoundExperiment, options: ReproduceOptions): Promise<void> {
  const scale = checkWord('scale', options.scale ?? 'quick', SCALES);
  const threads =
    options.threads === undefined ? undefined : checkInteger('threads', readNumber('threads', options.threads), 1, 256);
  const folder = options.out ?? (options.json === true ? undefined : join(FOLDER, found.experiment.name));
  if (folder !== undefined) await checkFolder('out', folder);
  const computer = createPartThreads(threads);
  const document = await runExperimentCells(
    {
      ...found,
      scale,
      seed: options.seed ?? 'ldpkit',
      version: packageVersion(),
      command: commandText(process.argv.slice(2)),
    },
    {
      computer,
      kept: folder === undefined ? NOTHING_KEPT : keptParts(folder),
      progress: createProgress(process.stderr),
    },
  ).finally(() => computer.close());
  const json = `${JSON.stringify(document, undefined, 2)}\n`;
  const files = folder === undefined ? [] : await writeTogether('out', folder, filesOf(document, json));
  const lines = [...experimentLines(document), '', ...files.map((file) => `wrote ${file}`)];
  process.stdout.write(options.json === true ? json : `${lines.join('\n')}\n`);
}

function filesOf(document: ExperimentDocument, json: string): Readonly<Record<string, string>> {
  return {
    'result.json': json,
    ...Object.fromEntries(document.figures.map((figure) => [`${figure.name}.svg`, figureSvg(figure)])),
    'report.html': experimentPage(document),
  };
}
