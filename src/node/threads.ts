import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Baseline } from '../simulation/baseline.ts';
import type { Dataset } from '../simulation/dataset.ts';
import type { ModelMetrics } from '../simulation/metrics.ts';
import { BLOCK } from '../simulation/runner.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { loadStudy } from './studies.ts';

/** The records that a thread looks at. */
export interface SharedRecords {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Name of the loss; the protocol's own default by default. */
  readonly loss?: string | undefined;
  /** The records, in shared memory. */
  readonly dataset: Dataset;
  /** The rows that are meant, in shared memory; all by default. */
  readonly rows?: Uint32Array | undefined;
}

/** A range of players for one thread to simulate. */
export interface PlayersTask extends SharedRecords {
  /** What the protocol's parameters are made from. */
  readonly request: StudyRequest;
  /** Seed of the players' coins. */
  readonly seed: string;
  /** First player. */
  readonly from: number;
  /** One past the last player. */
  readonly to: number;
}

/** Linear models for one thread to measure. */
export interface MetricsTask extends SharedRecords {
  /** The models. */
  readonly models: readonly Float64Array[];
}

/** A non-private optimum for one thread to find. */
export interface OptimumTask extends SharedRecords {
  /** R: the constraint is ‖w‖ ≤ R. */
  readonly radius: number;
}

/** A simulation to share out over threads; its rows are the players. */
export interface ThreadedRun extends SharedRecords {
  /** What the protocol's parameters are made from. */
  readonly request: StudyRequest;
  /** Seed of the players' coins. */
  readonly seed: string;
  /** Called with the number of players done so far. */
  readonly onProgress?: (players: number) => void;
}

/** A pool of worker threads that simulate players and measure what came of it. */
export interface Threads {
  /** How many threads there are. */
  readonly count: number;
  /** The tally of all players; the same bits for every number of threads. */
  simulate(run: ThreadedRun): Promise<unknown>;
  /** The metrics of the models, one after the other, by one thread. */
  measure(task: MetricsTask): Promise<readonly ModelMetrics[]>;
  /** The non-private optimum, by one thread. */
  optimum(task: OptimumTask): Promise<Baseline>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/**
 * Worker threads, one for each core by default. Each task is one block of players, and the tallies are merged in the
 * order of the blocks, so that the result does not depend on how many threads there are.
 */
export function createThreads(count: number = availableParallelism()): Threads {
  const pool = new Piscina<PlayersTask | MetricsTask | OptimumTask, unknown>({
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
      const pending: Promise<void>[] = [];
      // Tallies of blocks that ended before an earlier one: at most as many as there are threads.
      const early = new Map<number, unknown>();
      let next = 0;
      let done = 0;
      for (let from = 0, block = 0; from < players; from += BLOCK, block++) {
        const to = Math.min(players, from + BLOCK);
        const merged = pool.run({ ...task, from, to }).then((tally) => {
          early.set(block, tally);
          for (; early.has(next); next++) {
            protocol.server.merge(parameters, total, early.get(next));
            early.delete(next);
          }
          done += to - from;
          onProgress?.(done);
        });
        pending.push(merged);
      }
      // All are waited for before the first failure is passed on, so that no rejection goes unheard.
      for (const result of await Promise.allSettled(pending)) if (result.status === 'rejected') throw result.reason;
      return total;
    },
    measure: (task) => pool.run(task, { name: 'measure' }) as Promise<readonly ModelMetrics[]>,
    optimum: (task) => pool.run(task, { name: 'optimum' }) as Promise<Baseline>,
    close: () => pool.destroy(),
  };
}
