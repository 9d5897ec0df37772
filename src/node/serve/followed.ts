import type { ClusterLog } from './cluster-log.ts';
import type { Fold } from './fold.ts';
import type { Added } from './fold-entries.ts';
import { type Growing, tallyPartition } from './tally-worker.ts';

/** How long an entry that was written may take until it is read, in ms. */
const PATIENCE = 10_000;
/** So many entries that were not counted are remembered for those who wait for them. */
const REMEMBERED = 100_000;

/** A stream as one process reads it, from its first entry on. */
export interface Followed {
  /** The state after all that has been read. */
  readonly tally: Growing;
  /** Why nothing more is read; undefined while all is well. */
  readonly broken: Error | undefined;
  /**
   * What became of the entry of a sequence, once it has been read.
   *
   * @throws Error where it does not come in time, or the stream has lost entries.
   */
  outcome(sequence: number): Promise<Added>;
  stop(): Promise<void>;
}

/**
 * Follows the stream of a cluster with one partition. It is a worker too (`tallyPartition`): it begins at the state that was
 * kept last, and keeps what it has.
 */
export async function follow(
  log: ClusterLog,
  makeFold: (saved?: Uint8Array) => Fold,
  failed?: (text: string) => void,
): Promise<Followed> {
  const ending = new AbortController();
  let tally: Growing | undefined;
  let broken: Error | undefined;
  const uncounted = new Map<number, Added>();
  const waiting = new Map<number, Set<(error?: Error) => void>>();
  const failAll = (error: Error): void => {
    for (const all of waiting.values()) for (const wake of all) wake(error);
    waiting.clear();
  };

  function read(sequence: number): Promise<void> {
    if (broken !== undefined) return Promise.reject(broken);
    if ((tally?.sequence ?? 0) >= sequence) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const all = waiting.get(sequence) ?? new Set();
      waiting.set(sequence, all);
      const wake = (error?: Error): void => {
        clearTimeout(timer);
        all.delete(wake);
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = setTimeout(() => wake(new Error('the stream is not read in time')), PATIENCE);
      all.add(wake);
    });
  }

  let working: Promise<unknown> | undefined;
  await new Promise<void>((resolve, reject) => {
    const begun = (now: Growing): void => {
      tally = now;
      uncounted.clear();
      // What was waited for stands elsewhere by now, or nowhere.
      failAll(new Error('the stream has lost entries'));
      resolve();
    };
    const grown = (sequence: number, added: Added): void => {
      if (added.outcome !== 'counted') uncounted.set(sequence, added);
      if (uncounted.size > REMEMBERED) uncounted.delete(uncounted.keys().next().value as number);
      for (const wake of waiting.get(sequence) ?? []) wake();
      waiting.delete(sequence);
    };
    const options = { signal: ending.signal, begun, grown, ...(failed === undefined ? {} : { failed }) };
    working = tallyPartition(log, 0, makeFold, options).catch(({ message }: Error) => {
      // The store has failed, not the reports of those who wait.
      broken = new Error(message);
      failAll(broken);
      reject(broken);
    });
  });
  return {
    get tally() {
      return tally as Growing;
    },
    get broken() {
      return broken;
    },
    async outcome(sequence) {
      await read(sequence);
      return uncounted.get(sequence) ?? { outcome: 'counted' };
    },
    async stop() {
      ending.abort();
      await working;
    },
  };
}
