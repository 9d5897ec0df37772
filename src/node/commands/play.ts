import { availableParallelism } from 'node:os';
import { RefusedValue } from '../../check/refusal.ts';
import { playHere, type Workforce } from '../jobs/jobs.ts';
import {
  commandOf,
  differenceOf,
  engine,
  mergeParts,
  playRequest,
  readParts,
  requestOf,
  withFiles,
  writePart,
} from '../jobs/request.ts';
import { counted, print } from '../print.ts';
import { nameCommand } from '../run-program.ts';
import { type Asked, commandOf as commandIn, openStudy, type Typed } from '../studies.ts';
import type { RunShown } from '../study.ts';
import type { PartOf } from './options.ts';
import { type ResultOptions, showRun } from './show.ts';

/** The options that say who does the work of a run. */
interface WorkOptions extends ResultOptions {
  readonly part?: PartOf;
  readonly workers?: string;
  readonly threads?: number;
}

/** `ldpkit run`: runs a protocol here, by workers elsewhere, or a part of it. */
export async function run(
  ask: (workforce?: Workforce) => Promise<RunShown | undefined>,
  options: WorkOptions,
  asked: Asked,
): Promise<void> {
  const { part, workers, threads, ...result } = options;
  if (part !== undefined) return playPart(ask, part, options, asked);
  if (workers === undefined) return showRun(() => ask(playHere(threads)), result);
  const { playRemotely } = await import('../jobs/remote.ts');
  const request = await requestOf(asked);
  // The address may hold a password, and the same document is made without it.
  const { out, json, open } = asked.typed;
  const shown = Object.entries({ out, json, open }).filter(([, value]) => value);
  nameCommand(commandOf(request, Object.fromEntries(shown) as Typed));
  return showRun(() => playRemotely(workers, request, ask), result);
}

async function playPart(
  ask: (workforce?: Workforce) => Promise<RunShown | undefined>,
  { part, parts }: PartOf,
  { out = `part-${part}`, json, open, workers, threads = availableParallelism() }: WorkOptions,
  asked: Asked,
): Promise<void> {
  for (const [name, value] of Object.entries({ json, open, workers })) {
    if (value !== undefined) throw new RefusedValue(name, 'none beside --part, which writes one file', value);
  }
  const jobs = await writePart({ request: await requestOf(asked), part, parts }, out, threads, ask);
  print([`wrote ${out}: part ${part} of ${parts}, ${counted(jobs, 'job')}`]);
}

/** `ldpkit merge`: the result of a run from all its parts, as `ldpkit run` does. It reads the records too: models are measured on them. */
export async function merge(
  paths: readonly string[],
  options: ResultOptions & { readonly data?: string; readonly schema?: string; readonly threads?: number },
): Promise<void> {
  const { data, schema, threads, ...result } = options;
  const parts = await readParts(paths);
  const [{ request }] = parts;
  if (request.version !== engine()) {
    throw new RefusedValue(`"part" expected parts of ${engine()}, got parts of ${request.version}`);
  }
  const here = withFiles(request, { data, schema });
  const { word, typed } = here;
  const study = await openStudy(word);
  commandIn('run', study);
  const got = differenceOf(request, await requestOf({ word, study, typed }));
  if (got !== undefined) {
    throw new RefusedValue(`"data" expected the files that the parts were made of (--data, --schema), got ${got}`);
  }
  nameCommand(commandOf(here, result as Typed));
  await showRun(() => playRequest(here, mergeParts(parts, threads), threads), result);
}
