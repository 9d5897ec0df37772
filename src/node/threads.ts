import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { AuditCounts, AuditPlan } from '../audit/plan.ts';
import type { AuditedPart } from '../audit/target.ts';
import type { Uncertainty } from '../inference/model-interval.ts';
import type { Dataset } from '../simulation/runner.ts';
import type { LinearEstimate, Study } from '../simulation/study.ts';
import type { DatasetSource, LoadProgress } from './records.ts';
import { type Answer, resultOf } from './refused.ts';

/** What a thread found from a tally. */
export interface FoundModel {
  readonly estimate: LinearEstimate;
  /** What the study says of it beside. */
  readonly details: ReturnType<Study['details']>;
  /** What the noise of the reports leaves open about it. */
  readonly uncertainty: Uncertainty;
  /** The model of degree 0 from the same tally. */
  readonly meanOnly: LinearEstimate;
  readonly seconds: number;
}

/** A file for one thread to read; the port receives pairs: the records read so far, and the most there can be. */
export interface LoadTask {
  readonly source: DatasetSource;
  readonly port: import('node:worker_threads').MessagePort;
}

/** One shard of the counting of an audit, for one thread. */
export interface AuditTask {
  /** The protocol's folder name, or a module file. */
  readonly protocol: string;
  /** What its parameters are made from. */
  readonly request: object;
  /** The attacked part of a protocol in rounds. */
  readonly attacked?: AuditedPart | undefined;
  readonly plan: AuditPlan<unknown>;
  /** Seed of the coins; shard k draws from stream k. */
  readonly seed: string;
  readonly shard: number;
  readonly shards: number;
}

/** A pool of worker threads that simulate blocks of players and measure the results; it starts with its first task. */
export interface Threads {
  /** The result of one task of `worker.ts`, by the name of its export. */
  does<Result>(name: string, task: object): Promise<Result>;
  close(): Promise<void>;
}

/** A pool of so many threads that run `worker.ts`; one for each core by default. */
function poolOf(count: number = availableParallelism()): Piscina {
  return new Piscina({
    filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
    minThreads: count,
    maxThreads: count,
    idleTimeout: 60_000,
  });
}

/** The result of one task of `worker.ts`; what it refuses there is refused here. */
async function taskOf<Result>(
  pool: Piscina,
  task: object,
  options: Parameters<Piscina['run']>[1] = {},
): Promise<Result> {
  const answer: Answer<Result> = await pool.run(task, options);
  return resultOf(answer);
}

/** The results of all tasks. It waits for all before it passes on the first failure: no rejection stays unhandled. */
async function allOf<Result>(pending: readonly Promise<Result>[]): Promise<readonly Result[]> {
  return (await Promise.allSettled(pending)).map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Worker threads, one for each core by default. */
export function createThreads(count?: number): Threads {
  let pool: Piscina | undefined;
  return {
    does(name, task) {
      pool ??= poolOf(count);
      return taskOf(pool, task, { name });
    },
    close: async () => pool?.destroy(),
  };
}

/**
 * The same as `loadDataset`, in a thread of its own. Reading a large file leaves as much garbage in memory as its
 * records need; this memory is freed when the thread ends, instead of only when a simulation needs it.
 * @throws as `loadDataset`.
 */
export async function loadDatasetApart(source: DatasetSource, onProgress?: LoadProgress): Promise<Dataset> {
  const pool = poolOf(1);
  const { port1: heard, port2: port } = new MessageChannel();
  heard.on('message', ([records, expected]: [number, number]) => onProgress?.(records, expected));
  try {
    return await taskOf(pool, { source, port } satisfies LoadTask, { name: 'load', transferList: [port] });
  } finally {
    heard.close();
    await pool.destroy();
  }
}

/** Shards of the counting of an audit, for any number of threads: so the result does not depend on that number. */
export const SHARDS = 16;

/**
 * The counts of all shards of a plan, by worker threads, one for each core by default. `onShard` receives how many are done.
 * @throws whatever the player refuses.
 */
export async function countInThreads(
  task: Omit<AuditTask, 'shard' | 'shards'>,
  threads?: number,
  onShard?: (shards: number) => void,
): Promise<readonly AuditCounts[]> {
  const pool = poolOf(Math.min(threads ?? availableParallelism(), SHARDS));
  let done = 0;
  try {
    return await allOf(
      Array.from({ length: SHARDS }, async (_, shard) => {
        const counts = await taskOf<AuditCounts>(pool, { ...task, shard, shards: SHARDS }, { name: 'count' });
        onShard?.(++done);
        return counts;
      }),
    );
  } finally {
    await pool.destroy();
  }
}
