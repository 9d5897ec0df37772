import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { TableReader, TableSink } from './batch.ts';
import { readCsv } from './csv.ts';
import { fileRefusal } from './file-refusal.ts';
import { readJson, readJsonLines } from './json.ts';
import { readParquet } from './parquet.ts';

const READERS: Readonly<Record<string, TableReader>> = {
  '.csv': readCsv,
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.ndjson': readJsonLines,
  '.parquet': readParquet,
};

/**
 * Reads columns of a file of records, a batch at a time: CSV (comma, header row), JSON (an array of objects), JSON
 * lines, or Parquet, by the extension.
 *
 * A message may name the file, a column that was asked for and the number of a record (the first is row 1), never
 * anything that was found in the file: not even its header, which is a record where the header was forgotten.
 *
 * @throws RangeError for a file that cannot be read, is empty, is of an unknown kind or damaged, or lacks a column.
 */
export async function readTable(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined) {
    throw fileRefusal('data', `a file with the extension ${Object.keys(READERS).join(', ')}`, path);
  }
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  );
  if (size === undefined) throw fileRefusal('data', 'a file that can be read', path);
  if (size === 0) throw fileRefusal('data', 'a file that is not empty', path);
  try {
    await read(path, columns, sink);
  } catch (error) {
    // A failed system call, such as EACCES; everything else is passed on as it is.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw fileRefusal('data', 'a file that can be read', path);
  }
}
