import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRefusal, readBytes } from '../files.ts';
import { print, printJson } from '../print.ts';
import { createTickets } from '../serve/admission.ts';
import { readPlan, readQuery } from '../serve/collection.ts';
import { createEstimating } from '../serve/estimating.ts';
import { foldEntries } from '../serve/fold-entries.ts';
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

/** `ldpkit export`: the accepted reports of a plan in their order, without anything of who sent them. */
export async function exportReports(
  file: string,
  { protocol, folder, out }: PlanOptions & { readonly folder: string; readonly out: string },
): Promise<void> {
  const { parameters } = await readPlan(file, protocol);
  const log = await openLog(join(folder, parameters.digest), parameters.digest);
  try {
    const written = await writeReports(out, log.after(0));
    print([`wrote ${written} reports of plan ${parameters.digest} to ${out}`]);
  } finally {
    await log.shut();
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
  const fold = await foldEntries(plan.fold(), readReports(data));
  const estimating = createEstimating();
  try {
    printJson(`${await estimating.estimate(plan, fold.save(), asked)}\n`);
  } finally {
    await estimating.close();
  }
}
