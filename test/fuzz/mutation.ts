import { concatBytes } from '@noble/hashes/utils.js';
import { bits, type Random } from '../../src/random/random.ts';
import type { Trial } from './trial.ts';

/** One change to a report: what, where, with what. Plain numbers, so that a failure can be shrunk and replayed. */
export interface Mutation {
  /** Which of {@link KINDS}, by its index. */
  readonly kind: number;
  /** Where, as a share of the bytes. */
  readonly at: number;
  /** With what: what it means depends on the kind. */
  readonly value: number;
}

type Change = (bytes: Uint8Array, at: number, value: number, trial: Trial) => Uint8Array;

/** Values that arithmetic treats in a way of their own, and some that are merely far too large. */
const SPECIAL: readonly number[] = [
  NaN,
  Infinity,
  -Infinity,
  -0,
  0,
  5e-324,
  -1e-45,
  1.1754943508222875e-38,
  3.4028234663852886e38,
  -Number.MAX_VALUE,
  1e30,
  -1e6,
  2 ** 31 - 1,
  -(2 ** 31),
];

const FACTORS: readonly number[] = [1.5, 3, 10, 1e3, 1e6, 1e19, 1e38, 1e300, -1, 0];

function withValue(bytes: Uint8Array, index: number, { header, size, integers }: Trial, value: number): Uint8Array {
  const count = Math.floor((bytes.length - header) / size);
  if (count < 1) return bytes;
  const copy = bytes.slice();
  const view = new DataView(copy.buffer, header + size * (index % count), size);
  if (integers) view.setInt32(0, value, true);
  else if (size === 4) view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return copy;
}

function valueAt(bytes: Uint8Array, index: number, { header, size, integers }: Trial): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + header + size * index, size);
  if (integers) return view.getInt32(0, true);
  return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
}

function scaled(bytes: Uint8Array, factor: number, trial: Trial): Uint8Array {
  const count = Math.floor((bytes.length - trial.header) / trial.size);
  let copy = bytes;
  for (let i = 0; i < count; i++) copy = withValue(copy, i, trial, valueAt(bytes, i, trial) * factor);
  return copy;
}

/** What may happen to a report on its way, by accident or on purpose. */
export const KINDS: { readonly [kind: string]: Change } = {
  flip(bytes, at, value) {
    const copy = bytes.slice();
    copy[at] ^= 1 << (value % 8);
    return copy;
  },
  set(bytes, at, value) {
    const copy = bytes.slice();
    copy[at] = value;
    return copy;
  },
  header(bytes, at, value, { header }) {
    const copy = bytes.slice();
    copy[at % header] = value;
    return copy;
  },
  count(bytes, _, value, { header }) {
    if (bytes.length < header) return bytes;
    const copy = bytes.slice();
    new DataView(copy.buffer).setUint32(header - 4, value % 2 ? value : 2 ** 32 - value, true);
    return copy;
  },
  truncate: (bytes, at) => bytes.slice(0, at),
  extend: (bytes, _, value) => concatBytes(bytes, new Uint8Array(1 + (value % 64)).fill(value)),
  insert: (bytes, at, value) => concatBytes(bytes.subarray(0, at), Uint8Array.of(value), bytes.subarray(at)),
  remove: (bytes, at, value) => concatBytes(bytes.subarray(0, at), bytes.subarray(at + 1 + (value % 8))),
  repeat: (bytes, at) => concatBytes(bytes, bytes.subarray(at)),
  splice(bytes, at, value, { own }) {
    const other = own[value % own.length];
    return concatBytes(bytes.subarray(0, at), other.subarray(at));
  },
  graft(bytes, at, value, { strangers }) {
    const other = strangers[value % strangers.length];
    return concatBytes(other.subarray(0, at), bytes.subarray(at));
  },
  stranger: (_bytes, _at, value, { strangers }) => strangers[value % strangers.length].slice(),
  special: (bytes, at, value, trial) => withValue(bytes, at, trial, SPECIAL[value % SPECIAL.length]),
  scale: (bytes, _, value, trial) => scaled(bytes, FACTORS[value % FACTORS.length], trial),
  scaleOne(bytes, at, value, trial) {
    const count = Math.floor((bytes.length - trial.header) / trial.size);
    if (count < 1) return bytes;
    return withValue(bytes, at, trial, valueAt(bytes, at % count, trial) * FACTORS[value % FACTORS.length]);
  },
};

const CHANGES: readonly Change[] = Object.values(KINDS);

/** Numbers in `at` of a mutation. */
export const PLACES: number = 2 ** 16;

/** A report after a mutation. The bytes given are left as they are. */
export function mutated(bytes: Uint8Array, { kind, at, value }: Mutation, trial: Trial): Uint8Array {
  // Half of the places are in the header, which is a small part of a long report.
  const length = at % 2 === 0 ? bytes.length : Math.min(bytes.length, trial.header);
  const place = Math.floor((at / PLACES) * length);
  return CHANGES[kind % CHANGES.length](bytes, place, value, trial);
}

/** A mutation drawn at random. */
export function mutationFrom(random: Random): Mutation {
  return { kind: bits(random) % CHANGES.length, at: bits(random) % PLACES, value: bits(random) % 2 ** 20 };
}
