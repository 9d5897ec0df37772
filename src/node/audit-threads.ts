import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { AuditCounts, AuditPlan } from '../audit/plan.ts';
import type { AuditedPart } from '../audit/target.ts';
import type { AnyRequest } from './audit-target.ts';

/** A part of the counting of an audit, for one thread. */
export interface AuditTask {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** What its parameters are made from. */
  readonly request: AnyRequest;
  /** What is attacked of a protocol in rounds. */
  readonly attacked?: AuditedPart | undefined;
  /** What is counted. */
  readonly plan: AuditPlan<unknown>;
  /** Seed of the coins; part k draws from stream k. */
  readonly seed: string;
  /** Which part. */
  readonly part: number;
  /** Of how many. */
  readonly parts: number;
}

/** The counting is shared out in so many parts, whatever the number of threads, so that it does not change the result. */
const PARTS = 16;

/**
 * The counts of all parts of a plan, by worker threads, one for each core by default.
 *
 * @throws whatever the player refuses.
 */
export async function countInThreads(
  task: Omit<AuditTask, 'part' | 'parts'>,
  threads: number = availableParallelism(),
): Promise<readonly AuditCounts[]> {
  const pool = new Piscina<AuditTask, AuditCounts>({
    filename: fileURLToPath(new URL('./audit-worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: 60_000,
  });
  try {
    const pending = Array.from({ length: PARTS }, (_, part) => pool.run({ ...task, part, parts: PARTS }));
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
