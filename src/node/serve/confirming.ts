import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterLog, found, partitionOf } from './cluster-log.ts';
import type { Journal, Journaled, Receipted } from './journal.ts';

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
  /** How often another server has led a partition, or none, as far as is known: to be read before reports are offered. */
  readonly changes: number;
  /**
   * Keeps reports that have been accepted, before their receipts; `since` are the changes before they were offered.
   *
   * @throws whatever the disk says.
   */
  keep(reports: readonly Omit<Receipted, 'partition'>[], since: number): Promise<void>;
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
  let changes = 0;
  /** For each partition whether its journal has reports that may have been accepted by a leader before the present one. */
  const behind = new Array<boolean>(log.partitions).fill(true);
  /** For each partition the reports that cannot be counted any more. */
  const lost = new Array<number>(log.partitions).fill(0);

  /** What became of a report: whether it is counted by now, was offered again, or its player is there with another one. */
  async function look({ mark, bytes }: Journaled) {
    const there = await log.find(mark);
    const written = there === undefined ? await log.restore(mark, bytes) : undefined;
    const { sequence, bytes: stands } =
      there ?? (written === undefined ? await found(log, { mark }) : { sequence: written, bytes });
    const other = Buffer.compare(stands, bytes) !== 0;
    return { counted: await isCounted(sequence), again: there === undefined, other };
  }

  /** Looks for all reports of a partition. */
  async function lookForAll(partition: number): Promise<void> {
    let [uncounted, again, others] = [0, 0, 0];
    try {
      for await (const some of journal.read(partition, TOGETHER)) {
        if (signal.aborted) break;
        for (const one of await Promise.all(some.map(look))) {
          if (!one.counted) uncounted++;
          if (one.again) again++;
          if (one.other) others++;
        }
      }
    } finally {
      if (again > 0)
        tell(`partition ${partition}: ${again} reports with a receipt were missing, and are offered again`);
    }
    if (others > 0) tell(`partition ${partition}: ${others} players are there with another report of theirs`);
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
        if (leader !== before) changes++;
        if (leader !== confirmed[partition]) {
          confirmed[partition] = undefined;
          // One that has led for a moment: before, it may still be reading its log.
          if (leader === before) {
            behind[partition] = false;
            await lookForAll(partition);
            if ((await log.leader(partition)) === leader && !behind[partition]) confirmed[partition] = leader;
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
        changes++;
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
    get changes() {
      return changes;
    },
    async keep(reports, since) {
      await journal.write(reports.map((one) => ({ ...one, partition: partitionOf(one.mark, log.partitions) })));
      if (changes === since) return;
      // A leader that has gone may have accepted them, and the journal was looked through without them.
      behind.fill(true);
      confirmed.fill(undefined);
    },
    async stop() {
      ending.abort();
      await Promise.all(watching);
      await journal.shut();
    },
  };
}
