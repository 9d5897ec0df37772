import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ReportError } from '../check/report-error.ts';
import { receivedBytes } from './received.ts';

/**
 * The part that is kept of an id or of a report: the first 16 bytes of a SHA-256, as four words in the order of this
 * machine.
 */
export type Mark = Uint32Array;

/** A set of marks. Memory: 22 to 43 bytes for each mark, whatever was marked, outside the heap of the engine. */
export interface Marks {
  /** The number of marks. */
  readonly size: number;
  /** Whether the mark is in the set. */
  has(mark: Mark): boolean;
  /** Adds the mark; nothing changes if it is already in the set. */
  add(mark: Mark): void;
  /** All marks, in no fixed order. Read each one before you take the next. */
  values(): Iterable<Mark>;
}

/** Bytes of a mark. */
const MARK_BYTES = 16;

// One set is 256 tables, each of which grows by itself: growing copies a small part at a time, and no array gets too
// long.
const SHARDS = 256;
const FIRST_SLOTS = 8;

/** A table of marks one after the other, with a power of two slots; four zeros are a free slot. */
interface Shard {
  words: Uint32Array;
  used: number;
}

/**
 * The mark of these bytes. Two different inputs have the same mark by accident with probability 2⁻¹²⁸, and nobody knows
 * how to find such inputs on purpose.
 */
export function markOf(bytes: Uint8Array): Mark {
  return new Uint32Array(sha256(bytes).slice(0, MARK_BYTES).buffer);
}

/** An empty set. */
export function createMarks(): Marks {
  const shards: Shard[] = [];
  let size = 0;
  // Words of the hash choose the table and the slot. They are as good as random, so the tables fill evenly.
  const shardOf = (mark: Mark): Shard | undefined => shards[mark[3] % SHARDS];
  return {
    get size() {
      return size;
    },
    has(mark) {
      const shard = shardOf(mark);
      return shard !== undefined && !isFree(shard.words, slotOf(shard.words, mark));
    },
    add(mark) {
      const shard = shardOf(mark) ?? { words: new Uint32Array(4 * FIRST_SLOTS), used: 0 };
      shards[mark[3] % SHARDS] = shard;
      // At most three quarters full: a search ends at a free slot.
      if (16 * (shard.used + 1) > 3 * shard.words.length) shard.words = grown(shard.words);
      const slot = slotOf(shard.words, mark);
      if (!isFree(shard.words, slot)) return;
      shard.words.set(mark, slot);
      shard.used++;
      size++;
    },
    *values() {
      for (const shard of shards) if (shard !== undefined) yield* filled(shard.words);
    },
  };
}

/** The number of marks that are in both sets. */
export function commonMarks(left: Marks, right: Marks): number {
  const [few, many] = left.size < right.size ? [left, right] : [right, left];
  let common = 0;
  for (const mark of few.values()) if (many.has(mark)) common++;
  return common;
}

/** Where the mark is, or the free slot where it would be. */
function slotOf(words: Uint32Array, mark: Mark): number {
  const last = words.length - 1;
  for (let slot = (mark[0] << 2) & last; ; slot = (slot + 4) & last) {
    if (isFree(words, slot)) return slot;
    if (words[slot] === mark[0] && words[slot + 1] === mark[1] && words[slot + 2] === mark[2]) {
      if (words[slot + 3] === mark[3]) return slot;
    }
  }
}

function isFree(words: Uint32Array, slot: number): boolean {
  return (words[slot] | words[slot + 1] | words[slot + 2] | words[slot + 3]) === 0;
}

function grown(words: Uint32Array): Uint32Array {
  const larger = new Uint32Array(2 * words.length);
  for (const mark of filled(words)) larger.set(mark, slotOf(larger, mark));
  return larger;
}

function* filled(words: Uint32Array): Iterable<Mark> {
  for (let slot = 0; slot < words.length; slot += 4) if (!isFree(words, slot)) yield words.subarray(slot, slot + 4);
}

/**
 * The set as bytes: 16 for each mark, then 16 bytes that seal the marks and their owner. The seal finds damage and
 * authenticates nobody. Whoever can list the possible ids can find out which of them are marked, so keep these bytes as
 * carefully as ids.
 */
export function saveMarks(marks: Marks, owner: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(MARK_BYTES * (marks.size + 1));
  const words = new Uint32Array(bytes.buffer);
  let at = 0;
  for (const mark of marks.values()) {
    words.set(mark, at);
    at += 4;
  }
  words.set(sealOf(bytes, owner), at);
  return bytes;
}

/**
 * The set in the bytes.
 *
 * @throws ReportError naming the field for bytes that `saveMarks` cannot have made for this owner.
 */
export function restoreMarks(name: string, saved: unknown, owner: string): Marks {
  // A copy: its words are aligned, and nobody else can change it.
  const bytes = receivedBytes(saved, name).slice();
  const marks = createMarks();
  const damaged = new ReportError(`"${name}" expected the bytes that were saved for the same plan and state`);
  if (bytes.length === 0 || bytes.length % MARK_BYTES !== 0) throw damaged;
  const words = new Uint32Array(bytes.buffer);
  const end = words.length - 4;
  if (!sealOf(bytes, owner).every((word, i) => word === words[end + i])) throw damaged;
  for (let at = 0; at < end; at += 4) if (!isFree(words, at)) marks.add(words.subarray(at, at + 4));
  if (4 * marks.size !== end) throw damaged;
  return marks;
}

function sealOf(bytes: Uint8Array, owner: string): Mark {
  const hash = sha256.create().update(sha256(utf8ToBytes(owner)));
  return new Uint32Array(hash.update(bytes.subarray(0, -MARK_BYTES)).digest().slice(0, MARK_BYTES).buffer);
}
