import { availableParallelism } from 'node:os';
import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { counted } from '../figures.ts';
import { playHere, type Workforce } from '../jobs/jobs.ts';
import { nameCommand } from '../origin.ts';
import { print } from '../print.ts';
import type { RunShown } from './answer.ts';
import type { Asked, Typed } from './asked.ts';
import type { PartOf } from './options.ts';
import { type ResultOptions, showRun } from './run.ts';

/** The options that say who does the work of a run. */
interface WorkOptions extends ResultOptions {
  readonly part?: PartOf;
  readonly workers?: string;
  readonly threads?: number;
}

/**
 * `ldpkit run`: runs a protocol here, by workers elsewhere, or a part of it.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function run(
  ask: (workforce?: Workforce) => Promise<RunShown | undefined>,
  options: WorkOptions,
  asked: Asked,
): Promise<void> {
  const { part, workers, threads, ...result } = options;
  if (part !== undefined) return playPart(ask, part, options, asked);
  if (workers === undefined) return showRun(() => ask(playHere(threads)), result);
  const [{ commandOf, requestOf }, { playRemotely }] = await Promise.all([
    import('../jobs/request.ts'),
    import('../jobs/remote.ts'),
  ]);
  const request = await requestOf(asked);
  // The address may hold a password, and the same document is made without it.
  const { out, json, open } = asked.typed;
  nameCommand(
    commandOf(request, Object.fromEntries(Object.entries({ out, json, open }).filter(([, value]) => value)) as Typed),
  );
  return showRun(() => playRemotely(workers, request, ask), result);
}

/** Plays a part of a run into a file. */
async function playPart(
  ask: (workforce?: Workforce) => Promise<RunShown | undefined>,
  { part, parts }: PartOf,
  { out = `part-${part}`, json, open, workers, threads = availableParallelism() }: WorkOptions,
  asked: Asked,
): Promise<void> {
  for (const [name, value] of Object.entries({ json, open, workers })) {
    if (value !== undefined) throw new RefusedValue(refusal(name, 'none beside --part, which writes one file', value));
  }
  const [{ requestOf }, { writePart }] = await Promise.all([import('../jobs/request.ts'), import('../jobs/part.ts')]);
  const jobs = await writePart({ request: await requestOf(asked), part, parts }, out, threads, ask);
  print([`wrote ${out}: part ${part} of ${parts}, ${counted(jobs, 'job')}`]);
}
