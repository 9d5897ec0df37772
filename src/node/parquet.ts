import type { ParquetParsers, SchemaElement } from 'hyparquet';
import { brief } from '../check/refusal.ts';
import { type Cells, fileRefusal, type TableSink } from './files.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Bytes of a text that are not UTF-8. */
const NO_TEXT = new Error('a text is not UTF-8');

/** Times as milliseconds since 1970, a tenth of the memory of date objects. What is not UTF-8 would become one sign. */
const PARSERS: Partial<ParquetParsers> = {
  stringFromBytes(bytes) {
    // A missing text of an optional column.
    if (!bytes) return bytes;
    try {
      return decoder.decode(bytes);
    } catch {
      throw NO_TEXT;
    }
  },
  timestampFromMilliseconds: (value) => Number(value),
  timestampFromMicroseconds: (value) => Number(value) / 1e3,
  timestampFromNanoseconds: (value) => Number(value) / 1e6,
  dateFromDays: (value) => value * 86_400_000,
};

/** Most bytes of the footer at the end of a file, and most records of one row group: far more than writers make. */
const LARGEST_FOOTER = 2 ** 25;
const LARGEST_GROUP = 2 ** 24;
/** Deepest nesting of columns, and most schema names times row groups: the parser visits all names for each group. */
const DEEPEST_SCHEMA = 100;
const MOST_STEPS = 2 ** 24;
/** Most digits of a decimal behind its point. */
const MOST_DIGITS = 76;
/** Kinds of text that a parser would turn into objects. */
const STRUCTURED: readonly (string | undefined)[] = ['JSON', 'BSON', 'VARIANT', 'GEOMETRY', 'GEOGRAPHY'];

/** Reads columns of a Parquet file by row groups: memory holds one. Stated sizes are checked before they are used. */
export async function readParquet(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  // Loaded only when there is a Parquet file to read: the decompressors are large.
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetScan, parquetSchema }, { compressors }, pages] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors'), import('./parquet-pages.ts')]);
  const { boundedCompressors, checkPages, hasFewEntries, MOST_FOOTER_ENTRIES } = pages;
  const bounded = boundedCompressors(compressors);
  // A parser's own message may quote a value, so it is not passed on.
  const damaged = (): never => {
    throw fileRefusal('data', 'a Parquet file that is not damaged', path);
  };
  const file = await asyncBufferFromFile(path);
  if (file.byteLength < 12) damaged();
  const footer = new DataView(await file.slice(file.byteLength - 8, file.byteLength)).getUint32(0, true);
  if (footer > file.byteLength - 12) damaged();
  if (footer > LARGEST_FOOTER) throw fileRefusal('data', 'a Parquet file with a footer of at most 32 MiB', path);
  const contents = await file.slice(file.byteLength - 8 - footer, file.byteLength - 8);
  if (!hasFewEntries(new Uint8Array(contents), MOST_FOOTER_ENTRIES)) damaged();
  const metadata = await parquetMetadataAsync(file, { geoparquet: false }).catch(damaged);
  if (!isShallow(metadata.schema) || metadata.schema.length * metadata.row_groups.length > MOST_STEPS) damaged();
  const elements = await Promise.resolve(metadata)
    .then((known) => parquetSchema(known).children.map((child) => child.element))
    .catch(damaged);
  const found = columns.map((column) => {
    const [element, ...others] = elements.filter(({ name }) => name === column);
    if (element === undefined) throw fileRefusal('data', `a column named "${brief(column)}"`, path);
    if (others.length > 0) throw fileRefusal('data', `only one column named "${brief(column)}"`, path);
    const structured = STRUCTURED.includes(element.converted_type) || STRUCTURED.includes(element.logical_type?.type);
    if (element.type === undefined || element.repetition_type === 'REPEATED' || structured) {
      throw fileRefusal('data', `a column "${brief(column)}" of single values`, path);
    }
    return element;
  });
  const units = found.map((element) => decimalUnit(element) ?? damaged());
  const groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
  if (groups.some((rows) => !(rows >= 0))) damaged();
  if (groups.some((rows) => rows > LARGEST_GROUP)) {
    throw fileRefusal('data', 'a Parquet file with at most 16,777,216 records in a row group', path);
  }
  const rows = groups.reduce((sum, count) => sum + count, 0);
  if (rows !== Number(metadata.num_rows)) damaged();
  const how = { columns: [...columns], compressors: bounded, parsers: PARSERS, useOffsetIndex: false };
  const scan = await parquetScan({ file, metadata, ...how }).catch(damaged);
  sink.expect(rows);
  const stored = columns.map(() => 0);
  let first = 0;
  for (const [group, count] of groups.entries()) {
    if (count === 0) continue;
    const cells: Cells[] = [];
    for (const [index, column] of columns.entries()) {
      const chunks = metadata.row_groups[group].columns.filter((one) => one.meta_data?.path_in_schema[0] === column);
      const chunk = chunks[0]?.meta_data;
      if (chunk?.path_in_schema.length !== 1 || chunks.length > 1) return damaged();
      const from = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
      const to = from + Number(chunk.total_compressed_size);
      if (!(from >= 0 && from <= to && to <= file.byteLength)) damaged();
      // Successive row groups cannot share the same pages.
      stored[index] += to - from;
      if (stored[index] > file.byteLength) damaged();
      const element = found[index];
      await Promise.resolve(file.slice(from, to))
        .then((bytes) => checkPages({ bytes, metadata: chunk, element, rows: count, compressors: bounded }))
        .catch(damaged);
      const values = await scan
        .readColumn({ column, rowStart: first, rowEnd: first + count })
        .catch((error: unknown) => {
          if (error === NO_TEXT) throw fileRefusal('data', `texts in UTF-8 in the column "${brief(column)}"`, path);
          return damaged();
        });
      if (values.length !== count) damaged();
      const unit = units[index];
      const read = unit === 1 ? values : Array.from(values, (value) => (value == null ? value : value / unit));
      cells.push({ values: read, timestamps: timestampsOf(element) });
    }
    sink.add({ rows: count, columns: cells });
    first += count;
  }
}

/** Whether no column is deeper than {@link DEEPEST_SCHEMA}; the parser copies the path to each column. */
function isShallow(schema: readonly SchemaElement[]): boolean {
  // For each open group, the number of columns that are still to come.
  const open: number[] = [];
  for (const { num_children = 0 } of schema) {
    while (open.at(-1) === 0) open.pop();
    if (open.length > 0) open[open.length - 1]--;
    if (num_children > 0 && open.push(num_children) > DEEPEST_SCHEMA) return false;
  }
  return true;
}

/**
 * Makes a column known to the parser, which sees a date or a decimal by its older name alone and multiplies a decimal by a rounded
 * 10^−scale (three tenths are .30000000000000004): its whole numbers are to be divided by what is returned, 1 for another column.
 * Undefined for digits that no decimal has.
 */
function decimalUnit(element: SchemaElement): number | undefined {
  const { logical_type: logical } = element;
  if (logical?.type === 'DATE' || logical?.type === 'DECIMAL') element.converted_type ??= logical.type;
  if (element.converted_type !== 'DECIMAL') return 1;
  const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
  element.scale = 0;
  return scale >= 0 && scale <= MOST_DIGITS ? 10 ** scale : undefined;
}

/** Whether {@link PARSERS} applies to the column, and whether only to days. */
function timestampsOf({ type, logical_type, converted_type }: SchemaElement): Cells['timestamps'] {
  if (converted_type === 'DATE') return 'days';
  if (logical_type?.type === 'TIMESTAMP') return true;
  if (converted_type === 'TIMESTAMP_MILLIS' || converted_type === 'TIMESTAMP_MICROS') return true;
  return type === 'INT96' && converted_type === undefined;
}
