import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { Database, RootDatabase } from 'lmdb';
import { RefusedValue, ReportError, refusal } from '../../check/refusal.ts';
import { fileRefusal } from '../files.ts';

/** A package that only a collector needs; refused where it is not installed, as it is where one imports the library alone. */
export async function optionalModule<Module>(name: string): Promise<Module> {
  try {
    return (await import(name)) as Module;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RefusedValue(refusal('package', `${name} to be installed (npm install ${name})`, 'none'), {
      cause: error,
    });
  }
}

/** The number that a store of lmdb begins with, and its place; those of the size of its pages and of a transaction; its first two pages have at least so many bytes. */
const [MAGIC, MAGIC_AT, PAGE_SIZE_AT, TRANSACTION_AT, LEAST_BYTES] = [0xbeef_c0de, 24, 48, 152, 8192];
/** How often the numbers are read: another collector may write between two of them. */
const TRIALS = 3;

/**
 * Whether a file begins as a store does: with a page of each of its last two transactions. The one with the larger number counts, so that a bit
 * that has changed in a number could bring the state before the last back.
 */
async function isBegun(file: FileHandle): Promise<boolean> {
  const [first, second] = [Buffer.alloc(LEAST_BYTES), Buffer.alloc(LEAST_BYTES)];
  for (let trial = 0; trial < TRIALS; trial++) {
    const { bytesRead } = await file.read(first, 0, LEAST_BYTES, 0);
    if (bytesRead < LEAST_BYTES || first.readUInt32LE(MAGIC_AT) !== MAGIC) return false;
    await file.read(second, 0, TRANSACTION_AT + 8, first.readUInt32LE(PAGE_SIZE_AT));
    const apart = first.readBigUInt64LE(TRANSACTION_AT) - second.readBigUInt64LE(TRANSACTION_AT);
    if (apart >= -1n && apart <= 1n) return true;
  }
  return false;
}

/**
 * Makes the folder of a store. A store that is damaged is refused: opened, it would end the process without a word. So another process
 * goes over its pages, which takes a second for some millions of reports.
 */
export async function checkStore(path: string): Promise<void> {
  await optionalModule('lmdb');
  let [isEmpty, isWhole] = [false, false];
  try {
    await mkdir(path, { recursive: true });
    const file = await openFile(join(path, 'data.mdb'), 'a+');
    try {
      // An empty file is a store that was only begun.
      isEmpty = (await file.stat()).size === 0;
      isWhole = isEmpty || (await isBegun(file));
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw fileRefusal('folder', 'one whose store can be read and written', path);
  }
  if (isEmpty) return;
  const walk = fileURLToPath(new URL('./walk.js', import.meta.url));
  isWhole &&= await promisify(execFile)(process.execPath, [walk, path]).then(
    () => true,
    ({ syscall }: NodeJS.ErrnoException) => syscall !== undefined,
  );
  if (!isWhole) throw fileRefusal('folder', 'one whose store is not damaged', path);
}

export interface Store {
  readonly root: RootDatabase<unknown, string>;
  /** What is known of the store as a whole. */
  readonly meta: Database<unknown, string>;
  /** Does something in one transaction, or nothing of it where it fails; over when it is on the disk. */
  written<Result>(does: () => Result): Promise<Result>;
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

/** The store in a folder, made if it is not there. It belongs to one plan and one form for ever; `begin` writes what a new one holds. */
export async function openStore(
  path: string,
  plan: string,
  form: string,
  begin: (meta: Database<unknown, string>) => void = () => undefined,
): Promise<Store> {
  const { open } = await optionalModule<typeof import('lmdb')>('lmdb');
  // Without overlapping a transaction is over when it is on the disk, and not before.
  const root: RootDatabase<unknown, string> = open({ path, overlappingSync: false, maxDbs: 4 });
  const meta: Database<unknown, string> = root.openDB({ name: 'meta', encoding: 'json' });
  // A transaction that fails throws here, where its reports wait, and nowhere else. All that arrives meanwhile waits for
  // the next one, which writes it together.
  const written = async <Result>(does: () => Result): Promise<Result> => {
    await new Promise((resolve) => setImmediate(resolve));
    return root.transactionSync(does);
  };
  const owner = await written(() => {
    if (meta.get('plan') === undefined) {
      meta.put('plan', plan);
      meta.put('form', form);
      begin(meta);
    }
    return meta.get('plan');
  });
  if (owner !== plan || meta.get('form') !== form) {
    const ofVersion = 'a store of this version: keep that of another one, and take a new folder';
    await root.close();
    throw new ReportError(`"folder" expected ${owner === plan ? ofVersion : `one of the plan ${plan}`}`);
  }
  return {
    root,
    meta,
    written,
    async shut() {
      await root.flushed;
      await root.close();
    },
  };
}

/** The state after an entry of the log. */
export interface Snapshot {
  readonly sequence: number;
  readonly state: Uint8Array;
}

/** What is kept of a tally: the numbers of counted reports, and the state. The others are 0 or empty without a cluster. */
export interface Kept {
  readonly counted: number;
  readonly countedInRound: number;
  /** When the last of the reports was accepted, in ms. */
  readonly time: number;
  /** The sequence of the last end of a round; 0 before the first. */
  readonly end: number;
  /** The sequences of reports that are not counted, since they stand after the end of their round or step. */
  readonly late: readonly number[];
  /** The server that led the stream that was read; empty where there is one. */
  readonly leader: string;
  readonly state: Uint8Array;
}

/** A tally before the first entry. */
export const NOTHING: Omit<Kept, 'leader' | 'state'> & { readonly sequence: number; readonly state: undefined } = {
  ...{ sequence: 0, counted: 0, countedInRound: 0, time: 0, end: 0, late: [], state: undefined },
};

/** The form of what is kept, which is in the hash: a state of another form is made again from the log, like a damaged one. */
const FORM = 'blocks, ends of rounds and leader';
/** Bytes of the hash before a kept state, and of the sequence after it. */
const [SEAL_BYTES, SEQUENCE_BYTES] = [32, 8];

/** A snapshot as bytes: its hash, the sequence and the state in one piece, so that they are kept together or not at all. */
export function sealed({ sequence, state }: Snapshot): Buffer {
  return Buffer.concat([sealOf(sequence, state), numberBytes(sequence), state]);
}

/** The snapshot in such bytes; undefined where they are damaged. */
export function unsealed(value: Uint8Array): Snapshot | undefined {
  if (value.length < SEAL_BYTES + SEQUENCE_BYTES) return undefined;
  const bytes = Buffer.from(value);
  const sequence = Number(bytes.readBigUInt64LE(SEAL_BYTES));
  const state = new Uint8Array(bytes.subarray(SEAL_BYTES + SEQUENCE_BYTES));
  return sealOf(sequence, state).equals(bytes.subarray(0, SEAL_BYTES)) ? { sequence, state } : undefined;
}

/** The state of a snapshot, from a fold and what is known of it. */
export function packed(
  fold: { save(): Uint8Array },
  known: Pick<Kept, 'counted' | 'countedInRound'> & Partial<Kept>,
): Uint8Array {
  const { counted, countedInRound, time = 0, end = 0, late = [], leader = '' } = known;
  return serialize({ counted, countedInRound, time, end, late, leader, state: fold.save() } satisfies Kept);
}

/** What {@link packed} put together. */
export function keptOf({ sequence, state }: Snapshot): Kept & Pick<Snapshot, 'sequence'> {
  const kept = deserialize(state) as Kept;
  return { ...kept, state: new Uint8Array(kept.state), sequence };
}

function sealOf(sequence: number, state: Uint8Array): Buffer {
  return createHash('sha256').update(FORM).update(numberBytes(sequence)).update(state).digest();
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(SEQUENCE_BYTES);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** A report as it arrived, and the mark of its player. */
export interface Marked {
  readonly mark: Uint8Array;
  readonly bytes: Uint8Array;
}

/** A report that may be written into the log, for the round in which it was read. Its mark is there at most once. */
export interface Offered extends Marked {
  readonly round: number;
}

export type Appended =
  | { readonly outcome: 'taken'; readonly sequence: number }
  | { readonly outcome: 'duplicate' | 'full' | 'closed' };

/** An entry of the log. `close` ends a round. Its partition is 0 where it is absent, and sequences are those of a partition. */
export type Entry = { readonly sequence: number; readonly partition?: number } & (
  | { readonly kind: 'report'; readonly bytes: Uint8Array }
  | { readonly kind: 'close' }
);

/** The accepted reports of a plan in order. It alone decides who is counted: report, mark and count are one transaction. */
export interface ReportLog {
  /** Writes the reports for the open round, at most so many in a round and each player once. The answers are in the order of the offers. */
  append(offers: readonly Offered[], most: number): Promise<readonly Appended[]>;
  /** Ends a round: its number in the log, or undefined where that round is not open any more. */
  close(round: number): Promise<number | undefined>;
  /** The entries after a number, in their order. */
  after(sequence: number): Iterable<Entry>;
  keep(snapshot: Snapshot): Promise<void>;
  /** The state that was kept last; undefined where there is none, or its bytes are damaged. */
  kept(): Snapshot | undefined;
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

const [REPORT, CLOSE] = [0, 1];
/** The form of a log. An entry is the checksum (CRC-32) of what follows, begun at its number; its kind, at this place; and the report. */
const ENTRIES = 'numbers, entries with a checksum';
const [KIND_AT, REPORT_AT] = [4, 5];

/** The log in a folder, made if it is not there. It belongs to one plan for ever. */
export async function openLog(folder: string, plan: string): Promise<ReportLog> {
  /** What the log knows besides its entries. */
  const first = { last: 0, round: 0, counted: 0 };
  type State = typeof first;
  const { root, meta, written, shut } = await openStore(join(folder, 'reports'), plan, ENTRIES, (begun) => {
    begun.put('state', first);
  });
  const entries: Database<Buffer, number> = root.openDB({ name: 'entries', keyEncoding: 'uint32', encoding: 'binary' });
  const marks: Database<Buffer, Buffer> = root.openDB({ name: 'marks', keyEncoding: 'binary', encoding: 'binary' });
  const stateNow = (): Readonly<State> => meta.get('state') as State;
  const missing = (): Error => new ReportError('"folder" expected one whose store has all its reports');
  const damaged = (): Error => new ReportError('"folder" expected one whose reports are not damaged');
  const file = (sequence: number, kind: number, bytes: Uint8Array): void => {
    const value = Buffer.allocUnsafe(REPORT_AT + bytes.length);
    value[KIND_AT] = kind;
    value.set(bytes, REPORT_AT);
    value.writeUInt32LE(crc32(value.subarray(KIND_AT), sequence));
    entries.put(sequence, value);
  };
  return {
    append: (offers, most) =>
      written(() => {
        const state = { ...stateNow() };
        const answers = offers.map(({ round, mark, bytes }): Appended => {
          if (state.round !== round) return { outcome: 'closed' };
          const key = Buffer.from(mark);
          if (marks.doesExist(key)) return { outcome: 'duplicate' };
          if (state.counted >= most) return { outcome: 'full' };
          state.counted++;
          const sequence = ++state.last;
          marks.put(key, Buffer.alloc(0));
          file(sequence, REPORT, bytes);
          return { outcome: 'taken', sequence };
        });
        meta.put('state', state);
        return answers;
      }),
    close: (round) =>
      written(() => {
        const state = stateNow();
        if (state.round !== round) return undefined;
        const last = state.last + 1;
        file(last, CLOSE, new Uint8Array(0));
        meta.put('state', { last, round: round + 1, counted: 0 } satisfies State);
        return last;
      }),
    *after(sequence) {
      const { last } = stateNow();
      let before = sequence;
      for (const { key, value } of entries.getRange({ start: sequence + 1 })) {
        if (key !== before + 1) throw missing();
        before = key;
        if (value.length < REPORT_AT || crc32(value.subarray(KIND_AT), key) !== value.readUInt32LE()) throw damaged();
        // A copy: the value is memory of the store.
        const bytes = new Uint8Array(value.subarray(REPORT_AT));
        yield value[KIND_AT] === CLOSE ? { sequence: key, kind: 'close' } : { sequence: key, kind: 'report', bytes };
      }
      if (before < last) throw missing();
    },
    async keep(snapshot) {
      await written(() => {
        entries.put(0, sealed(snapshot));
      });
    },
    kept() {
      const value = entries.get(0);
      return value === undefined ? undefined : unsealed(value);
    },
    shut,
  };
}
