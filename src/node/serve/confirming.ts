import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterLog, partitionOf } from './cluster-log.ts';
import type { Journal, Receipted } from './journal.ts';

/** How a journal is held against a cluster. */
export interface ConfirmingOptions {
  /** How often the leaders of partitions are asked for, in ms. Default: 1000. */
  readonly every?: number;
  /** Whether the report of a sequence is counted there. Default: every one is. */
  readonly isCounted?: (sequence: number) => Promise<boolean>;
  /** Told what was found, in words. */
  readonly tell: (text: string) => void;
}

/** The journal of a collector, as it is held against the cluster. */
export interface Confirming {
  /**
   * The number of reports with a receipt of this journal that have not been seen in the cluster since a server leads their
   * partition; they are being looked for. 0 says that nothing is lost.
   */
  readonly unconfirmed: number;
  /**
   * Keeps reports that have been accepted, before their receipts.
   *
   * @throws whatever the disk says.
   */
  keep(reports: readonly Omit<Receipted, 'partition'>[]): Promise<void>;
  stop(): Promise<void>;
}

/** Leaders are asked for so often, in ms: a new one is elected after 4 s at the earliest, so that none is missed. */
const EVERY = 1000;
/** Reports that are looked for together. */
const TOGETHER = 500;

/**
 * Holds a journal against a cluster: at the start, and whenever another server leads a partition, or the same one after a while
 * without. Each report of the journal is then looked for at the server that leads, and offered again where it is missing, under the
 * same condition as ever: so it is counted once, whoever else offers it.
 *
 * Law: a report with a receipt of this journal is in its partition, unless `unconfirmed` is above 0, or the server that leads
 * was replaced in the last moments (`every`, and what an answer takes).
 */
export function confirm(log: ClusterLog, journal: Journal, options: ConfirmingOptions): Confirming {
  const { every = EVERY, tell, isCounted = async () => true } = options;
  const ending = new AbortController();
  const { signal } = ending;
  /** For each partition the leader that has everything; undefined where that is not known. */
  const confirmed: (string | undefined)[] = Array.from({ length: log.partitions });
  /** For each partition the reports that cannot be counted any more. */
  const lost = new Array<number>(log.partitions).fill(0);

  /** Whether a report is counted in the cluster by now; and whether it was offered again. */
  async function look({ mark, bytes }: Receipted): Promise<{ readonly counted: boolean; readonly again: boolean }> {
    const found = await log.find(mark);
    const place = found?.sequence ?? (await log.restore(mark, bytes)) ?? (await log.find(mark))?.sequence;
    if (place === undefined) throw new Error('the servers have not agreed yet');
    return { counted: await isCounted(place), again: found === undefined };
  }

  /** Looks for all reports of a partition. */
  async function lookForAll(partition: number): Promise<void> {
    let [uncounted, again] = [0, 0];
    let last: Uint8Array | undefined;
    try {
      while (!signal.aborted) {
        const some = journal.after(partition, last, TOGETHER);
        if (some.length === 0) break;
        last = some[some.length - 1].mark;
        for (const one of await Promise.all(some.map(look))) {
          if (!one.counted) uncounted++;
          if (one.again) again++;
        }
      }
    } finally {
      if (again > 0)
        tell(`partition ${partition}: ${again} reports with a receipt were missing, and are offered again`);
    }
    if (uncounted > lost[partition]) {
      tell(`partition ${partition}: ${uncounted} reports with a receipt are lost: their round or step is over`);
    }
    lost[partition] = uncounted;
  }

  async function watch(partition: number): Promise<void> {
    let before: string | undefined;
    let told: string | undefined;
    while (!signal.aborted) {
      try {
        const leader = await log.leader(partition);
        if (leader !== confirmed[partition]) {
          confirmed[partition] = undefined;
          // One that has led for a moment: before, it may still be reading its log.
          if (leader === before) {
            await lookForAll(partition);
            if ((await log.leader(partition)) === leader) confirmed[partition] = leader;
          }
        }
        before = leader;
      } catch (error) {
        const { message } = error as Error;
        if (message !== told) tell(`partition ${partition}: ${message}`);
        told = message;
        // Whoever leads next may have lost something.
        before = undefined;
        confirmed[partition] = undefined;
      }
      await pause(every, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const watching = confirmed.map((_, partition) => watch(partition));
  return {
    get unconfirmed() {
      return confirmed.reduce(
        (sum, leader, partition) => sum + (leader === undefined ? journal.count(partition) : lost[partition]),
        0,
      );
    },
    keep: (reports) =>
      journal.write(reports.map((one) => ({ ...one, partition: partitionOf(one.mark, log.partitions) }))),
    async stop() {
      ending.abort();
      await Promise.all(watching);
      await journal.shut();
    },
  };
}
