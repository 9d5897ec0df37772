import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { RefusedValue, ReportError } from '../check/refusal.ts';
import { receivedBytes } from '../core/frame.ts';

/** One report on its way to a collector. */
export interface SentReport {
  /** Who sends it: an id, or a ticket. */
  readonly player: string;
  /** The bytes of the report. */
  readonly bytes: Uint8Array;
}

// A batch is a series of entries: length of the player's text in UTF-8 (2 bytes), the text, length of the report
// (4 bytes), the report. Little-endian. An empty series is no batch.
const TEXT_LENGTH = 2;
const REPORT_LENGTH = 4;

/**
 * Reports as the body of one request.
 *
 * @throws RangeError for no reports, or a player's text of more than 65,535 bytes.
 *
 * @example
 * ```ts
 * import { encodeBatch } from 'ldpkit/client';
 * // Two bytes for the length of the text, the text, four for that of the report, the report.
 * console.log(encodeBatch([{ player: 'player 17', bytes: Uint8Array.of(1, 2) }]).length); // 17
 * ```
 */
export function encodeBatch(reports: readonly SentReport[]): Uint8Array {
  if (reports.length === 0) throw new RefusedValue('reports', 'at least one report', 0);
  const encoder = new TextEncoder();
  const texts = reports.map(({ player }) => encoder.encode(player));
  let length = 0;
  reports.forEach(({ bytes }, i) => {
    if (texts[i].length >= 2 ** 16) throw new RefusedValue('"player" expected a text of at most 65535 bytes');
    length += TEXT_LENGTH + texts[i].length + REPORT_LENGTH + bytes.length;
  });
  const batch = new Uint8Array(length);
  const view = new DataView(batch.buffer);
  let at = 0;
  reports.forEach(({ bytes }, i) => {
    view.setUint16(at, texts[i].length, true);
    batch.set(texts[i], at + TEXT_LENGTH);
    at += TEXT_LENGTH + texts[i].length;
    view.setUint32(at, bytes.length, true);
    batch.set(bytes, at + REPORT_LENGTH);
    at += REPORT_LENGTH + bytes.length;
  });
  return batch;
}

/**
 * The reports in the body of a request. The reports share the memory of the body.
 *
 * @throws ReportError for a batch that is cut off, empty, larger than `most` reports, or holds a text that is not UTF-8.
 */
export function decodeBatch(body: Uint8Array, most: number): readonly SentReport[] {
  const bytes = receivedBytes(body, 'batch');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const reports: SentReport[] = [];
  let at = 0;
  /** Goes over so many bytes: where they begin. */
  const pass = (length: number): number => {
    if (at + length > bytes.length) throw new ReportError('"batch" expected whole entries, and its end is missing');
    at += length;
    return at - length;
  };
  const take = (length: number): Uint8Array => bytes.subarray(pass(length), at);
  while (at < bytes.length) {
    if (reports.length === most) throw new ReportError(`"batch" expected at most ${most} reports`);
    const player = readText(decoder, take(view.getUint16(pass(TEXT_LENGTH), true)));
    reports.push({ player, bytes: take(view.getUint32(pass(REPORT_LENGTH), true)) });
  }
  if (reports.length === 0) throw new ReportError('"batch" expected at least one report');
  return reports;
}

function readText(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ReportError('"batch" expected texts in UTF-8');
  }
}

/** The arrays of numbers in rounds and steps, with the names that stand for them in JSON. */
const ARRAYS = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
} as const;

type ArrayName = keyof typeof ARRAYS;

/** The key of the object that stands for an array of numbers: `{"$array": "float64", "hex": "…"}`. */
const KEY = '$array';

/**
 * Plain data as JSON text: what a server publishes of a plan, a round or a step. Arrays of numbers keep their type and
 * their bits, as little-endian bytes in hexadecimal digits. Numbers that JSON does not have become null.
 */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    const name = arrayName(part);
    if (name === undefined) return part;
    const { buffer, byteOffset, byteLength } = part as Uint8Array;
    return { [KEY]: name, hex: bytesToHex(new Uint8Array(buffer, byteOffset, byteLength)) };
  });
}

/**
 * The data in such a text. Nothing in it is believed: whoever uses it checks it as if it came from a stranger.
 *
 * @throws SyntaxError for a text that is no JSON; RangeError for an array of numbers that is damaged.
 */
export function fromPlainJson(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, KEY)) return part;
    const { [KEY]: name, hex } = part as { readonly [key: string]: unknown };
    return readArray(name, hex);
  });
}

function readArray(name: unknown, hex: unknown): ArrayBufferView {
  const known = typeof name === 'string' && Object.hasOwn(ARRAYS, name) ? ARRAYS[name as ArrayName] : undefined;
  const digits = typeof hex === 'string' && /^(?:[0-9a-f]{2})*$/.test(hex) ? hex : undefined;
  if (known === undefined || digits === undefined || (digits.length / 2) % known.BYTES_PER_ELEMENT !== 0) {
    throw new RefusedValue(KEY, 'an array of numbers in hexadecimal digits', name);
  }
  return new known(hexToBytes(digits).slice().buffer);
}

function arrayName(value: unknown): ArrayName | undefined {
  if (!ArrayBuffer.isView(value)) return undefined;
  return (Object.keys(ARRAYS) as ArrayName[]).find((name) => value instanceof ARRAYS[name]);
}
