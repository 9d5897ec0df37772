import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { AuditCounts, AuditPlan } from '../audit/plan.ts';
import type { AuditedPart } from '../audit/target.ts';
import type { AnyRequest } from './audit-target.ts';

/** A shard of the counting of an audit, for one thread. */
export interface AuditTask {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** What its parameters are made from. */
  readonly request: AnyRequest;
  /** What is attacked of a protocol in rounds. */
  readonly attacked?: AuditedPart | undefined;
  /** What is counted. */
  readonly plan: AuditPlan<unknown>;
  /** Seed of the coins; shard k draws from stream k. */
  readonly seed: string;
  /** Which shard. */
  readonly shard: number;
  /** Of how many. */
  readonly shards: number;
}

/** The counting is shared out in so many shards, whatever the number of threads, so that it does not change the result. */
const SHARDS = 16;

/**
 * The counts of all shards of a plan, by worker threads, one for each core by default.
 *
 * @throws whatever the player refuses.
 */
export async function countInThreads(
  task: Omit<AuditTask, 'shard' | 'shards'>,
  threads: number = availableParallelism(),
): Promise<readonly AuditCounts[]> {
  const pool = new Piscina<AuditTask, AuditCounts>({
    filename: fileURLToPath(new URL('./audit-worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: 60_000,
  });
  try {
    const pending = Array.from({ length: SHARDS }, (_, shard) => pool.run({ ...task, shard, shards: SHARDS }));
    const counts: AuditCounts[] = [];
    // All are waited for before the first failure is passed on, so that no rejection goes unheard.
    for (const result of await Promise.allSettled(pending)) {
      if (result.status === 'rejected') throw result.reason;
      counts.push(result.value);
    }
    return counts;
  } finally {
    await pool.destroy();
  }
}
