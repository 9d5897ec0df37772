import { RefusedValue } from '../../check/refusal.ts';
import type { RunOptions } from '../commands/options.ts';
import type { DatasetSource } from '../records.ts';
import { ownedBy, readSchema, type SchemaForm } from '../schema.ts';

// What the runs of all kinds share: the records that they read, and the budget of their headline run.

/**
 * The file of `--data` with its schema; undefined where neither was typed.
 *
 * @throws RangeError if one is typed without the other, and for every error in the schema.
 */
export async function sourceOf(
  { data, schema }: Pick<RunOptions, 'data' | 'schema'>,
  form: SchemaForm,
): Promise<DatasetSource | undefined> {
  if (data === undefined && schema === undefined) return undefined;
  if (data === undefined) {
    throw new RefusedValue('"data" expected the file (--data) that --schema speaks of, got none');
  }
  if (schema === undefined) {
    throw new RefusedValue('"schema" expected a file (--schema) that says what the columns of --data mean, got none');
  }
  return { data, schema: await readSchema(schema, form) };
}

/**
 * The file of players' records with its schema; undefined if no file is named. The schema or `--player` says which
 * player a record belongs to.
 *
 * @throws RangeError if neither says it, or if it is one of the coordinates.
 */
export async function playerSource(
  options: Pick<RunOptions, 'data' | 'schema'> & { readonly player: string | undefined },
  form: 'samples' | 'players',
): Promise<DatasetSource | undefined> {
  const source = await sourceOf(options, form);
  if (source === undefined) return undefined;
  const { player } = options;
  const schema = player === undefined ? source.schema : ownedBy(source.schema, [{ column: player, part: undefined }]);
  if (schema.player !== undefined) return { ...source, schema };
  throw new RefusedValue(
    '"player" expected the column that says whose a row is (--player, or "player" in the schema), got none',
  );
}

/** The budget of the headline run of a document: the one closest to 1, the first of two that are equally close. */
export function closestToOne(budgets: readonly number[]): number {
  return budgets.reduce((best, one) => (Math.abs(one - 1) < Math.abs(best - 1) ? one : best));
}
