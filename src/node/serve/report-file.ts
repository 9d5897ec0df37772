import { fileRefusal } from '../files.ts';
import type { Entry } from './log.ts';
import { optionalModule } from './optional.ts';

/** Rows of a row group: a few MiB of reports. */
const GROUP = 16_384;

/** The columns: the number in the log, whether a round ends here, and the report as it arrived (empty at an end). */
const SCHEMA = [
  { name: 'root', num_children: 3 },
  { name: 'sequence', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'round_ends', type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  { name: 'report', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
] as const;

/**
 * Writes the entries of a log into a Parquet file, one row each; the number of reports.
 *
 * @throws RangeError where the file cannot be written, or the package `hyparquet-writer` is not installed.
 */
export async function writeReports(path: string, entries: Iterable<Entry>): Promise<number> {
  const { ParquetWriter, fileWriter } = await optionalModule<typeof import('hyparquet-writer')>('hyparquet-writer');
  let writer: ReturnType<typeof fileWriter>;
  try {
    writer = fileWriter(path);
  } catch {
    throw fileRefusal('out', 'a file that can be written', path);
  }
  const file = new ParquetWriter({ writer, schema: SCHEMA.map((element) => ({ ...element })), codec: 'UNCOMPRESSED' });
  let reports = 0;
  let rows: Entry[] = [];
  const flush = (): void => {
    if (rows.length === 0) return;
    file.write({
      columnData: [
        { name: 'sequence', data: rows.map(({ sequence }) => BigInt(sequence)) },
        { name: 'round_ends', data: rows.map(({ kind }) => kind === 'close') },
        { name: 'report', data: rows.map((row) => (row.kind === 'report' ? row.bytes : new Uint8Array(0))) },
      ],
      rowGroupSize: GROUP,
    });
    rows = [];
  };
  for (const entry of entries) {
    rows.push(entry);
    if (entry.kind === 'report') reports++;
    if (rows.length === GROUP) flush();
  }
  flush();
  file.finish();
  return reports;
}

/**
 * The entries in such a file, one row group after the other.
 *
 * @throws RangeError for a file that is no export, or whose numbers are not in order.
 */
export async function* readReports(path: string): AsyncIterable<Entry> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const damaged = (): never => {
    throw fileRefusal('file', 'a file that ldpkit export wrote', path);
  };
  const file = await asyncBufferFromFile(path).catch(damaged);
  const metadata = await parquetMetadataAsync(file).catch(damaged);
  let last = 0;
  let from = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = from + Number(rows);
    const found = await parquetReadObjects({ file, metadata, rowStart: from, rowEnd, utf8: false }).catch(damaged);
    from = rowEnd;
    for (const { sequence, round_ends: ends, report } of found) {
      const number = Number(sequence);
      if (!(number > last) || typeof ends !== 'boolean' || !(report instanceof Uint8Array)) damaged();
      last = number;
      yield ends ? { sequence: number, kind: 'close' } : { sequence: number, kind: 'report', bytes: report };
    }
  }
}
