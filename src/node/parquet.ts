import type { ParquetParsers, SchemaElement } from 'hyparquet';
import { brief } from '../check/printable.ts';
import type { Cells, TableSink } from './batch.ts';
import { fileRefusal } from './file-refusal.ts';

/** Points in time as milliseconds since 1970 instead of date objects: a tenth of the memory. */
const TIME_PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => Number(value),
  timestampFromMicroseconds: (value) => Number(value) / 1e3,
  timestampFromNanoseconds: (value) => Number(value) / 1e6,
  dateFromDays: (value) => value * 86_400_000,
};

/**
 * Reads columns of a Parquet file, one row group and in it one column after the other, so that memory holds one row
 * group. Any of the usual compressions will do.
 *
 * @throws RangeError for a file that is damaged or lacks a column.
 */
export async function readParquet(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  // Loaded only when there is a Parquet file to read: the decompressors are large.
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetScan, parquetSchema }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  // A parser's own message may quote a value, so it is not passed on.
  const damaged = (): never => {
    throw fileRefusal('data', 'a Parquet file that is not damaged', path);
  };
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch(damaged);
  const elements = parquetSchema(metadata).children.map((child) => child.element);
  const timestamps = columns.map((column) => {
    const found = elements.filter((element) => element.name === column);
    if (found.length === 0) throw fileRefusal('data', `a column named "${brief(column)}"`, path);
    if (found.length > 1) throw fileRefusal('data', `only one column named "${brief(column)}"`, path);
    return isTimestamp(found[0]);
  });
  const scan = await parquetScan({
    file,
    metadata,
    columns: [...columns],
    compressors,
    parsers: TIME_PARSERS,
    useOffsetIndex: false,
  }).catch(damaged);
  sink.expect(Number(metadata.num_rows));
  for (const { rowStart, rowEnd } of scan.ranges) {
    const cells: Cells[] = [];
    for (const [index, column] of columns.entries()) {
      const values = await scan.readColumn({ column, rowStart, rowEnd }).catch(damaged);
      if (values.length !== rowEnd - rowStart) damaged();
      cells.push({ values, timestamps: timestamps[index] });
    }
    sink.add({ rows: rowEnd - rowStart, columns: cells });
  }
}

/** Whether {@link TIME_PARSERS} applies to the column. */
function isTimestamp({ type, logical_type, converted_type }: SchemaElement): boolean {
  if (logical_type?.type === 'TIMESTAMP' || logical_type?.type === 'DATE') return true;
  if (converted_type === 'TIMESTAMP_MILLIS' || converted_type === 'TIMESTAMP_MICROS') return true;
  return converted_type === 'DATE' || (type === 'INT96' && converted_type === undefined);
}
