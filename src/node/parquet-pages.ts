import type { ColumnMetaData, Compressors, DataReader, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { LARGEST_PAGE } from './parquet-compression.ts';
import { hasFewEntries, MOST_HEADER_ENTRIES } from './parquet-entries.ts';

/** Bytes of all pages of one column of a row group, decompressed. */
const LARGEST_COLUMN = 2 ** 29;

/** Bytes of what a page says of itself, its least and its greatest value included. */
const LARGEST_HEADER = 2 ** 17;

/** Texts of one dictionary or one page: each becomes an object of its own. A page of 1 MiB has a quarter of them at most. */
const MOST_TEXTS = 2 ** 20;

/** Bytes of a value where all have the same length. */
const LONGEST_VALUE = 2 ** 16;

/** One column of one row group. */
export interface ColumnChunk {
  /** The bytes of its pages. */
  readonly bytes: ArrayBuffer;
  readonly metadata: ColumnMetaData;
  readonly element: SchemaElement;
  /** Records of the row group. */
  readonly rows: number;
  /** Bounded ones: they stop at the length that a page says. */
  readonly compressors: Compressors;
}

/**
 * Looks at the pages of a column before a parser believes what they say of themselves: that each holds as many values as it says, in as
 * many bytes, and that no run within it is longer than that. A few bytes can otherwise ask for gigabytes.
 *
 * @throws Error, whose message is for nobody, for a page that lies or is larger than is ever written.
 */
export function checkPages(chunk: ColumnChunk): void {
  const { bytes, metadata, element, rows, compressors } = chunk;
  // Pages are parsed by the type of the column, what is in them by that of the schema.
  need(metadata.type === element.type);
  if (element.type === 'FIXED_LEN_BYTE_ARRAY')
    need(within(element.type_length, LONGEST_VALUE) && element.type_length > 0);
  let [seen, total, offset] = [0, 0, 0];
  while (seen < rows && offset < bytes.byteLength - 1) {
    const view = new DataView(bytes, offset, Math.min(LARGEST_HEADER, bytes.byteLength - offset));
    need(hasFewEntries(new Uint8Array(bytes, offset, view.byteLength), MOST_HEADER_ENTRIES));
    const reader: DataReader = { view, offset: 0 };
    const header = parquetHeader(reader);
    offset += reader.offset;
    const { compressed_page_size: stored, uncompressed_page_size: size } = header;
    total += size;
    need(within(stored, bytes.byteLength - offset) && within(size, LARGEST_PAGE) && total <= LARGEST_COLUMN);
    const page = new Uint8Array(bytes, offset, stored);
    offset += stored;
    const values = valuesOf(header);
    // A dictionary has no more values than bytes, and no page more values than there are records.
    need(within(values, header.type === 'DICTIONARY_PAGE' ? Math.min(size, MOST_TEXTS) : rows - seen));
    if (header.type !== 'DICTIONARY_PAGE') seen += values;
    const decompress = (packed: Uint8Array, length: number): Uint8Array =>
      decompressPage(packed, length, metadata.codec, compressors);
    if (header.data_page_header !== undefined) {
      checkFirstKind(decompress(page, size), header.data_page_header, element);
    } else if (header.data_page_header_v2 !== undefined) {
      checkSecondKind(page, size, header.data_page_header_v2, decompress, element);
    } else decompress(page, size);
  }
  need(seen === rows);
}

function valuesOf({ type, data_page_header, data_page_header_v2, dictionary_page_header }: PageHeader): number {
  if (type === 'DATA_PAGE') return data_page_header?.num_values ?? -1;
  if (type === 'DATA_PAGE_V2') return data_page_header_v2?.num_values ?? -1;
  return type === 'DICTIONARY_PAGE' ? (dictionary_page_header?.num_values ?? -1) : -1;
}

/** Where nothing is said, the parser takes it so. */
const optional = ({ repetition_type }: SchemaElement): boolean => repetition_type !== 'REQUIRED';

type FirstKind = NonNullable<PageHeader['data_page_header']>;
type SecondKind = NonNullable<PageHeader['data_page_header_v2']>;

function checkFirstKind(page: Uint8Array, { num_values, encoding }: FirstKind, element: SchemaElement): void {
  let offset = 0;
  if (optional(element)) {
    const length = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(0, true);
    offset = 4 + length;
    need(offset <= page.length);
    checkRuns(page.subarray(4, offset), 1, num_values);
  }
  checkValues(page.subarray(offset), encoding, element, num_values);
}

function checkSecondKind(
  page: Uint8Array,
  size: number,
  header: SecondKind,
  decompress: (packed: Uint8Array, length: number) => Uint8Array,
  element: SchemaElement,
): void {
  const { num_values, num_nulls, num_rows, encoding, is_compressed } = header;
  const levels = [header.repetition_levels_byte_length, header.definition_levels_byte_length];
  need(within(levels[0], page.length) && within(levels[1], page.length - levels[0]));
  need(num_rows === num_values && within(num_nulls, num_values));
  const start = levels[0] + levels[1];
  if (optional(element)) checkRuns(page.subarray(levels[0], start), 1, num_values);
  need(start <= size);
  const packed = page.subarray(start);
  const values = is_compressed === false ? packed : decompress(packed, size - start);
  checkValues(values, encoding, element, num_values - num_nulls);
}

/** Checks runs where the values are such, and encodings that can make much of little. */
function checkValues(page: Uint8Array, encoding: string, { type }: SchemaElement, values: number): void {
  // Each text may repeat the one before and add a letter: the square of what is stored.
  need(encoding !== 'DELTA_BYTE_ARRAY');
  if (type === 'BOOLEAN') {
    if (encoding !== 'PLAIN') checkRuns(page.subarray(4), 1, values);
  } else if (encoding.endsWith('DICTIONARY') && values > 0 && page[0] > 0) {
    need(page[0] <= 32);
    checkRuns(page.subarray(1), page[0], values);
  } else if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') {
    need(encoding.endsWith('DICTIONARY') || values <= MOST_TEXTS);
  }
  if (encoding === 'DELTA_BINARY_PACKED' || encoding === 'DELTA_LENGTH_BYTE_ARRAY') checkDeltas(page, values);
}

/** Checks the lengths of blocks of differences: that no number goes on for ever, and that the next block comes later. */
function checkDeltas(bytes: Uint8Array, values: number): void {
  let offset = 0;
  const number = (): number => {
    let value = 0;
    for (let i = 0; ; i++) {
      need(i < 10 && offset < bytes.length);
      const byte = bytes[offset++];
      value += (byte & 127) * 2 ** (7 * i);
      if (byte < 128) return value;
    }
  };
  const [block, parts, ,] = [number(), number(), number(), number()];
  need(within(block, 2 ** 20) && within(parts, 2 ** 12) && parts > 0);
  const size = block / parts;
  need(size > 0 && size % 32 === 0);
  for (let seen = 1; seen < values; ) {
    number();
    const widths = bytes.subarray(offset, offset + parts);
    offset += parts;
    for (let i = 0; i < parts && seen < values; i++) {
      need(within(widths[i], 64));
      offset += (size * widths[i]) / 8;
      seen += size;
    }
    need(offset <= bytes.length);
  }
}

/** Checks the lengths of runs, and that there are enough of them; of what they hold nothing is read. */
function checkRuns(bytes: Uint8Array, width: number, values: number): void {
  let offset = 0;
  let seen = 0;
  while (seen < values) {
    let header = 0;
    let shift = 0;
    let byte: number;
    do {
      need(offset < bytes.length && shift <= 28);
      byte = bytes[offset++];
      header += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte > 127);
    const packed = header % 2 === 1;
    const half = Math.floor(header / 2);
    // Packed values come in eights, of which the last may be cut short.
    need(packed ? half <= Math.ceil(values / 8) + 64 : half <= values - seen);
    offset += packed ? half * width : Math.ceil(width / 8);
    seen += packed ? 8 * half : half;
  }
}

/** Whether a number of a file is one, and not too large. */
function within(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function need(holds: boolean): asserts holds {
  if (!holds) throw new Error('a page that lies');
}
