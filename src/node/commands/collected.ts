import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRefusal, readBytes } from '../files.ts';
import { print, printJson, tell } from '../print.ts';
import { createTickets } from '../serve/admission.ts';
import { allEntries } from '../serve/cluster-log.ts';
import { createEstimating, readPlan, readQuery } from '../serve/collection.ts';
import { foldEntries } from '../serve/fold.ts';
import { openCluster } from '../serve/jetstream.ts';
import { openLog } from '../serve/log.ts';
import { readReports, writeReports } from '../serve/report-file.ts';
import { tallyPartition } from '../serve/tally-worker.ts';
import type { PartOf } from './options.ts';

interface PlanOptions {
  readonly protocol?: string;
}

/** `ldpkit tickets`: single-use tickets, one a line. */
export async function tickets(
  file: string,
  { protocol, secret, count }: PlanOptions & { readonly secret: string; readonly count: number },
): Promise<void> {
  const { parameters } = await readPlan(file, protocol);
  // The secret is made once; an existing one is read, and never replaced.
  await writeFile(secret, randomBytes(32), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw fileRefusal('secret', 'a file that can be written', secret);
  });
  print(createTickets(await readBytes('secret', secret, 4096), parameters.digest, count));
}

interface ExportOptions extends PlanOptions {
  readonly folder: string;
  readonly cluster?: string;
  readonly out: string;
}

/** `ldpkit export`: the accepted reports of a plan in their order, without anything of who sent them. */
export async function exportReports(
  file: string,
  { protocol, folder, cluster: servers, out }: ExportOptions,
): Promise<void> {
  const plan = await readPlan(file, protocol);
  const { digest } = plan.parameters;
  const [log, entries] = await (servers === undefined ? ofFolder(join(folder, digest)) : ofCluster(servers));
  try {
    const written = await writeReports(out, entries);
    print([`wrote ${written} reports of plan ${digest} to ${out}`]);
  } finally {
    await log.shut();
  }

  async function ofFolder(path: string) {
    const opened = await openLog(path, digest);
    return [opened, opened.after(0)] as const;
  }

  async function ofCluster(addresses: string) {
    const opened = await openCluster(plan, { servers: addresses });
    return [opened, allEntries(opened)] as const;
  }
}

/** `ldpkit tally`: the estimate of exported reports. */
export async function tally(
  file: string,
  data: string,
  { protocol, query }: PlanOptions & { readonly query?: string },
): Promise<void> {
  const asked = readQuery(query);
  const plan = await readPlan(file, protocol);
  const fold = await foldEntries(plan.fold, readReports(data));
  const estimating = createEstimating();
  try {
    printJson(`${await estimating.estimate(plan, fold.save(), asked)}\n`);
  } finally {
    await estimating.close();
  }
}

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
