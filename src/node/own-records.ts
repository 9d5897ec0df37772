import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Cells, TableSink } from './batch.ts';
import { readNumbers, refuseCell } from './cell.ts';
import { fileRefusal } from './files.ts';
import { readTable } from './table.ts';

/** A column of a file: numbers within public bounds, or texts of public categories in upper or lower case. */
export type OwnColumn =
  | { readonly name: string; readonly low: number; readonly high: number }
  | { readonly name: string; readonly categories: readonly (readonly string[])[] };

/** A public table that we may not ship, described by the names of its columns. */
export interface OwnTable {
  /** Its name. */
  readonly name: string;
  readonly columns: readonly OwnColumn[];
}

/** The records of a file, by column of the table: numbers, or the indices of the categories. */
export interface OwnRecords {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly Float64Array[];
}

/**
 * Reads a CSV file of one of the public tables that an experiment knows. Its header shows which table it is; other
 * columns are ignored. A message names a requested column, a row and public bounds, never the value that was found.
 *
 * @throws RangeError for a file that cannot be read or is of no known table, or a cell outside its bounds or
 * categories.
 */
export async function readOwnRecords(
  path: string,
  { tables }: { readonly tables: readonly OwnTable[] },
): Promise<OwnRecords> {
  if (!path.toLowerCase().endsWith('.csv')) throw fileRefusal('data', 'a CSV file', path);
  const header = await headerOf(path);
  const table = tables.find(({ columns }) => columns.every(({ name }) => header.has(name)));
  if (table === undefined) {
    const known = tables.map(({ name, columns }) => `${name} (${columns.map((column) => column.name).join(', ')})`);
    throw fileRefusal('data', `a header row with the columns of ${known.join(' or of ')}`, path);
  }
  return await recordsOf(path, table);
}

/** The names in the first line. */
async function headerOf(path: string): Promise<ReadonlySet<string>> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw fileRefusal('data', 'a file that can be read', path);
  const lines = createInterface({ input: createReadStream(path, { encoding: 'utf8' }) });
  for await (const line of lines) {
    lines.close();
    const names = line.replace(/^\uFEFF/, '').split(',');
    return new Set(names.map((name) => name.trim().replace(/^"(.*)"$/, '$1')));
  }
  throw fileRefusal('data', 'a file that is not empty', path);
}

async function recordsOf(path: string, { name, columns }: OwnTable): Promise<OwnRecords> {
  let targets: Float64Array[] = [];
  let rows = 0;
  const sink: TableSink = {
    expect(most) {
      targets = columns.map(() => new Float64Array(most));
    },
    add(batch) {
      columns.forEach((column, j) => {
        const target = targets[j].subarray(rows, rows + batch.rows);
        fill(column, batch.columns[j], rows + 1, target);
      });
      rows += batch.rows;
    },
  };
  await readTable(
    path,
    columns.map((column) => column.name),
    sink,
  );
  return { table: name, rows, columns: targets.map((target) => target.subarray(0, rows)) };
}

function fill(column: OwnColumn, cells: Cells, row: number, target: Float64Array): void {
  const place = { column: column.name, row };
  if ('categories' in column) {
    const names = new Map(column.categories.flatMap((words, code) => words.map((word) => [word, code] as const)));
    const known = column.categories.map(([word]) => word).join(', ');
    for (let i = 0; i < target.length; i++) {
      const code = names.get(String(cells.values[i]).trim().toLowerCase());
      if (code === undefined) refuseCell(place, i, `one of ${known}`);
      target[i] = code;
    }
    return;
  }
  readNumbers(cells, 0, target.length, place, target);
  const { low, high } = column;
  for (let i = 0; i < target.length; i++) {
    if (!(target[i] >= low && target[i] <= high)) refuseCell(place, i, `a number from ${low} to ${high}`);
  }
}
