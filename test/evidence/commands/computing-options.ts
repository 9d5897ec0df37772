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
  const { out, scale = 'quick', json } = options;
  const seed = readSeed(options);
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

function computerOf(options: ComputingOptions): ComputingPlan['computer'] {
  const { workers } = options;
  if (workers === undefined) {
    const threads = readThreads(options);
    return async () => createChunkThreads(threads);
  }
  refuseOptions(options, ['threads'], 'none: workers have their own');
  return () => createChunkWorkers(workers);
}

/**
 * Refuses options that mean nothing for what is asked.
 *
 * @throws RangeError naming the first that is given.
 */
export function refuseOptions<Name extends string>(
  options: { readonly [name in Name]?: string },
  names: readonly Name[],
  expected: string,
): void {
  for (const name of names) if (options[name] !== undefined) throw new RefusedValue(name, expected, options[name]);
}

/** The seed that is asked for. One that is empty is a variable of a shell that nobody set. */
export function readSeed({ seed = 'ldpkit' }: ComputingOptions): string {
  if (seed === '') throw new RefusedValue('seed', 'a text that is not empty', seed);
  return seed;
}

/** A number of threads; undefined for one a core. */
export function readThreads({ threads }: Pick<ComputingOptions, 'threads'>): number | undefined {
  return threads === undefined ? undefined : checkInteger('threads', readNumber('threads', threads), 1, 256);
}

/** The same command on one machine: an address may hold a password, and the result is the same. */
function withoutWorkers(words: readonly string[]): readonly string[] {
  return words.filter((word, i) => !/^--workers(=|$)/.test(word) && words[i - 1] !== '--workers');
}
