import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'lmdb';
import { type Frames, framesIn, framesOf } from './frames.ts';
import { openStore } from './store.ts';

/** A report that stands in a partition of a cluster. */
export interface Receipted {
  readonly partition: number;
  readonly mark: Uint8Array;
  readonly bytes: Uint8Array;
  /** Whether the receipt said that its player was there already. */
  readonly duplicate: boolean;
}

/** A report of a journal. */
export type Journaled = Pick<Receipted, 'mark' | 'bytes'>;

/**
 * What a collector before a cluster has given receipts for: the reports themselves, on its own disk. So what the servers of
 * the cluster lose in spite of their agreement can be offered again.
 */
export interface Journal {
  /**
   * Writes reports; over when they are on the disk. Those of duplicates are written once for each player, so that a journal has a
   * player twice at most.
   *
   * @throws whatever the disk says: then there must be no receipt.
   */
  write(reports: readonly Receipted[]): Promise<void>;
  /** The number of reports of a partition. */
  count(partition: number): number;
  /** The reports of a partition that are on the disk now, at most so many at once. */
  read(partition: number, most: number): AsyncIterable<readonly Journaled[]>;
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

/** The names of files of frames begin so. */
const FILE = 'reports-';
/** Bytes of a report in a frame besides mark and report: the partition and both lengths. */
const FIELDS = 7;

/**
 * The journal in a folder, made if it is not there. It belongs to one plan for ever; collectors on one machine may share it. New reports
 * stand in a file of frames, which each process begins anew and only adds to: one flush for all that waits, and nothing is
 * sought. Those of duplicates stand by their marks in an LMDB store, which looks whether they are there.
 *
 * @throws ReportError for the folder of another plan; Error where the package `lmdb` is not installed.
 */
export async function openJournal(folder: string, plan: string): Promise<Journal> {
  const path = join(folder, 'journal');
  const { root, written, shut } = await openStore(path, plan);
  const duplicates: Database<Buffer, Buffer> = root.openDB({
    name: 'reports',
    keyEncoding: 'binary',
    encoding: 'binary',
  });
  const counts = new Map<number, number>();
  const add = (partition: number, more: number): void =>
    void counts.set(partition, (counts.get(partition) ?? 0) + more);
  let frames: Promise<Frames> | undefined;

  /** The file of this process, with its first report. */
  function file(): Promise<Frames> {
    if (frames === undefined) {
      const made = makeFile(path);
      made.catch(() => {
        frames = undefined;
      });
      frames = made;
    }
    return frames;
  }

  async function writeNew(reports: readonly Receipted[]): Promise<void> {
    if (reports.length === 0) return;
    await (await file()).write(packed(reports));
    for (const { partition } of reports) add(partition, 1);
  }

  async function writeDuplicates(reports: readonly Receipted[]): Promise<void> {
    const isNew = (one: Receipted): boolean => !duplicates.doesExist(keyOf(one.partition, one.mark));
    if (!reports.some(isNew)) return;
    await written(() => {
      for (const one of reports.filter(isNew)) {
        add(one.partition, 1);
        const value = Buffer.concat([Buffer.of(one.mark.length), one.mark, one.bytes]);
        duplicates.put(keyOf(one.partition, one.mark), value);
      }
    });
  }

  /** The duplicates of a partition after a key. */
  const after = (partition: number, key: Buffer | undefined, limit: number): readonly (Journaled & { key: Buffer })[] =>
    // The first key after another one is the same with one more byte. Copies: keys and values are memory of the store.
    Array.from(
      duplicates.getRange({
        ...{ start: key === undefined ? keyOf(partition) : Buffer.concat([key, Buffer.of(0)]) },
        ...{ end: keyOf(partition + 1), limit },
      }),
      ({ key: place, value }) => ({
        key: Buffer.from(place),
        mark: new Uint8Array(value.subarray(1, 1 + value[0])),
        bytes: new Uint8Array(value.subarray(1 + value[0])),
      }),
    );

  for (const name of await filesOf(path)) {
    for await (const frame of framesOf(name)) for (const { partition } of unpacked(frame)) add(partition, 1);
  }
  for (const key of duplicates.getKeys()) add(key.readUInt16BE(), 1);
  return {
    async write(reports) {
      await Promise.all([
        writeNew(reports.filter(({ duplicate }) => !duplicate)),
        writeDuplicates(reports.filter(({ duplicate }) => duplicate)),
      ]);
    },
    count: (partition) => counts.get(partition) ?? 0,
    async *read(partition, most) {
      let some: Journaled[] = [];
      for (const name of await filesOf(path)) {
        for await (const frame of framesOf(name)) {
          for (const one of unpacked(frame)) {
            if (one.partition === partition) some.push({ mark: one.mark, bytes: one.bytes });
            if (some.length < most) continue;
            yield some;
            some = [];
          }
        }
      }
      if (some.length > 0) yield some;
      for (let last: Buffer | undefined; ; ) {
        const found = after(partition, last, most);
        if (found.length === 0) return;
        last = found[found.length - 1].key;
        yield found;
      }
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
  try {
    await keepNames(folder);
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

/** Writes the names of a folder through to the disk. */
async function keepNames(folder: string): Promise<void> {
  // Windows has no such call, and keeps the names of files in a log of its own.
  if (process.platform === 'win32') return;
  const names = await open(folder);
  try {
    await names.sync();
  } finally {
    await names.close();
  }
}

/** Reports one after the other: partition, lengths of mark and report, mark, report. */
function packed(reports: readonly Receipted[]): Uint8Array {
  const size = reports.reduce((sum, { mark, bytes }) => sum + FIELDS + mark.length + bytes.length, 0);
  const all = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { partition, mark, bytes } of reports) {
    all.writeUInt16LE(partition, at);
    all[at + 2] = mark.length;
    all.writeUInt32LE(bytes.length, at + 3);
    all.set(mark, at + FIELDS);
    all.set(bytes, at + FIELDS + mark.length);
    at += FIELDS + mark.length + bytes.length;
  }
  return all;
}

/** What {@link packed} put together, as parts of the same memory. */
function* unpacked(all: Buffer): Iterable<Pick<Receipted, 'partition' | 'mark' | 'bytes'>> {
  for (let at = 0; at < all.length; ) {
    const from = at + FIELDS + all[at + 2];
    const to = from + all.readUInt32LE(at + 3);
    yield { partition: all.readUInt16LE(at), mark: all.subarray(at + FIELDS, from), bytes: all.subarray(from, to) };
    at = to;
  }
}

/** The key of a duplicate, or the beginning of those of a partition. */
function keyOf(partition: number, mark: Uint8Array = new Uint8Array(0)): Buffer {
  const key = Buffer.alloc(2 + mark.length);
  key.writeUInt16BE(partition);
  key.set(mark, 2);
  return key;
}
