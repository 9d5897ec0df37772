/** Entries of the list of contents of a file, and of what a page says of itself: far beyond what writers make. */
export const MOST_FOOTER_ENTRIES: number = 2 ** 20;
export const MOST_HEADER_ENTRIES: number = 2 ** 10;

/** How deep entries lie in each other; the format itself needs seven. */
const DEEPEST = 32;

/** Bytes of a whole number, and of a length. */
const LONGEST_NUMBER = 10;
const LONGEST_LENGTH = 5;

/** Types of the compact protocol of Thrift. */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12];

/**
 * Whether bytes begin with one structure of Thrift's compact protocol that a parser may be given: with so many entries at most, in lists
 * no longer than the bytes, and numbers of at most ten bytes. A parser that believes the length of a list makes room for it before it
 * reads the first element, and four bytes ask for a gigabyte. Looked at once from first to last; nothing is kept.
 */
export function hasFewEntries(bytes: Uint8Array, most: number): boolean {
  let offset = 0;
  let entries = 0;
  const number = (longest: number): number => {
    let value = 0;
    for (let i = 0; i < longest && offset < bytes.length; i++) {
      const byte = bytes[offset++];
      value += (byte & 127) * 2 ** (7 * i);
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  /** Goes beyond so many bytes, if they are there. */
  const skip = (length: number): boolean => {
    offset += length;
    return offset <= bytes.length;
  };
  const structure = (depth: number): boolean => {
    while (offset < bytes.length) {
      const byte = bytes[offset++];
      if ((byte & 15) === STOP) return true;
      entries++;
      if (byte < 16 && Number.isNaN(number(LONGEST_NUMBER))) return false;
      if (entries > most || !element(byte & 15, depth)) return false;
    }
    return false;
  };
  const list = (depth: number): boolean => {
    if (offset >= bytes.length) return false;
    const byte = bytes[offset++];
    const size = byte >> 4 === 15 ? number(LONGEST_LENGTH) : byte >> 4;
    entries += size;
    if (!(entries <= most && size <= bytes.length - offset)) return false;
    const type = byte & 15;
    // Truths in a list take a byte each, as fields none.
    if (type === TRUE || type === FALSE) return skip(size);
    for (let i = 0; i < size; i++) if (!element(type, depth)) return false;
    return true;
  };
  const element = (type: number, depth: number): boolean => {
    if (depth > DEEPEST) return false;
    if (type === TRUE || type === FALSE) return true;
    if (type === BYTE) return skip(1);
    if (type === I16 || type === I32 || type === I64) return !Number.isNaN(number(LONGEST_NUMBER));
    if (type === DOUBLE) return skip(8);
    if (type === BINARY) return skip(number(LONGEST_LENGTH));
    if (type === LIST) return list(depth + 1);
    return type === STRUCT && structure(depth + 1);
  };
  return structure(0);
}
