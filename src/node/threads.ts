import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { AuditCounts, AuditPlan } from '../audit/plan.ts';
import type { AuditedPart } from '../audit/target.ts';
import type { Uncertainty } from '../inference/model-interval.ts';
import type { Dataset } from '../simulation/runner.ts';
import type { ForecastSetting, LinearEstimate, Study, StudyRequest } from '../simulation/study.ts';
import type { DatasetSource, LoadProgress } from './records.ts';
import { resultOf } from './refused.ts';

/** What a thread found from a tally: an estimate, what the study says beside it, and what the noise leaves open about it. */
export interface FoundModel {
  readonly estimate: LinearEstimate;
  readonly details: ReturnType<Study['details']>;
  readonly uncertainty: Uncertainty;
  /** The model of degree 0 from the same tally. */
  readonly meanOnly: LinearEstimate;
  readonly seconds: number;
}

/** A file for one thread to read; the port receives pairs: the records read so far, and the most there can be. */
export interface LoadTask {
  readonly source: DatasetSource;
  readonly port: MessagePort;
}

/** One shard of the counting of an audit, for one thread; shard k draws from stream k of the seed. */
export interface AuditTask {
  /** The protocol's folder name, or a module file. */
  readonly protocol: string;
  readonly request: object;
  /** The attacked part of a protocol in rounds. */
  readonly attacked?: AuditedPart | undefined;
  readonly plan: AuditPlan<unknown>;
  readonly seed: string;
  readonly shard: number;
  readonly shards: number;
}

/** One forecast of an excess risk, for one thread, or the players that a target needs. */
export interface ForecastTask {
  /** The protocol's folder name, or a module file. */
  readonly word: string;
  /** What the study's forecaster is made from; records are in shared memory. */
  readonly setting: ForecastSetting | Pick<ForecastSetting, 'dimension' | 'radius'>;
  readonly request: StudyRequest;
  readonly players: number;
  readonly target?: number | undefined;
}

/** A pool of worker threads that do the tasks of `worker.ts`; it starts with its first task. */
export interface Threads {
  /** The result of one task, by the name of its export; what it refuses there is refused here. */
  does<Result>(name: string, task: object, transferList?: readonly MessagePort[]): Promise<Result>;
  close(): Promise<void>;
}

/** Worker threads, one for each core by default; `least` of them stay when there is nothing to do, all by default. */
export function createThreads(count: number = availableParallelism(), least: number = count): Threads {
  let pool: Piscina | undefined;
  return {
    async does(name, task, transferList = []) {
      pool ??= new Piscina({
        filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
        minThreads: least,
        maxThreads: count,
        idleTimeout: 60_000,
      });
      return resultOf(await pool.run(task, { name, transferList }));
    },
    close: async () => pool?.destroy(),
  };
}

/** `loadDataset` in a thread of its own: its garbage, as large as its records, is freed when the thread ends. */
export async function loadDatasetApart(source: DatasetSource, onProgress?: LoadProgress): Promise<Dataset> {
  const thread = createThreads(1);
  const { port1: heard, port2: port } = new MessageChannel();
  heard.on('message', ([records, expected]: [number, number]) => onProgress?.(records, expected));
  try {
    return await thread.does('load', { source, port } satisfies LoadTask, [port]);
  } finally {
    heard.close();
    await thread.close();
  }
}

/** Shards of the counting of an audit, for any number of threads: so the result does not depend on that number. */
export const SHARDS = 16;

/** The counts of all shards of a plan, by worker threads, one for each core by default. `onShard` receives how many are done. */
export async function countInThreads(
  task: Omit<AuditTask, 'shard' | 'shards'>,
  threads: number = availableParallelism(),
  onShard?: (shards: number) => void,
): Promise<readonly AuditCounts[]> {
  const pool = createThreads(Math.min(threads, SHARDS));
  let done = 0;
  const pending = Array.from({ length: SHARDS }, async (_, shard) => {
    const counts = await pool.does<AuditCounts>('count', { ...task, shard, shards: SHARDS });
    onShard?.(++done);
    return counts;
  });
  // It waits for all before it passes on the first failure: no rejection stays unhandled.
  await Promise.allSettled(pending);
  return Promise.all(pending).finally(() => pool.close());
}
