import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { AuditCounts, AuditPlan } from '../audit/plan.ts';
import type { AuditedPart } from '../audit/target.ts';
import type { Baseline } from '../simulation/baseline.ts';
import { type DataMoments, emptyMoments, mergeMoments } from '../simulation/data-moments.ts';
import type { Dataset } from '../simulation/dataset.ts';
import type { ModelMetrics } from '../simulation/metrics.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { addParts, type Block, blocksOf, type DrawnSum, finishSum, type SumPart } from '../simulation/sum-law.ts';
import type { AnyRequest } from './audit-target.ts';
import type { DatasetSource, LoadProgress } from './records.ts';
import { type Answer, resultOf } from './refused.ts';
import { loadStudy, requiredLaw } from './studies.ts';

/** The records that a thread uses. */
interface SharedRecords {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Name of the loss; the protocol's own default by default. */
  readonly loss?: string | undefined;
  /** The records, in shared memory. */
  readonly dataset: Dataset;
  /** The rows to use, in shared memory; all by default. */
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

/** Records whose moments one thread sums. */
export interface MomentsTask extends SharedRecords {
  /** What the protocol's parameters are made from. */
  readonly request: StudyRequest;
  /** The records. */
  readonly block: Block;
}

/** Players whose part of a sum one thread draws. */
export interface SumTask extends MomentsTask {
  /** The moments of all records, in shared memory. */
  readonly moments: DataMoments;
  /** Seed of all coins. */
  readonly seed: string;
  /** How many players hold each record. */
  readonly copies: number;
}

/** Linear models for one thread to measure. */
export interface MetricsTask extends SharedRecords {
  readonly models: readonly Float64Array[];
}

/** A non-private optimum for one thread to find. */
export interface OptimumTask extends SharedRecords {
  /** R: the constraint is ‖w‖ ≤ R. */
  readonly radius: number;
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
  readonly request: AnyRequest;
  /** The attacked part of a protocol in rounds. */
  readonly attacked?: AuditedPart | undefined;
  /** What is counted. */
  readonly plan: AuditPlan<unknown>;
  /** Seed of the coins; shard k draws from stream k. */
  readonly seed: string;
  /** The number of this shard. */
  readonly shard: number;
  /** How many shards there are. */
  readonly shards: number;
}

/** A simulation to distribute over threads; its rows are the players. */
interface ThreadedRun extends Omit<PlayersTask, 'from' | 'to'> {
  /** Called with the number of players done so far. */
  readonly onProgress?: (players: number) => void;
}

/** Moments to distribute over threads. */
interface ThreadedMoments extends Omit<MomentsTask, 'block'> {
  /** Called with the number of records done so far. */
  readonly onProgress?: (records: number) => void;
}

/** A sum to distribute over threads. */
interface ThreadedSum extends Omit<SumTask, 'block'> {
  /** Called with the number of players done so far. */
  readonly onProgress?: (players: number) => void;
}

/** A pool of worker threads that simulate players and measure the results. */
export interface Threads {
  /** The tally of all players; the same bits for every number of threads. */
  simulate(run: ThreadedRun): Promise<unknown>;
  /** The moments of the data that the law of sums of the request needs: the same bits for every number of threads. */
  moments(run: ThreadedMoments): Promise<DataMoments>;
  /** The tally of all players, drawn by the law of sums: the same bits for every number of threads. */
  sum(run: ThreadedSum): Promise<DrawnSum<unknown>>;
  /** The metrics of the models, one after the other, by one thread. */
  measure(task: MetricsTask): Promise<readonly ModelMetrics[]>;
  /** The non-private optimum, by one thread. */
  optimum(task: OptimumTask): Promise<Baseline>;
  /** Ends the threads. */
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

/** The law of sums of a protocol, and the parameters of a request. */
async function sumLawOf({ protocol, request }: Omit<MomentsTask, 'block'>) {
  const { parameters, sums } = await loadStudy(protocol);
  return { parameters: parameters(request), law: requiredLaw(sums, protocol) };
}

/** The results of tasks, one for each block, given to `merge` in the order of the blocks as soon as they are there. */
async function inOrder<Part>(
  blocks: readonly Block[],
  run: (block: Block) => Promise<Part>,
  merge: (part: Part) => void,
  onProgress: (records: number) => void,
): Promise<void> {
  // Results that were ready before an earlier one: at most as many as there are threads.
  const early = new Map<number, Part>();
  let next = 0;
  let done = 0;
  await allOf(
    blocks.map((block) =>
      run(block).then((part) => {
        early.set(block.number, part);
        for (; early.has(next); next++) {
          merge(early.get(next) as Part);
          early.delete(next);
        }
        onProgress((done += block.to - block.from));
      }),
    ),
  );
}

/**
 * Worker threads, one for each core by default. Each task is one block of players, and the tallies are merged in the
 * order of the blocks. So the result does not depend on the number of threads.
 */
export function createThreads(count?: number): Threads {
  const pool = poolOf(count);
  return {
    async simulate({ onProgress, ...task }) {
      const { protocol, parameters: make } = await loadStudy(task.protocol);
      const parameters = make(task.request);
      const players = task.rows?.length ?? task.dataset.players;
      const total = protocol.server.empty(parameters);
      await inOrder<unknown>(
        blocksOf(players, 1),
        ({ from, to }) => taskOf(pool, { ...task, from, to }),
        (tally) => protocol.server.merge(parameters, total, tally),
        (done) => onProgress?.(done),
      );
      return total;
    },
    async moments({ onProgress, ...task }) {
      const { law, parameters } = await sumLawOf(task);
      const total = emptyMoments(law.need(parameters));
      const blocks = blocksOf(task.rows?.length ?? task.dataset.players, 1);
      await inOrder<DataMoments>(
        blocks,
        (block) => taskOf(pool, { ...task, block }, { name: 'moments' }),
        (part) => mergeMoments(total, part),
        (records) => onProgress?.(records),
      );
      // Every task of a sum reads them: shared memory is not copied.
      const sums = new Float64Array(new SharedArrayBuffer(total.sums.byteLength));
      sums.set(total.sums);
      return { ...total, sums };
    },
    async sum({ onProgress, ...task }) {
      const { law, parameters } = await sumLawOf(task);
      const { copies, moments, seed } = task;
      const records = task.rows?.length ?? task.dataset.players;
      let parts: SumPart | undefined;
      await inOrder<SumPart>(
        blocksOf(records, copies),
        (block) => taskOf(pool, { ...task, block }, { name: 'sum' }),
        (part) => {
          parts = addParts(parts, part);
        },
        (done) => onProgress?.(done * copies),
      );
      return finishSum(law, parameters, { parts: parts as SumPart, moments, players: records * copies }, { seed });
    },
    measure: (task) => taskOf(pool, task, { name: 'measure' }),
    optimum: (task) => taskOf(pool, task, { name: 'optimum' }),
    close: () => pool.destroy(),
  };
}

/**
 * The same as `loadDataset`, in a thread of its own. Reading a large file leaves as much garbage in memory as its
 * records need; this memory is freed when the thread ends, instead of only when a simulation needs it.
 *
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
 *
 * @throws whatever the player refuses.
 */
export async function countInThreads(
  task: Omit<AuditTask, 'shard' | 'shards'>,
  threads?: number,
  onShard?: (shards: number) => void,
): Promise<readonly AuditCounts[]> {
  const pool = poolOf(threads);
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
