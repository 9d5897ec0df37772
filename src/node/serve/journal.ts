import { join } from 'node:path';
import type { Database } from 'lmdb';
import { openStore } from './store.ts';

/** A report that stands in a partition of a cluster. */
export interface Receipted {
  readonly partition: number;
  readonly mark: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * What a collector before a cluster has given receipts for: the reports themselves, on its own disk. So what the servers of
 * the cluster lose in spite of their agreement can be offered again.
 */
export interface Journal {
  /**
   * Writes reports, each player once; over when they are on the disk.
   *
   * @throws whatever the disk says: then there must be no receipt.
   */
  write(reports: readonly Receipted[]): Promise<void>;
  /** The number of reports of a partition. */
  count(partition: number): number;
  /** At most so many reports of a partition in the order of their marks, from the first after a mark on. */
  after(partition: number, mark: Uint8Array | undefined, most: number): readonly Receipted[];
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

/** Bytes of the partition before a mark. */
const PARTITION_BYTES = 2;

/**
 * The journal in a folder, made if it is not there. It belongs to one plan for ever; collectors on one machine may share it.
 *
 * @throws ReportError for the folder of another plan; Error where the package `lmdb` is not installed.
 */
export async function openJournal(folder: string, plan: string): Promise<Journal> {
  const { root, written, shut } = await openStore(join(folder, 'journal'), plan);
  const reports: Database<Buffer, Buffer> = root.openDB({ name: 'reports', keyEncoding: 'binary', encoding: 'binary' });
  let waiting: (readonly [Buffer, Uint8Array])[] = [];
  let next: Promise<void> | undefined;
  const counts = new Map<number, number>();
  const count = (partition: number): number => {
    const known = counts.get(partition) ?? reports.getKeysCount({ start: keyOf(partition), end: keyOf(partition + 1) });
    counts.set(partition, known);
    return known;
  };

  /** All that has come by then, in one transaction. */
  function writeAll(): Promise<void> {
    if (next !== undefined) return next;
    const batch = written(() => {
      next = undefined;
      const now = waiting;
      waiting = [];
      for (const [key, bytes] of now) {
        if (reports.doesExist(key)) continue;
        const partition = key.readUInt16BE();
        counts.set(partition, count(partition) + 1);
        reports.put(key, Buffer.from(bytes));
      }
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
      for (const { partition, mark, bytes } of receipted) waiting.push([keyOf(partition, mark), bytes]);
      await writeAll();
    },
    count,
    after(partition, mark, limit) {
      // The first key after that of the mark is the same with one more byte.
      const start = mark === undefined ? keyOf(partition) : keyOf(partition, Buffer.concat([mark, Buffer.of(0)]));
      const found = reports.getRange({ start, end: keyOf(partition + 1), limit });
      // Copies: keys and values are memory of the store.
      return Array.from(found, ({ key, value }) => ({
        partition,
        mark: new Uint8Array(key.subarray(PARTITION_BYTES)),
        bytes: new Uint8Array(value),
      }));
    },
    shut,
  };
}

function keyOf(partition: number, mark?: Uint8Array): Buffer {
  const start = Buffer.alloc(PARTITION_BYTES);
  start.writeUInt16BE(partition);
  return mark === undefined ? start : Buffer.concat([start, mark]);
}
