import { checkInteger, checkWord, RefusedValue } from 'ldpkit';
import { checkFolder, commandText, packageVersion, readNumber } from 'ldpkit/node';
import { type ChunkComputer, createChunkThreads } from '../engine/chunk-threads.ts';
import { createChunkWorkers } from '../engine/chunk-workers.ts';
import type { DocumentOrigin } from '../engine/experiment-run.ts';
import { SCALES } from '../experiment/experiment.ts';

/** Options of commands that compute experiments in chunks, as the command line gives them. */
export interface ComputingOptions {
  readonly out?: string;
  readonly scale?: string;
  readonly threads?: string;
  readonly workers?: string;
  readonly seed?: string;
  readonly json?: boolean;
}

/** What the options say. */
export interface ComputingPlan extends DocumentOrigin {
  /** Where results and finished chunks go; undefined when nothing is written. */
  readonly folder: string | undefined;
  /** Who computes: threads, or workers of a NATS server. */
  readonly computer: () => Promise<ChunkComputer>;
}

/**
 * Reads the options; results go to `standard` unless they go elsewhere, or to the standard output as JSON.
 *
 * @throws RangeError naming the option.
 */
export async function readComputing(options: ComputingOptions, standard: string): Promise<ComputingPlan> {
  const { out, scale = 'quick', seed = 'ldpkit', json } = options;
  // A seed that is empty is a variable of a shell that nobody set.
  if (seed === '') throw new RefusedValue('seed', 'a text that is not empty', seed);
  const folder = out ?? (json === true ? undefined : standard);
  const [command, ...words] = process.argv.slice(2);
  const computer = computerOf(options);
  const plan = {
    scale: checkWord('scale', scale, SCALES),
    seed,
    version: packageVersion(),
    command: commandText(withoutWorkers(words), `npm run ${command} --`),
    folder,
    computer,
  };
  if (folder !== undefined) await checkFolder('out', folder);
  return plan;
}

function computerOf({ threads, workers }: ComputingOptions): ComputingPlan['computer'] {
  if (workers === undefined) {
    const count = threads === undefined ? undefined : checkInteger('threads', readNumber('threads', threads), 1, 256);
    return async () => createChunkThreads(count);
  }
  if (threads !== undefined) throw new RefusedValue('threads', 'none: workers have their own', threads);
  return () => createChunkWorkers(workers);
}

/** The same command on one machine: an address may hold a password, and the result is the same. */
function withoutWorkers(words: readonly string[]): readonly string[] {
  return words.filter((word, i) => !/^--workers(=|$)/.test(word) && words[i - 1] !== '--workers');
}
