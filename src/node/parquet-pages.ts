import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { ColumnMetaData, Compressors, DataReader, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';

/** Largest size in bytes of all pages of one column of a row group, decompressed. */
const LARGEST_COLUMN = 2 ** 29;
/** Largest size in bytes of the header of a page, with its least and its greatest value. */
const LARGEST_HEADER = 2 ** 17;
/** Most texts of one dictionary or page: each becomes an object. A page of 1 MiB has at most a quarter of this. */
const MOST_TEXTS = 2 ** 20;
/** Largest size in bytes of a value in a column where all values have the same length. */
const LONGEST_VALUE = 2 ** 16;

/** One column of one row group. */
interface ColumnChunk {
  readonly bytes: ArrayBuffer;
  readonly metadata: ColumnMetaData;
  readonly element: SchemaElement;
  readonly rows: number;
  /** Bounded ones: they stop at the length that a page states. */
  readonly compressors: Compressors;
}

/**
 * Checks the pages of a column before a parser trusts what they state: the number of values and bytes, and the length of runs.
 * Without this check a few bytes can request gigabytes. The message of its error is not shown to anybody.
 */
export function checkPages(chunk: ColumnChunk): void {
  const { bytes, metadata, element, rows, compressors } = chunk;
  // Pages are parsed by the type of the column; their content is parsed by the type of the schema.
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
    const decompress: Decompress = (packed, length) => decompressPage(packed, length, metadata.codec, compressors);
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

/** Where the repetition is not stated, the parser takes a column as optional. */
const optional = ({ repetition_type }: SchemaElement): boolean => repetition_type !== 'REQUIRED';

type FirstKind = NonNullable<PageHeader['data_page_header']>;
type SecondKind = NonNullable<PageHeader['data_page_header_v2']>;
type Decompress = (packed: Uint8Array, length: number) => Uint8Array;

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
  decompress: Decompress,
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

/** Checks runs where values are stored in runs, and encodings that can expand a few bytes into many. */
function checkValues(page: Uint8Array, encoding: string, { type }: SchemaElement, values: number): void {
  // Each text may repeat the previous one and add a letter: the result is the square of what is stored.
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

/** Checks the lengths of blocks of differences: that no number is endless, and that the next block comes later. */
function checkDeltas(bytes: Uint8Array, values: number): void {
  const place: Place = { bytes, offset: 0 };
  const number = (): number => wholeNumber(place, LONGEST_NUMBER);
  const [block, parts, ,] = [number(), number(), number(), number()];
  need(within(block, 2 ** 20) && within(parts, 2 ** 12) && parts > 0);
  const size = block / parts;
  need(size > 0 && size % 32 === 0);
  for (let seen = 1; seen < values; ) {
    number();
    const widths = bytes.subarray(place.offset, place.offset + parts);
    place.offset += parts;
    for (let i = 0; i < parts && seen < values; i++) {
      need(within(widths[i], 64));
      place.offset += (size * widths[i]) / 8;
      seen += size;
    }
    need(place.offset <= bytes.length);
  }
}

/** Checks the lengths of runs, and that there are enough of them; it does not read their content. */
function checkRuns(bytes: Uint8Array, width: number, values: number): void {
  const place: Place = { bytes, offset: 0 };
  let seen = 0;
  while (seen < values) {
    const header = wholeNumber(place, LONGEST_LENGTH);
    const packed = header % 2 === 1;
    const half = Math.floor(header / 2);
    // Packed values come in groups of eight; the last group may be shorter.
    need(packed ? half <= Math.ceil(values / 8) + 64 : half <= values - seen);
    place.offset += packed ? half * width : Math.ceil(width / 8);
    seen += packed ? 8 * half : half;
  }
}

interface Place {
  readonly bytes: Uint8Array;
  offset: number;
}

/** The whole number that is next, seven bits a byte; NaN where it has more bytes than the longest, or they end. */
function numberAt(place: Place, longest: number): number {
  let value = 0;
  for (let i = 0; i < longest && place.offset < place.bytes.length; i++) {
    const byte = place.bytes[place.offset++];
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return value;
  }
  return Number.NaN;
}

/** The same, which has to be there. */
function wholeNumber(place: Place, longest: number): number {
  const value = numberAt(place, longest);
  need(!Number.isNaN(value));
  return value;
}

/** Whether a value from a file is a whole number and not too large. */
function within(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function need(holds: boolean): asserts holds {
  if (!holds) throw new Error('a page that lies');
}

/** Largest size of a decompressed page in bytes. Writers end pages at about 1 MiB. */
const LARGEST_PAGE = 2 ** 28;
/** Largest size of one decompressed block of Zstandard in bytes. */
const ZSTD_BLOCK = 2 ** 17;

/**
 * Decompressors that stop at the length that a page states. For gzip and Brotli, Node's own decompressors get that
 * length. For the others the length of the output is checked beforehand. The message of their error is not shown to anybody.
 */
export function boundedCompressors(given: Compressors): Compressors {
  const bounded =
    (codec: keyof Compressors, check: (packed: Uint8Array, length: number) => void): Decompress =>
    (packed, length) => {
      if (packed.length === 0 && length === 0) return packed;
      check(packed, length);
      const decompress = given[codec];
      need(decompress !== undefined);
      return decompress(packed, length);
    };
  const ofNode =
    (decompress: typeof unzipSync): Decompress =>
    (packed, length) =>
      length === 0 ? new Uint8Array(0) : decompress(packed, { maxOutputLength: length });
  return {
    // Snappy data begin with their length.
    SNAPPY: bounded('SNAPPY', (bytes, length) => need(wholeNumber({ bytes, offset: 0 }, LONGEST_LENGTH) === length)),
    ZSTD: bounded('ZSTD', checkZstd),
    LZ4: bounded('LZ4', checkLz4Frames),
    LZ4_RAW: bounded('LZ4_RAW', checkLz4),
    GZIP: ofNode(unzipSync),
    BROTLI: ofNode(brotliDecompressSync),
  };
}

/** Checks that the lengths in a block of LZ4 add up to the expected length: a byte can add up to 255. */
function checkLz4(bytes: Uint8Array, length: number): void {
  let [offset, made] = [0, 0];
  const longer = (nibble: number): number => {
    let sum = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; sum += byte) {
      need(offset < bytes.length);
      byte = bytes[offset++];
    }
    return sum;
  };
  while (offset < bytes.length) {
    const token = bytes[offset++];
    const literals = longer(token >> 4);
    offset += literals;
    made += literals;
    // The last sequence has literals only.
    if (offset < bytes.length) {
      offset += 2;
      made += longer(token & 15) + 4;
    }
    need(offset <= bytes.length && made <= length);
  }
  need(made === length);
}

/** The same for blocks that each begin with their two lengths, as in Hadoop; some writers omit these lengths. */
function checkLz4Frames(bytes: Uint8Array, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [offset, made] = [0, 0];
  while (offset < bytes.length - 8) {
    const [size, stored] = [view.getInt32(offset), view.getInt32(offset + 4)];
    const start = offset + 8;
    // A parser that trusts a negative length goes back and never ends.
    const framed = size >= 0 && stored > 0 && stored <= bytes.length - start && made + size <= length;
    if (!framed) {
      need(offset === 0 && size >= 0 && stored >= 0);
      break;
    }
    checkLz4(bytes.subarray(start, start + stored), size);
    offset = start + stored;
    made += size;
  }
  if (offset < bytes.length) checkLz4(bytes, length);
  else need(made === length);
}

/** Checks that the sizes in the headers of Zstandard stay within the page: the decompressor does not limit them. */
function checkZstd(bytes: Uint8Array, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [offset, least, most] = [0, 0, 0];
  while (offset + 4 <= bytes.length) {
    const magic = view.getUint32(offset, true);
    need(magic === 0xfd2fb528);
    const descriptor = view.getUint8(offset + 4);
    const single = (descriptor >> 5) & 1;
    // The exponent of a window: at most that of the largest page.
    if (single === 0) need(10 + (view.getUint8(offset + 5) >> 3) <= 28);
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

/** Most entries in the footer of a file and in the header of a page: far more than writers make. */
export const MOST_FOOTER_ENTRIES: number = 2 ** 20;
const MOST_HEADER_ENTRIES = 2 ** 10;
/** Deepest nesting of entries; the format itself needs seven levels. */
const DEEPEST = 32;
/** Bytes of a whole number, and of a length. */
const LONGEST_NUMBER = 10;
const LONGEST_LENGTH = 5;
/** Types of the compact protocol of Thrift. */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12];

/**
 * Whether bytes begin with one structure of Thrift's compact protocol that is safe for a parser: at most so many
 * entries, no list longer than the bytes, and numbers of at most ten bytes. A parser that trusts the length of a list
 * allocates memory for it before it reads the first element, so four bytes can request a gigabyte.
 */
export function hasFewEntries(bytes: Uint8Array, most: number): boolean {
  const place: Place = { bytes, offset: 0 };
  let entries = 0;
  const skip = (length: number): boolean => {
    place.offset += length;
    return place.offset <= bytes.length;
  };
  const structure = (depth: number): boolean => {
    while (place.offset < bytes.length) {
      const byte = bytes[place.offset++];
      if ((byte & 15) === STOP) return true;
      entries++;
      if (byte < 16 && Number.isNaN(numberAt(place, LONGEST_NUMBER))) return false;
      if (entries > most || !element(byte & 15, depth)) return false;
    }
    return false;
  };
  const list = (depth: number): boolean => {
    if (place.offset >= bytes.length) return false;
    const byte = bytes[place.offset++];
    const size = byte >> 4 === 15 ? numberAt(place, LONGEST_LENGTH) : byte >> 4;
    entries += size;
    if (!(entries <= most && size <= bytes.length - place.offset)) return false;
    const type = byte & 15;
    // Truth values take one byte each in a list, and none as fields.
    if (type === TRUE || type === FALSE) return skip(size);
    for (let i = 0; i < size; i++) if (!element(type, depth)) return false;
    return true;
  };
  const element = (type: number, depth: number): boolean => {
    if (depth > DEEPEST) return false;
    if (type === TRUE || type === FALSE) return true;
    if (type === BYTE) return skip(1);
    if (type === I16 || type === I32 || type === I64) return !Number.isNaN(numberAt(place, LONGEST_NUMBER));
    if (type === DOUBLE) return skip(8);
    if (type === BINARY) return skip(numberAt(place, LONGEST_LENGTH));
    if (type === LIST) return list(depth + 1);
    return type === STRUCT && structure(depth + 1);
  };
  return structure(0);
}
