import { sha256 } from '@noble/hashes/sha2.js';
import { RefusedKind } from '../check/refusal.ts';

const { abs, log2, max, min } = Math;

/** Stands for null: a number nobody reports. */
const NULL = -1.618033988749895e308;

const UNDEFINED = -1.4142135623730951e308;

/** Code units of a text, or bytes of a buffer, that are shown besides the fingerprint of the whole. */
const SHOWN = 16;

/** Stands for the missing code units of a text that is too short. */
const NOTHING = -1;

/** Fingerprints are subnormal numbers: a table sees them differ, but sums and products do not change with them. */
const TINY: number = Number.MIN_VALUE;

interface Found {
  readonly numbers: number[];
  /** Kinds, keys and sizes in order, which the numbers alone do not show. */
  shape: string;
  /** Whether the shape is more than a list of numbers. */
  structured: boolean;
  /** The objects and lists that contain the current value. */
  readonly path: object[];
}

/**
 * A whole report as numbers, in the order of its fields: if two reports differ, their numbers or the counts of their
 * numbers differ.
 *
 * - Numbers, booleans (0, 1) and dates (milliseconds) are themselves; null and undefined have a code each.
 * - A text or a buffer is its length, four words of its SHA-256 and its first 16 code units or bytes.
 * - A bigint is its nearest number and four words of its SHA-256; an entry of a 64-bit array its nearest number and its
 * lower half.
 * - Objects, maps, sets and lists in lists are their entries, and in the end comes one fingerprint of all keys, kinds
 * and sizes.
 *
 * A score can learn the meaning of a fingerprint only if it occurs again. For long texts that never repeat, the
 * caller's own view shows more. Payloads of NaN are not shown.
 * @throws TypeError for a report with something that cannot be shown: functions, symbols, cycles, lists with gaps or
 * names, and objects with hidden state.
 */
export function reportView(report: unknown): ArrayLike<number> {
  if (isNumbers(report)) return report;
  const found: Found = { numbers: [], shape: '', structured: false, path: [] };
  visit(report, found);
  if (found.structured) {
    const [a, b] = textWords(found.shape);
    found.numbers.push((1 + (a & 0x7ffff) * 2 ** 32 + b) * TINY);
  }
  return found.numbers;
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView) && !isLong(value);
}

function isLong(value: object): value is BigInt64Array | BigUint64Array {
  return value instanceof BigInt64Array || value instanceof BigUint64Array;
}

function visit(value: unknown, found: Found): void {
  const { numbers } = found;
  if (typeof value === 'number') found.shape += 'n';
  else found.shape += value === null ? 'null' : typeof value;
  if (typeof value === 'number') numbers.push(value);
  else if (typeof value === 'boolean') numbers.push(value ? 1 : 0);
  else if (value === undefined) numbers.push(UNDEFINED);
  else if (value === null) numbers.push(NULL);
  else if (typeof value === 'string') showUnits(value.length, textWords(value), (i) => value.charCodeAt(i), numbers);
  else if (typeof value === 'bigint') {
    numbers.push(Number(value));
    for (const word of textWords(value.toString(16))) numbers.push(word * TINY);
  } else if (typeof value === 'object') visitObject(value, found);
  else throw hidden(`a ${typeof value}`);
}

function visitObject(value: object, found: Found): void {
  const { numbers, path } = found;
  if (path.includes(value)) throw hidden('an object inside itself');
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  found.shape += kind;
  const enter = (size: number, entries: Iterable<unknown>): void => {
    found.shape += `(${size}:`;
    path.push(value);
    for (const entry of entries) visit(entry, found);
    path.pop();
    found.shape += ')';
  };
  if (path.length > 0) found.structured = true;
  if (isNumbers(value)) {
    found.shape += `(${value.length})`;
    for (let i = 0; i < value.length; i++) numbers.push(value[i]);
  } else if (isLong(value)) {
    found.shape += `(${value.length})`;
    for (const entry of value) numbers.push(Number(entry), Number(BigInt.asUintN(32, entry)));
  } else if (ArrayBuffer.isView(value)) {
    showBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), numbers);
  } else if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') {
    showBytes(new Uint8Array(value as ArrayBuffer), numbers);
  } else if (kind === 'Date') numbers.push((value as Date).getTime());
  else if (Array.isArray(value)) {
    if (Object.keys(value).length !== value.length) throw hidden('a list with gaps or names');
    enter(value.length, value);
  } else {
    found.structured = true;
    if (kind === 'Map') enter((value as Map<unknown, unknown>).size, [...(value as Map<unknown, unknown>)].flat(1));
    else if (kind === 'Set') enter((value as Set<unknown>).size, value as Set<unknown>);
    else if (kind !== 'Object') throw hidden(`a ${kind}`);
    else {
      if (Object.getOwnPropertySymbols(value).length > 0) throw hidden('a symbol');
      const keys = Object.keys(value);
      found.shape += JSON.stringify(keys);
      enter(keys.length, Object.values(value));
    }
  }
}

function showBytes(bytes: Uint8Array, numbers: number[]): void {
  showUnits(bytes.length, words(bytes), (i) => bytes[i], numbers);
}

// The count of numbers is always the same, so texts of any length have the same places.
function showUnits(
  length: number,
  fingerprint: readonly number[],
  unit: (i: number) => number,
  numbers: number[],
): void {
  numbers.push(length);
  for (const word of fingerprint) numbers.push(word * TINY);
  for (let i = 0; i < SHOWN; i++) numbers.push(i < length ? unit(i) : NOTHING);
}

/** Fingerprints of recent texts: players who answer with a few words need the same ones again and again. */
const known = new Map<string, readonly number[]>();
const MOST_KNOWN = 1024;
const LONGEST_KNOWN = 256;

/** The fingerprint of a text by its code units. UTF-8 is not used, because in it all lone surrogates look the same. */
function textWords(text: string): readonly number[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[2 * i] = unit & 0xff;
    bytes[2 * i + 1] = unit >>> 8;
  }
  const found = words(bytes);
  if (known.size >= MOST_KNOWN) known.clear();
  if (text.length <= LONGEST_KNOWN) known.set(text, found);
  return found;
}

function words(bytes: Uint8Array): number[] {
  const digest = sha256(bytes);
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  return [0, 4, 8, 12].map((at) => view.getUint32(at));
}

function hidden(what: string): RefusedKind {
  return new RefusedKind(`"report" expected only what can be shown as numbers, got ${what}: give "view"`);
}

/** A number made of one or two of the numbers an attacker sees: z_i, or z_i + sign·z_j. */
export interface AuditFeature {
  /** i. */
  readonly index: number;
  /** j, or −1 for z_i alone. */
  readonly other: number;
  /** ±1; 0 for z_i alone. */
  readonly sign: number;
}

/** Up to this many numbers all sums and differences are examined; beyond, only those of neighbours in the report. */
const ALL_PAIRS = 8;

/** Beyond this many numbers only single ones are examined; the linear score sees all combinations anyway. */
const NO_PAIRS = 512;

const single = (index: number): AuditFeature => ({ index, other: -1, sign: 0 });
const both = (index: number, other: number): AuditFeature[] => [
  { index, other, sign: -1 },
  { index, other, sign: 1 },
];

/** The features of a report of `width` numbers: a sum or a difference shows shared or reused noise. */
export function featuresAlone(width: number): AuditFeature[] {
  const features = Array.from({ length: width }, (_, i) => single(i));
  if (width > NO_PAIRS) return features;
  for (let i = 0; i < width; i++) {
    const last = width <= ALL_PAIRS ? width : min(i + 2, width);
    for (let j = i + 1; j < last; j++) features.push(...both(i, j));
  }
  return features;
}

/** The features of two reports of `width`/2 numbers each: what a number of the first has in common with the second. */
export function featuresTogether(width: number): AuditFeature[] {
  const half = width / 2;
  return Array.from({ length: min(half, NO_PAIRS) }, (_, i) => both(i, i + half)).flat();
}

export function featureValue(feature: AuditFeature, values: ArrayLike<number>, offset: number): number {
  const { index, other, sign } = feature;
  return other < 0 ? values[offset + index] : values[offset + index] + sign * values[offset + other];
}

export function describeFeature({ index, other, sign }: AuditFeature): string {
  if (other < 0) return `z[${index}]`;
  return `z[${index}] ${sign < 0 ? '-' : '+'} z[${other}]`;
}

/** How many classes {@link bitClass} tells apart. */
export const BIT_CLASSES = 4096;

const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);
// The order of the two halves of a double in memory depends on the machine.
number[0] = 1;
const HIGH = halves[1] === 0 ? 0 : 1;

/**
 * The class of a double by its size and the place of its last bit. Sums of rounded numbers lie on coarser grids than the
 * doubles around them, and the grid depends on the number that was added.
 * Source: Mironov (2012), On significance of the least significant bits for differential privacy, CCS.
 */
export function bitClass(value: number): number {
  if (value === 0 || abs(value) === Infinity) return value === 0 ? 0 : 1;
  number[0] = value;
  const high = halves[HIGH];
  const low = halves[1 - HIGH];
  // Zeros at the end of the 52 bits of the mantissa; 52 where all are zero.
  const mantissa = high & 0xfffff;
  const zeros = low !== 0 ? trailing(low) : mantissa !== 0 ? 32 + trailing(mantissa) : 52;
  // Exponents from −40 to 22 one by one; smaller ones share a class, and so do larger ones.
  const exponent = max(0, min(63, ((high >>> 20) & 0x7ff) - 1023 + 40));
  return exponent * 64 + min(63, 2 + zeros);
}

function trailing(word: number): number {
  return log2((word & -word) >>> 0);
}
