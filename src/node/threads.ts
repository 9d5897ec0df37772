import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Dataset } from '../simulation/dataset.ts';
import { BLOCK } from '../simulation/runner.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { loadStudy } from './studies.ts';
import type { Task } from './worker.ts';

/** A simulation to share out over threads. */
export interface ThreadedRun {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** What its parameters are made from. */
  readonly request: StudyRequest;
  /** Seed of the players' coins. */
  readonly seed: string;
  /** The records; features and labels in shared memory. */
  readonly dataset: Dataset;
  /** The rows that are players, in shared memory; all by default. */
  readonly rows?: Uint32Array;
  /** Called with the number of players done so far. */
  readonly onProgress?: (players: number) => void;
}

/** A pool of worker threads that simulate players. */
export interface Threads {
  /** How many threads there are. */
  readonly count: number;
  /** The tally of all players; the same bits for every number of threads. */
  simulate(run: ThreadedRun): Promise<unknown>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/**
 * Worker threads, one for each core by default. Each task is one block of players, and the tallies are merged in the
 * order of the blocks, so that the result does not depend on how many threads there are.
 */
export function createThreads(count: number = availableParallelism()): Threads {
  const pool = new Piscina<Task, unknown>({
    filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
    minThreads: count,
    maxThreads: count,
    idleTimeout: 60_000,
  });
  return {
    count,
    async simulate(run) {
      const { onProgress, ...task } = run;
      const { protocol, parameters: make } = await loadStudy(run.protocol);
      const parameters = make(run.request);
      const players = run.rows?.length ?? run.dataset.players;
      const total = protocol.server.empty(parameters);
      const pending: Promise<unknown>[] = [];
      let done = 0;
      for (let from = 0; from < players; from += BLOCK) {
        const to = Math.min(players, from + BLOCK);
        const tally = pool.run({ ...task, from, to });
        pending.push(
          tally.then((result) => {
            done += to - from;
            onProgress?.(done);
            return result;
          }),
        );
      }
      // All are waited for before the first failure is passed on, so that no rejection goes unheard.
      const results = await Promise.allSettled(pending);
      for (const result of results) {
        if (result.status === 'rejected') throw result.reason;
        protocol.server.merge(parameters, total, result.value);
      }
      return total;
    },
    close: () => pool.destroy(),
  };
}
