import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRefusal, readBytes } from '../files.ts';
import { print, printJson } from '../print.ts';
import { createTickets } from '../serve/admission.ts';
import { allEntries } from '../serve/cluster-log.ts';
import { createEstimating, readPlan, readQuery } from '../serve/collection.ts';
import { foldEntries } from '../serve/fold.ts';
import { openCluster } from '../serve/jetstream.ts';
import { openLog } from '../serve/log.ts';
import { readReports, writeReports } from '../serve/report-file.ts';

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
