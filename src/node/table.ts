import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileRefusal, type TableSink } from './files.ts';

/** Reads the given columns of one kind of file. */
type TableReader = (path: string, columns: readonly string[], sink: TableSink) => Promise<void>;

// Each reader is loaded only when it is needed: loading another parser takes longer than reading a small table.
const READERS: Readonly<Record<string, () => Promise<TableReader>>> = {
  '.csv': async () => (await import('./csv.ts')).readCsv,
  '.json': async () => (await import('./json.ts')).readJson,
  '.jsonl': async () => (await import('./json.ts')).readJsonLines,
  '.ndjson': async () => (await import('./json.ts')).readJsonLines,
  '.parquet': async () => (await import('./parquet.ts')).readParquet,
};

/**
 * Reads columns of a file of records, one batch at a time. The extension says which kind it is: CSV (comma, header
 * row), JSON (an array of objects), JSON lines, or Parquet.
 *
 * A message may name the file, a requested column and the number of a record (the first is row 1). It never shows
 * anything that was found in the file: not even its header, which is a record if the file has no header.
 *
 * @throws RangeError for a file that cannot be read, is empty, is of an unknown kind or damaged, or lacks a column.
 */
export async function readTable(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  const reader = READERS[extname(path).toLowerCase()];
  if (reader === undefined) {
    throw fileRefusal('data', `a file with the extension ${Object.keys(READERS).join(', ')}`, path);
  }
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  );
  if (size === undefined) throw fileRefusal('data', 'a file that can be read', path);
  if (size === 0) throw fileRefusal('data', 'a file that is not empty', path);
  try {
    await (await reader())(path, columns, sink);
  } catch (error) {
    // A failed system call, such as EACCES; every other error is passed on unchanged.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw fileRefusal('data', 'a file that can be read', path);
  }
}

/**
 * The lines of a file in which records begin, by the numbers of the records; undefined for a file that is not CSV, whose
 * lines nobody counts. An error then names the line that an editor shows: empty lines and line ends within quotes make it
 * differ from the number of the record.
 */
export async function linesOf(path: string, rows: readonly number[]): Promise<readonly number[] | undefined> {
  if (extname(path).toLowerCase() !== '.csv') return undefined;
  return (await import('./csv.ts')).csvLinesOf(path, rows);
}
