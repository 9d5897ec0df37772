import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { checkInteger, RefusedKind, RefusedValue, ReportError } from '../check/refusal.ts';
import type { PublicParameters, Server, Wire } from './contract.ts';
import { receivedBytes } from './frame.ts';

/**
 * Who sent a report, as the deployer authenticated it: a text of 1 to 256 characters, or a whole number from 0 to
 * 2²⁵⁶ − 1. Numbers from 2⁵³ on are given as a bigint. 7, 7n and the text `7` are the same player.
 */
export type PlayerId = string | number | bigint;

/** The receipts of a report that is not taken at the door where reports arrive, the same for every protocol. */
export type Refused =
  | {
      /** This player has answered before. */
      readonly outcome: 'duplicate';
    }
  | {
      /** These parameters cannot have produced it, or it comes too late. */
      readonly outcome: 'refused';
      /** Why, in the words of the `ReportError`. */
      readonly reason: string;
    };

export type Counts<Receipt extends { readonly outcome: string }> = {
  [outcome in Receipt['outcome'] | Refused['outcome']]: number;
};

/** How a report is read: a receipt if it need not be read, else a function that takes it. A ReportError refuses it. */
export type Read<Receipt> = (bytes: Uint8Array) => Receipt | (() => Receipt);

/** Takes one report as it arrived; refuses a value that is no player id, without showing it. */
export type Door<Receipt> = (bytes: Uint8Array, playerId?: PlayerId) => Receipt | Refused;

/**
 * What all collectors share: ids in one spelling, one answer for each, and receipts. A report that was read is an answer
 * of its player even if it is not counted, since two tell more about the datum than the guarantee of one allows. Bytes
 * that could not be read mark no player.
 */
export function createDoor<Receipt extends { readonly outcome: string }>(
  players: Marks,
  counts: Counts<Receipt>,
  read: Read<Receipt>,
): Door<Receipt> {
  function judge(bytes: Uint8Array, id: Mark | undefined): Receipt | Refused {
    if (id !== undefined && players.has(id)) return { outcome: 'duplicate' };
    try {
      const taken = read(bytes);
      if (typeof taken !== 'function') return taken;
      if (id !== undefined) players.add(id);
      return taken();
    } catch (error) {
      if (error instanceof ReportError) return { outcome: 'refused', reason: error.message };
      throw error;
    }
  }
  return (bytes, playerId) => {
    const receipt = judge(bytes, playerId === undefined ? undefined : playerMark(playerId));
    counts[receipt.outcome as keyof Counts<Receipt>]++;
    return receipt;
  };
}

/** The longest id, in characters. */
export const LONGEST_ID = 256;

// Bytes of the current id. Only its mark is kept, which holds no reference to the text.
const scratch = new Uint8Array(1 + 2 * LONGEST_ID);

/**
 * The mark of a player id, which no message contains.
 * Law: the hash is over the UTF-16 code units, one byte each if all of them fit and two otherwise, after a byte that says
 * which. So no two ids have the same encoding, lone surrogates included.
 */
export function playerMark(id: unknown): Mark {
  const text = spelledId(id);
  const { length } = text;
  let wide = 0;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    wide |= unit;
    scratch[1 + i] = unit;
  }
  scratch[0] = wide < 256 ? 1 : 2;
  if (wide < 256) return markOf(scratch.subarray(0, 1 + length));
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    scratch[1 + 2 * i] = unit;
    scratch[2 + 2 * i] = unit >> 8;
  }
  return markOf(scratch.subarray(0, 1 + 2 * length));
}

function spelledId(id: unknown): string {
  if (typeof id === 'string') {
    if (id.length > 0 && id.length <= LONGEST_ID) return id;
  } else if (typeof id === 'number') {
    if (Number.isSafeInteger(id) && id >= 0) return String(id);
  } else if (typeof id === 'bigint') {
    if (id >= 0n && id < 2n ** 256n) return String(id);
  } else {
    throw new RefusedKind('"playerId" expected a text or a whole number');
  }
  throw new RefusedValue(
    `"playerId" expected a text of 1 to ${LONGEST_ID} characters or a whole number from 0 to 2^256 - 1, from 2^53 on as a bigint`,
  );
}

/** What became of a report. Only `counted` changed the tally. */
export type Receipt =
  | {
      /**
       * `counted`: in the tally. `replay`: the same bytes were counted before. `full`: as many as expected were counted.
       */
      readonly outcome: 'counted' | 'replay' | 'full';
    }
  | Refused;

/** The number of reports by outcome. */
export type CollectorCounts = { readonly [outcome in Receipt['outcome']]: number };

/** Settings of a collector. */
export interface CollectorOptions {
  /** The largest number of counted reports: later ones are received and not counted. Default: no limit. */
  readonly maximumPlayers?: number;
  /**
   * Whether to count the same bytes only once, whoever sends them. It stops retries, but not an adversary, who can
   * change a bit. Two honest reports that happen to be equal count once, so use it only where a report has far more
   * possible values than there are players. Default: false.
   */
  readonly refuseReplays?: boolean;
}

/** The parts of a protocol that a collector needs: a wire format and a tally, in one round or in many. */
export interface Collectable<Parameters extends PublicParameters, Report, Tally> {
  readonly name: string;
  /** The wire format; only `decode` is used. */
  readonly report: Pick<Wire<Parameters, Report>, 'decode'>;
  /** The tally; there is no estimate here. */
  readonly server: Pick<Server<Parameters, Report, Tally, unknown, unknown>, 'empty' | 'add' | 'merge'>;
}

export function largestCount({ maximumPlayers }: CollectorOptions): number {
  return maximumPlayers === undefined ? Infinity : checkInteger('maximumPlayers', maximumPlayers, 1);
}

export function countsOf(all: readonly CollectorCounts[]): Counts<Receipt> {
  const sum = { counted: 0, duplicate: 0, replay: 0, full: 0, refused: 0 };
  for (const counts of all) for (const end of Object.keys(sum) as Receipt['outcome'][]) sum[end] += counts[end];
  return sum;
}

/** Whether the bytes are a report of these parameters. */
export function reads<Parameters>(
  wire: Pick<Wire<Parameters, unknown>, 'decode'>,
  parameters: Parameters,
  bytes: Uint8Array,
): boolean {
  try {
    wire.decode(parameters, bytes);
    return true;
  } catch (error) {
    if (error instanceof ReportError) return false;
    throw error;
  }
}

/** Reads reports of these parameters into a tally; `replays`: the marks of those counted, if equal ones count once. */
export function readInto<Parameters extends PublicParameters, Report, Tally>(
  { report: wire, server }: Collectable<Parameters, Report, Tally>,
  parameters: Parameters,
  tally: Tally,
  replays: Marks | undefined,
): Read<Receipt> {
  return (bytes) => {
    // A copy: bytes in memory shared with another thread could otherwise change between two reads.
    const received = replays === undefined ? bytes : receivedBytes(bytes).slice();
    const report = wire.decode(parameters, received);
    const mark = replays === undefined ? undefined : markOf(received);
    if (mark !== undefined && replays?.has(mark)) return { outcome: 'replay' };
    return () => {
      server.add(parameters, tally, report);
      if (mark !== undefined) replays?.add(mark);
      return { outcome: 'counted' };
    };
  };
}

/** What is kept of an id or a report: the first 16 bytes of a SHA-256, as four words in the order of this machine. */
export type Mark = Uint32Array;

/** A set of marks. Memory: 22 to 43 bytes for each mark, whatever was marked, outside the heap of the engine. */
export interface Marks {
  readonly size: number;
  /** Whether the mark is in the set. */
  has(mark: Mark): boolean;
  /** Adds the mark; nothing changes if it is already in the set. */
  add(mark: Mark): void;
  /** All marks, in no fixed order. Read each one before you take the next. */
  values(): Iterable<Mark>;
}

const MARK_BYTES = 16;

// One set is 256 tables that grow by themselves: growing copies a small part, and no array gets too long.
const SHARDS = 256;
const FIRST_SLOTS = 8;

/** A table of marks one after the other, with a power of two slots; four zeros are a free slot. */
interface Shard {
  words: Uint32Array;
  used: number;
}

/** The mark of these bytes: two inputs share one by accident with probability 2⁻¹²⁸, and nobody can search for them. */
export function markOf(bytes: Uint8Array): Mark {
  return new Uint32Array(sha256(bytes).slice(0, MARK_BYTES).buffer);
}

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
 * The set as bytes: 16 for each mark, then 16 that seal marks and owner; the seal finds damage and authenticates nobody.
 * Who can list the possible ids can find out which are marked: keep these bytes as carefully as ids.
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

/** The set in the bytes; refuses those that `saveMarks` cannot have made for this owner. */
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
