import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Database } from 'lmdb';
import { partitionOf } from './cluster-log.ts';
import { type Marked, openStore } from './log.ts';

/**
 * A file of frames that only grows. A frame is a head of 16 bytes, and its bytes; all that waits for the disk at once is one frame, and is
 * flushed by one call. The head is four letters, the length of the bytes, their checksum (CRC-32), and one of these
 * and of the place of the frame in the file. An empty frame ends a file.
 */
export interface Frames {
  /** Writes bytes at the end; over when they are on the disk. Where that fails, what comes next stands in their place. */
  write(bytes: Uint8Array): Promise<void>;
  /** Waits for all that was written, says that it is all, and closes the file. */
  shut(): Promise<void>;
}

const LETTERS = Buffer.from('ldpj');
const HEAD = 16;
/** A frame takes more until it has so many bytes. */
const FULL = 8 << 20;
const CHUNK = 1 << 20;
const ADVICE = 'put a copy of the file in its place, or move it away to go on without the reports in it';

interface Waiting {
  readonly bytes: Uint8Array;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export type GrowingFile = Pick<FileHandle, 'write' | 'datasync' | 'close'>;

/** The frames of a file that is open and empty, and that nobody else writes. */
export function framesIn(file: GrowingFile): Frames {
  const waiting: Waiting[] = [];
  let writing = Promise.resolve();
  let busy = false;
  let end = 0;

  async function writeAll(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      let [count, size] = [0, 0];
      while (count < waiting.length && size < FULL) size += waiting[count++].bytes.length;
      const now = waiting.splice(0, count);
      try {
        const frame = frameOf(now, end);
        // A call may write a part of the bytes.
        for (let at = 0; at < frame.length; ) {
          at += (await file.write(frame, at, frame.length - at, end + at)).bytesWritten;
        }
        await file.datasync();
        end += frame.length;
        for (const { done } of now) done();
      } catch (error) {
        for (const { failed } of now) failed(error);
      }
    }
    // In the same turn as the last look: nobody who comes now waits for nothing.
    busy = false;
  }

  function write(bytes: Uint8Array): Promise<void> {
    return new Promise((done, failed) => {
      waiting.push({ bytes, done, failed });
      if (!busy) writing = writeAll();
    });
  }

  return {
    write,
    async shut() {
      await writing;
      try {
        await write(new Uint8Array(0));
      } finally {
        await file.close();
      }
    },
  };
}

/**
 * The bytes of the frames of a file in their order, up to the first that is not whole: a write was cut short there, or is
 * under way. It fails where bits have changed: a whole frame comes after that one, or the file begins in another way.
 */
export async function* framesOf(path: string): AsyncIterable<Buffer> {
  const damaged = (): Error => new Error(`${path}: a frame is damaged, and not the last one; ${ADVICE}`);
  let rest: Buffer = Buffer.alloc(0);
  /** Where the rest begins in the file. */
  let place = 0;
  let broken = false;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    // The letters, or what a disk shows of a write that it has lost: a file cannot have been begun here in another way.
    if (place === 0 && rest.length >= 4 && rest.readUInt32LE() !== 0 && !LETTERS.equals(rest.subarray(0, 4))) {
      throw damaged();
    }
    let at = 0;
    for (;;) {
      // A length may be what has changed, so a whole frame is looked for everywhere.
      if (broken) at = nextLetters(rest, at);
      if (rest.length < at + HEAD) break;
      const end = at + HEAD + rest.readUInt32LE(at + 4);
      const isHead =
        rest.compare(LETTERS, 0, LETTERS.length, at, at + LETTERS.length) === 0 &&
        rest.readUInt32LE(at + 12) === checkOf(rest.subarray(at, at + 12), place + at);
      if (isHead && rest.length < end) break;
      const bytes = rest.subarray(at + HEAD, end);
      if (isHead && crc32(bytes) === rest.readUInt32LE(at + 8)) {
        if (broken) throw damaged();
        if (bytes.length > 0) yield bytes;
        at = end;
      } else {
        broken = true;
        at++;
      }
    }
    rest = rest.subarray(at);
    place += at;
  }
}

/** Where letters are next, or may begin at the end. */
function nextLetters(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(LETTERS, from);
  return found === -1 ? Math.max(from, bytes.length - LETTERS.length + 1) : found;
}

function frameOf(parts: readonly Waiting[], place: number): Buffer {
  const frame = Buffer.concat([new Uint8Array(HEAD), ...parts.map(({ bytes }) => bytes)]);
  const bytes = frame.subarray(HEAD);
  frame.set(LETTERS);
  frame.writeUInt32LE(bytes.length, 4);
  frame.writeUInt32LE(crc32(bytes), 8);
  frame.writeUInt32LE(checkOf(frame.subarray(0, 12), place), 12);
  return frame;
}

/** What ends a head, from its first 12 bytes and the place of the frame. */
function checkOf(first: Buffer, place: number): number {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(place);
  return crc32(bytes, crc32(first));
}

export interface Journaled extends Marked {
  /** Where it stood in its partition when it was written: where the servers have lost reports it may stand elsewhere. */
  readonly sequence: number;
}

/** A report that stands in its partition, and what its receipt says. */
export interface Receipted extends Journaled {
  /** Whether the receipt says that its player was there already. */
  readonly duplicate: boolean;
}

/** The reports that a collector of a cluster has given receipts for: what servers lose can be offered again. */
export interface Journal {
  /** Writes reports, or throws, and then there is no receipt; those of duplicates once for each player. */
  write(reports: readonly Receipted[]): Promise<void>;
  count(partition: number): number;
  /** The reports of some partitions that are on the disk now, read once for all of them: so many of one partition at once. */
  read(
    partitions: ReadonlySet<number>,
    most: number,
  ): AsyncIterable<{ readonly partition: number; readonly reports: readonly Journaled[] }>;
  shut(): Promise<void>;
}

const FILE = 'reports-';
/** The form of a journal: others cannot be read. */
const FORM = 'frames with places, sequences of reports';
/** So many duplicates are read at once. */
const GROUP = 10_000;
const SEQUENCE = 6;
/** Bytes of a report in a frame besides mark and report: the sequence and both lengths. */
const FIELDS = SEQUENCE + 5;

/**
 * The journal in a folder, made if it is not there. It belongs to one plan with so many partitions for ever; collectors on one
 * machine may share it. New reports stand in a file of frames, which each process begins anew and only adds to: one flush for all
 * that waits, and nothing is sought. Those of duplicates stand by their marks in an LMDB store, which looks whether they are there.
 */
export async function openJournal(folder: string, plan: string, partitions: number): Promise<Journal> {
  const path = join(folder, 'journal');
  const { root, written, shut } = await openStore(path, plan, FORM);
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const duplicates: Database<Buffer, Buffer> = root.openDB({ name: 'duplicates', ...binary });
  const counts = new Array<number>(partitions).fill(0);
  let frames: Promise<Frames> | undefined;

  async function writeNew(reports: readonly Receipted[]): Promise<void> {
    if (reports.length === 0) return;
    // The file of this process, with its first report.
    frames ??= makeFile(path).catch((error: unknown) => {
      frames = undefined;
      throw error;
    });
    await (await frames).write(packed(reports));
    for (const { mark } of reports) counts[partitionOf(mark, partitions)]++;
  }

  async function writeDuplicates(reports: readonly Receipted[]): Promise<void> {
    const isNew = ({ mark }: Receipted): boolean => !duplicates.doesExist(Buffer.from(mark));
    if (!reports.some(isNew)) return;
    await written(() => {
      for (const { mark, sequence, bytes } of reports.filter(isNew)) {
        counts[partitionOf(mark, partitions)]++;
        const value = Buffer.concat([new Uint8Array(SEQUENCE), bytes]);
        value.writeUIntLE(sequence, 0, SEQUENCE);
        duplicates.put(Buffer.from(mark), value);
      }
    });
  }

  /** All reports in the files, and then those of duplicates. */
  async function* all(most: number): AsyncIterable<Iterable<Journaled>> {
    for (const name of await filesOf(path)) for await (const frame of framesOf(name)) yield unpacked(frame);
    // The first key after another one is the same with one more byte.
    for (let start = Buffer.alloc(0); ; ) {
      // Copies: keys and values are memory of the store.
      const some = Array.from(duplicates.getRange({ start, limit: most }), ({ key, value }) => ({
        mark: Buffer.from(key),
        sequence: value.readUIntLE(0, SEQUENCE),
        bytes: Buffer.from(value.subarray(SEQUENCE)),
      }));
      if (some.length === 0) return;
      start = Buffer.concat([some[some.length - 1].mark, Buffer.of(0)]);
      yield some;
    }
  }

  for await (const some of all(GROUP)) for (const { mark } of some) counts[partitionOf(mark, partitions)]++;
  return {
    async write(reports) {
      await Promise.all([
        writeNew(reports.filter(({ duplicate }) => !duplicate)),
        writeDuplicates(reports.filter(({ duplicate }) => duplicate)),
      ]);
    },
    count: (partition) => counts[partition],
    async *read(wanted, most) {
      const groups = new Map<number, Journaled[]>();
      for await (const some of all(most)) {
        for (const one of some) {
          const partition = partitionOf(one.mark, partitions);
          if (!wanted.has(partition)) continue;
          const reports = groups.get(partition) ?? [];
          groups.set(partition, reports);
          if (reports.push(one) < most) continue;
          groups.delete(partition);
          yield { partition, reports };
        }
      }
      for (const [partition, reports] of groups) yield { partition, reports };
    },
    async shut() {
      await (await frames)?.shut();
      await shut();
    },
  };
}

/** The files of frames in a folder, the oldest first. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(FILE));
  return names.sort().map((name) => join(folder, name));
}

/** A new file of frames in a folder, which is on the disk with its name. */
async function makeFile(folder: string): Promise<Frames> {
  const file = await newFile(folder);
  // Windows has no such call, and keeps the names of files in a log of its own.
  if (process.platform === 'win32') return framesIn(file);
  try {
    const names = await open(folder);
    await names.sync().finally(() => names.close());
  } catch (error) {
    await file.close();
    throw error;
  }
  return framesIn(file);
}

/** The next file of a folder, which no other collector has. */
async function newFile(folder: string): Promise<FileHandle> {
  for (let number = (await filesOf(folder)).length + 1; ; number++) {
    const path = join(folder, `${FILE}${`${number}`.padStart(8, '0')}`);
    try {
      return await open(path, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Reports one after the other: sequence, lengths of mark and report, mark, report. */
function packed(reports: readonly Receipted[]): Uint8Array {
  const size = reports.reduce((sum, { mark, bytes }) => sum + FIELDS + mark.length + bytes.length, 0);
  const all = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { sequence, mark, bytes } of reports) {
    at = all.writeUIntLE(sequence, at, SEQUENCE);
    at = all.writeUInt8(mark.length, at);
    at = all.writeUInt32LE(bytes.length, at);
    all.set(mark, at);
    all.set(bytes, at + mark.length);
    at += mark.length + bytes.length;
  }
  return all;
}

/** What {@link packed} put together, as parts of the same memory. */
function* unpacked(all: Buffer): Iterable<Journaled> {
  for (let at = 0; at < all.length; ) {
    const from = at + FIELDS + all[at + SEQUENCE];
    const to = from + all.readUInt32LE(at + SEQUENCE + 1);
    yield {
      sequence: all.readUIntLE(at, SEQUENCE),
      mark: all.subarray(at + FIELDS, from),
      bytes: all.subarray(from, to),
    };
    at = to;
  }
}
