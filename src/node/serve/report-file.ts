import { fileRefusal } from '../files.ts';
import type { Entry } from './log.ts';
import { optionalModule } from './store.ts';

/** Rows of a row group: a few MiB of reports. */
const GROUP = 16_384;

/** The columns: the partition, the number in its log, whether a round ends here, and the report as it arrived (empty at an end). */
const SCHEMA = [
  { name: 'root', num_children: 4 },
  { name: 'partition', type: 'INT32', repetition_type: 'REQUIRED' },
  { name: 'sequence', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'round_ends', type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  { name: 'report', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
] as const;

/**
 * Writes the entries of a log into a Parquet file, one row each; the number of reports.
 *
 * @throws RangeError where the file cannot be written, or the package `hyparquet-writer` is not installed.
 */
export async function writeReports(path: string, entries: Iterable<Entry> | AsyncIterable<Entry>): Promise<number> {
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
        { name: 'partition', data: rows.map(({ partition = 0 }) => partition) },
        { name: 'sequence', data: rows.map(({ sequence }) => BigInt(sequence)) },
        { name: 'round_ends', data: rows.map(({ kind }) => kind === 'close') },
        { name: 'report', data: rows.map((row) => (row.kind === 'report' ? row.bytes : new Uint8Array(0))) },
      ],
      rowGroupSize: GROUP,
    });
    rows = [];
  };
  for await (const entry of entries) {
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
  let [last, now] = [0, 0];
  let from = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = from + Number(rows);
    const found = await parquetReadObjects({ file, metadata, rowStart: from, rowEnd, utf8: false }).catch(damaged);
    from = rowEnd;
    // Files that were written before there were partitions have one.
    for (const { partition = 0, sequence, round_ends: ends, report } of found) {
      const number = Number(sequence);
      if (!(partition > now || (partition === now && number > last))) damaged();
      if (typeof ends !== 'boolean' || !(report instanceof Uint8Array)) damaged();
      [now, last] = [partition, number];
      const place = { partition, sequence: number };
      yield ends ? { ...place, kind: 'close' } : { ...place, kind: 'report', bytes: report };
    }
  }
}
