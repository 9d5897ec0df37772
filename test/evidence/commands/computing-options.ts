import { checkInteger, checkWord, RefusedValue, refusal } from 'ldpkit';
import { checkFolder, commandText, packageVersion, readNumber } from 'ldpkit/node';
import type { DocumentOrigin } from '../engine/experiment-run.ts';
import { SCALES } from '../experiment/experiment.ts';

/** Options of commands that compute experiments in chunks, as the command line gives them. */
export interface ComputingOptions {
  readonly out?: string;
  readonly scale?: string;
  readonly threads?: string;
  readonly seed?: string;
  readonly json?: boolean;
}

/** What the options say. */
export interface ComputingPlan extends DocumentOrigin {
  /** Where results and finished chunks go; undefined when nothing is written. */
  readonly folder: string | undefined;
  /** One a core where undefined. */
  readonly threads: number | undefined;
}

/**
 * Reads the options; results go to `standard` unless they go elsewhere, or to the standard output as JSON.
 *
 * @throws RangeError naming the option.
 */
export async function readComputing(options: ComputingOptions, standard: string): Promise<ComputingPlan> {
  const { out, scale = 'quick', threads, seed = 'ldpkit', json } = options;
  // A seed that is empty is a variable of a shell that nobody set.
  if (seed === '') throw new RefusedValue(refusal('seed', 'a text that is not empty', seed));
  const folder = out ?? (json === true ? undefined : standard);
  const [command, ...words] = process.argv.slice(2);
  const plan = {
    scale: checkWord('scale', scale, SCALES),
    seed,
    version: packageVersion(),
    command: commandText(words, `npm run ${command} --`),
    folder,
    threads: threads === undefined ? undefined : checkInteger('threads', readNumber('threads', threads), 1, 256),
  };
  if (folder !== undefined) await checkFolder('out', folder);
  return plan;
}
