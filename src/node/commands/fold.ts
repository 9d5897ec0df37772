import { print, tell } from '../print.ts';
import { readPlan } from '../serve/collection.ts';
import { openCluster } from '../serve/jetstream.ts';
import { tallyPartition } from '../serve/tally-worker.ts';
import type { PartOf } from './options.ts';

/** The options of `ldpkit fold`, as typed and read. */
export interface FoldOptions {
  readonly protocol?: string;
  readonly cluster: string;
  readonly part?: PartOf;
  readonly partitions?: number;
  readonly replicas?: number;
}

/** `ldpkit fold`: a worker that keeps the tallies of partitions in the cluster, until it is told to end. */
export async function fold(
  file: string,
  { protocol, cluster: servers, part: { part, parts } = { part: 1, parts: 1 }, partitions, replicas }: FoldOptions,
): Promise<void> {
  const plan = await readPlan(file, protocol);
  const log = await openCluster(plan, { servers, partitions, replicas });
  const mine = Array.from({ length: log.partitions }, (_, at) => at).filter((at) => at % parts === part - 1);
  print([`plan ${plan.parameters.digest}: partitions ${mine.join(', ')} of ${log.partitions}`]);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const failed = (text: string): void => tell([text]);
  try {
    const work = mine.map((at) => tallyPartition(log, at, plan.fold, { signal: ending.signal, failed }));
    const counted = await Promise.all(work);
    print([`tallied ${counted.reduce((sum, one) => sum + one, 0)} reports`]);
  } finally {
    ending.abort();
    await log.shut();
  }
}
