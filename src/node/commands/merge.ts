import { RefusedValue } from '../../check/refusal.ts';
import { mergeParts, readParts } from '../jobs/part.ts';
import { commandOf, differenceOf, engine, playRequest, requestOf, withFiles } from '../jobs/request.ts';
import { nameCommand } from '../origin.ts';
import type { Typed } from './asked.ts';
import { loadAnswer } from './asked.ts';
import { type ResultOptions, showRun } from './run.ts';

/** The options of `ldpkit merge`. */
interface MergeOptions extends ResultOptions {
  readonly data?: string;
  readonly schema?: string;
  readonly threads?: number;
}

/**
 * `ldpkit merge`: the result of a run from all its parts, printed and written as `ldpkit run` does. It reads the records too:
 * models are measured on them.
 *
 * @throws RangeError for parts that do not make one run, and for other records than theirs.
 */
export async function merge(paths: readonly string[], options: MergeOptions): Promise<void> {
  const { data, schema, threads, ...result } = options;
  const parts = await readParts(paths);
  const [{ request }] = parts;
  if (request.version !== engine()) {
    throw new RefusedValue(`"part" expected parts of ${engine()}, got parts of ${request.version}`);
  }
  const here = withFiles(request, { data, schema });
  const { word, typed } = here;
  const { study } = await loadAnswer('run', word);
  const difference = differenceOf(request, await requestOf({ word, study, typed }));
  if (difference !== undefined) {
    throw new RefusedValue(
      `"data" expected the files that the parts were made of (--data, --schema), got ${difference}`,
    );
  }
  nameCommand(commandOf(here, result as Typed));
  await showRun(() => playRequest(here, mergeParts(parts, threads), threads), result);
}
