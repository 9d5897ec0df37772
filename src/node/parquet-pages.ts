import type { ColumnMetaData, Compressors, DataReader, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';

/** Bytes of one page and of all pages of one column of a row group, decompressed. Writers cut pages at about 1 MiB. */
const LARGEST_PAGE = 2 ** 28;
const LARGEST_COLUMN = 2 ** 29;

/** Bytes of what a page says of itself, its least and its greatest value included. */
const LARGEST_HEADER = 2 ** 17;

/** Bytes above 127 in a row. */
const LONGEST_RUN = 2 ** 14;

/** Bytes of one compressed block of Zstandard, decompressed. */
const ZSTD_BLOCK = 2 ** 17;

/** One column of one row group. */
export interface ColumnChunk {
  /** The bytes of its pages. */
  readonly bytes: ArrayBuffer;
  readonly metadata: ColumnMetaData;
  readonly element: SchemaElement;
  /** Records of the row group. */
  readonly rows: number;
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
  let [seen, total, offset] = [0, 0, 0];
  while (seen < rows && offset < bytes.byteLength - 1) {
    const view = new DataView(bytes, offset, Math.min(LARGEST_HEADER, bytes.byteLength - offset));
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
    need(within(values, header.type === 'DICTIONARY_PAGE' ? size : rows - seen));
    if (header.type !== 'DICTIONARY_PAGE') seen += values;
    const decompress = (packed: Uint8Array, length: number): Uint8Array => {
      if (metadata.codec === 'ZSTD') checkZstd(packed, length);
      return decompressPage(packed, length, metadata.codec, compressors);
    };
    if (header.data_page_header !== undefined) {
      checkFirstKind(decompress(page, size), header.data_page_header, element);
    } else if (header.data_page_header_v2 !== undefined) {
      checkSecondKind(page, size, header.data_page_header_v2, decompress, element);
    } else decompress(page, size);
  }
  need(seen === rows);
}

/**
 * Whether the list of contents of a file has no number that goes on for thousands of bytes: a parser that adds them up one by one takes a
 * time that grows with their square.
 */
export function hasShortNumbers(footer: Uint8Array): boolean {
  let run = 0;
  for (const byte of footer) {
    // A text of a foreign alphabet looks the same, but is cut after some dozens of bytes.
    run = byte < 128 ? 0 : run + 1;
    if (run > LONGEST_RUN) return false;
  }
  return true;
}

function valuesOf({ type, data_page_header, data_page_header_v2, dictionary_page_header }: PageHeader): number {
  if (type === 'DATA_PAGE') return data_page_header?.num_values ?? -1;
  if (type === 'DATA_PAGE_V2') return data_page_header_v2?.num_values ?? -1;
  return type === 'DICTIONARY_PAGE' ? (dictionary_page_header?.num_values ?? -1) : -1;
}

const optional = ({ repetition_type }: SchemaElement): boolean => repetition_type === 'OPTIONAL';

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

/** Checks that what Zstandard says in its headers stays within the page: the decompressor alone would go on as long as they say. */
function checkZstd(bytes: Uint8Array, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [offset, least, most] = [0, 0, 0];
  while (offset + 4 <= bytes.length) {
    const magic = view.getUint32(offset, true);
    need(magic === 0xfd2fb528);
    const descriptor = view.getUint8(offset + 4);
    const single = (descriptor >> 5) & 1;
    if (single === 0) {
      const exponent = view.getUint8(offset + 5) >> 3;
      need(10 + exponent <= 28);
    }
    const field = offset + 5 + (1 - single) + [0, 1, 2, 4][descriptor & 3];
    const kind = descriptor >> 6;
    if (kind === 3) need(view.getUint32(field + 4, true) === 0);
    if (kind >= 2) need(view.getUint32(field, true) <= length);
    offset = field + [single, 2, 4, 8][kind];
    for (let last = false; !last; ) {
      const block = view.getUint8(offset) + 256 * view.getUint16(offset + 1, true);
      last = (block & 1) === 1;
      const type = (block >> 1) & 3;
      const size = block >> 3;
      least += type < 2 ? size : 0;
      most += type < 2 ? size : ZSTD_BLOCK;
      offset += 3 + (type === 1 ? 1 : size);
      need(least <= length && most <= LARGEST_PAGE + ZSTD_BLOCK);
    }
    offset += ((descriptor >> 2) & 1) * 4;
  }
}

/** Whether a number of a file is one, and not too large. */
function within(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function need(holds: boolean): asserts holds {
  if (!holds) throw new Error('a page that lies');
}
