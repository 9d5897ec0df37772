import { readFile } from 'node:fs/promises';
import { RefusedValue } from 'ldpkit';
import { fileRefusal } from 'ldpkit/node';
import Papa from 'papaparse';

/** A column of a file: numbers within public bounds, or texts of public categories in upper or lower case. */
export type OwnColumn =
  | { readonly name: string; readonly low: number; readonly high: number }
  | { readonly name: string; readonly categories: readonly (readonly string[])[] };

/** A public table that we may not ship, described by the names of its columns. */
export interface OwnTable {
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
 * @throws RangeError for a file that cannot be read or is of no known table, or a cell outside its bounds or categories.
 */
export async function readOwnRecords(
  path: string,
  { tables }: { readonly tables: readonly OwnTable[] },
): Promise<OwnRecords> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw fileRefusal('data', 'a file that can be read', path);
  });
  if (text === '') throw fileRefusal('data', 'a file that is not empty', path);
  const { data, meta } = Papa.parse<Readonly<Record<string, string>>>(text, { header: true, skipEmptyLines: true });
  const table = tables.find(({ columns }) => columns.every(({ name }) => meta.fields?.includes(name)));
  if (table === undefined) {
    const known = tables.map(({ name, columns }) => `${name} (${columns.map((column) => column.name).join(', ')})`);
    throw fileRefusal('data', `a header row with the columns of ${known.join(' or of ')}`, path);
  }
  const columns = table.columns.map((column) =>
    Float64Array.from(data, (record, row) => {
      const value = readCell(column, record[column.name] ?? '');
      if (typeof value === 'number') return value;
      throw new RefusedValue(`"${column.name}" expected ${value} in row ${row + 1}`);
    }),
  );
  return { table: table.name, rows: data.length, columns };
}

/** The number that a cell stands for, or what was expected of it. */
function readCell(column: OwnColumn, cell: string): number | string {
  if ('categories' in column) {
    const code = column.categories.findIndex((words) => words.includes(cell.trim().toLowerCase()));
    return code >= 0 ? code : `one of ${column.categories.map(([word]) => word).join(', ')}`;
  }
  const value = cell.trim() === '' ? Number.NaN : Number(cell);
  if (!Number.isFinite(value)) return 'a finite number';
  return value >= column.low && value <= column.high ? value : `a number from ${column.low} to ${column.high}`;
}
