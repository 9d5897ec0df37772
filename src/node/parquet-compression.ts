import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { Compressors } from 'hyparquet';

/** Bytes of a page, decompressed. Writers cut pages at about 1 MiB. */
export const LARGEST_PAGE: number = 2 ** 28;

/** Bytes of one compressed block of Zstandard, decompressed. */
const ZSTD_BLOCK = 2 ** 17;

/**
 * Decompressors that stop at the length that a page says: gzip and Brotli are those of Node, told the length; of the others is
 * checked before what they would write.
 *
 * @throws Error, whose message is for nobody, for what is damaged or longer.
 */
export function boundedCompressors(given: Compressors): Compressors {
  const bounded = (codec: keyof Compressors, check: (packed: Uint8Array, length: number) => void): Compressors => ({
    [codec]: (packed: Uint8Array, length: number) => {
      if (packed.length === 0 && length === 0) return packed;
      check(packed, length);
      const decompress = given[codec];
      need(decompress !== undefined);
      return decompress(packed, length);
    },
  });
  return {
    ...bounded('SNAPPY', checkSnappy),
    ...bounded('ZSTD', checkZstd),
    ...bounded('LZ4', checkLz4Frames),
    ...bounded('LZ4_RAW', checkLz4),
    GZIP: (packed, length) => ofNode(unzipSync, packed, length),
    BROTLI: (packed, length) => ofNode(brotliDecompressSync, packed, length),
  };
}

function ofNode(decompress: typeof unzipSync, packed: Uint8Array, length: number): Uint8Array {
  return length === 0 ? new Uint8Array(0) : decompress(packed, { maxOutputLength: length });
}

/** Snappy begins with its length. */
function checkSnappy(bytes: Uint8Array, length: number): void {
  let said = 0;
  for (let i = 0; ; i++) {
    need(i < Math.min(5, bytes.length));
    said += (bytes[i] & 127) * 2 ** (7 * i);
    if (bytes[i] < 128) break;
  }
  need(said === length);
}

/** Checks that the lengths in a block of LZ4 add up to what there should be: a byte may say 255 more. */
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

/** The same for blocks that each begin with their two lengths, as Hadoop writes them; some writers leave those out. */
function checkLz4Frames(bytes: Uint8Array, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [offset, made] = [0, 0];
  while (offset < bytes.length - 8) {
    const [size, stored] = [view.getInt32(offset), view.getInt32(offset + 4)];
    const start = offset + 8;
    // A parser that believes a negative length goes back, and for ever.
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

function need(holds: boolean): asserts holds {
  if (!holds) throw new Error('a page that lies');
}
