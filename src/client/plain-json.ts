import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';

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
    throw new RefusedValue(refusal(KEY, 'an array of numbers in hexadecimal digits', name));
  }
  return new known(hexToBytes(digits).slice().buffer);
}

function arrayName(value: unknown): ArrayName | undefined {
  if (!ArrayBuffer.isView(value)) return undefined;
  return (Object.keys(ARRAYS) as ArrayName[]).find((name) => value instanceof ARRAYS[name]);
}
