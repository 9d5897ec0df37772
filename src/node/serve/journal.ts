import { join } from 'node:path';
import type { Database } from 'lmdb';
import { openStore } from './store.ts';

/** A report that stands in a partition of a cluster. */
export interface Receipted {
  readonly partition: number;
  readonly mark: Uint8Array;
  readonly bytes: Uint8Array;
  /** Whether the receipt said that its player was there already. */
  readonly duplicate: boolean;
}

/** A report of a journal, and its place there. */
export interface Journaled extends Pick<Receipted, 'mark' | 'bytes'> {
  readonly key: Uint8Array;
}

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
  /** At most so many reports of a partition, from the first after a key on. */
  after(partition: number, key: Uint8Array | undefined, most: number): readonly Journaled[];
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

/** The byte of a key after its partition: reports in their order, or those of duplicates by their marks. */
const [IN_ORDER, BY_MARK] = [0, 1];
/** Bytes of a key with a number. */
const NUMBERED = 7;

/**
 * The journal in a folder, made if it is not there. It belongs to one plan for ever; collectors on one machine may share it.
 *
 * @throws ReportError for the folder of another plan; Error where the package `lmdb` is not installed.
 */
export async function openJournal(folder: string, plan: string): Promise<Journal> {
  const { root, written, shut } = await openStore(join(folder, 'journal'), plan);
  const reports: Database<Buffer, Buffer> = root.openDB({ name: 'reports', keyEncoding: 'binary', encoding: 'binary' });
  let waiting: Receipted[] = [];
  let next: Promise<void> | undefined;
  const counts = new Map<number, number>();
  const count = (partition: number): number => {
    const known = counts.get(partition) ?? reports.getKeysCount({ start: keyOf(partition), end: keyOf(partition + 1) });
    counts.set(partition, known);
    return known;
  };

  /** The number of the last report of a partition that was written in order. */
  function last(partition: number): number {
    const range = { start: keyOf(partition, BY_MARK), end: keyOf(partition), reverse: true, limit: 1 };
    for (const key of reports.getKeys(range)) if (key.length === NUMBERED) return key.readUInt32BE(NUMBERED - 4);
    return 0;
  }

  /** Writes in order: that is, at the end of the store's pages, which are few then. */
  function writeNow(now: readonly Receipted[]): void {
    const numbers = new Map<number, number>();
    for (const { partition, mark, bytes, duplicate } of now) {
      const number = numbers.get(partition) ?? last(partition);
      const key = duplicate ? keyOf(partition, BY_MARK, mark) : keyOf(partition, IN_ORDER, number + 1);
      if (duplicate && reports.doesExist(key)) continue;
      if (!duplicate) numbers.set(partition, number + 1);
      counts.set(partition, count(partition) + 1);
      reports.put(key, Buffer.concat([Buffer.of(mark.length), mark, bytes]));
    }
  }

  /** All that has come by then, in one transaction. */
  function writeAll(): Promise<void> {
    if (next !== undefined) return next;
    const batch = written(() => {
      next = undefined;
      const now = waiting;
      waiting = [];
      writeNow(now);
    });
    // One that did not begin is not joined by who comes later.
    batch.catch(() => {
      if (next === batch) next = undefined;
    });
    next = batch;
    return batch;
  }

  return {
    async write(receipted) {
      if (receipted.length === 0) return;
      waiting.push(...receipted);
      await writeAll();
    },
    count,
    after(partition, key, limit) {
      // The first key after another one is the same with one more byte.
      const start = key === undefined ? keyOf(partition) : Buffer.concat([key, Buffer.of(0)]);
      const found = reports.getRange({ start, end: keyOf(partition + 1), limit });
      // Copies: keys and values are memory of the store.
      return Array.from(found, ({ key: place, value }) => ({
        key: new Uint8Array(place),
        mark: new Uint8Array(value.subarray(1, 1 + value[0])),
        bytes: new Uint8Array(value.subarray(1 + value[0])),
      }));
    },
    shut,
  };
}

/** A key, or the beginning of those of a partition. */
function keyOf(partition: number, kind?: number, of?: number | Uint8Array): Buffer {
  const start = Buffer.alloc(2);
  start.writeUInt16BE(partition);
  if (kind === undefined) return start;
  if (typeof of !== 'number') return Buffer.concat([start, Buffer.of(kind), of ?? Buffer.alloc(0)]);
  const key = Buffer.alloc(NUMBERED);
  key.writeUInt16BE(partition);
  key[2] = kind;
  key.writeUInt32BE(of, NUMBERED - 4);
  return key;
}
