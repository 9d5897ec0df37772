import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { RefusedValue } from '../../check/refusal.ts';
import { checkFolder, fileRefusal, isFolder, makeFolder, readBytes, utf8Text } from '../files.ts';
import { counted, print, printJson, tell } from '../print.ts';
import { untilEnded } from '../run-program.ts';
import { createClusterIntake, createOrderedIntake } from '../serve/cluster-intake.ts';
import { allEntries } from '../serve/cluster-log.ts';
import {
  type Collected,
  createEstimating,
  type OpenPlan,
  readPlan,
  readQuery,
  readReports,
  writeReports,
} from '../serve/collection.ts';
import { foldEntries, isOrdered } from '../serve/fold.ts';
import {
  type Admission,
  admitAll,
  admitListed,
  admitTickets,
  createIntake,
  createTickets,
  type Engine,
  LEAST_SECRET,
} from '../serve/intake.ts';
import { openCluster } from '../serve/jetstream.ts';
import { type Journal, openJournal } from '../serve/journal.ts';
import { checkStore, openLog } from '../serve/log.ts';
import { createCollectorServer } from '../serve/server.ts';
import { tallyPartition } from '../serve/tally-worker.ts';
import type { PartOf } from './options.ts';

interface ServeOptions
  extends Partial<Readonly<Record<'partitions' | 'replicas' | 'maximumPlayers' | 'closeEvery' | 'closeAfter', number>>>,
    Partial<Readonly<Record<'cluster' | 'protocol' | 'ids' | 'tickets' | 'query' | 'coordinator', string>>>,
    Partial<Readonly<Record<'key' | 'cert', string>>> {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly minimumPlayers: number;
  readonly rate: number;
  readonly log?: true;
}

/** Largest file of ids, in bytes: ten million of them. */
const LARGEST_LIST = 2 ** 29;
/** Largest body, and most reports in it. */
const [MOST_BYTES, MOST_REPORTS] = [8 << 20, 10_000];

/** `ldpkit serve`: collects reports of plans over HTTP, until the process is told to end. */
export async function serve(files: readonly string[], options: ServeOptions): Promise<void> {
  const { host, port, minimumPlayers } = options;
  // Node would listen on every address of this machine.
  if (host.trim() === '') throw new RefusedValue('host', 'an address of this machine', host);
  checkCluster(options);
  const tls = await tlsOf(options);
  const collected: Collected[] = [];
  for (const file of files) {
    const plan = await readPlan(file, options.protocol);
    const { digest } = plan.parameters;
    if (collected.some(({ parameters }) => parameters.digest === digest)) {
      throw new RefusedValue('plan', 'plans that are all different', digest);
    }
    collected.push(plan);
  }
  checkRounds(collected, options);
  checkLimits(collected, options);
  // Before anything is made or opened.
  const queries = collected.map((plan) => {
    const query = readQuery(options.query, plan);
    plan.checkQuery(query);
    return query;
  });
  const admissionOf = await readAdmission(options);
  await checkFolder('folder', options.folder);
  const plans: OpenPlan[] = [];
  const estimating = createEstimating();
  // Last what is closed first.
  const closing: (() => Promise<unknown>)[] = [estimating.close];
  try {
    for (const [at, plan] of collected.entries()) {
      const { digest, grade = 'simulation' } = plan.parameters;
      if (grade === 'simulation') tell([`plan ${digest}: grade simulation, which protects nobody; for studies only`]);
      const intake = await openEngine(plan, admissionOf(digest), options);
      // Connections to a cluster keep a process alive.
      closing.push(intake.shut);
      plans.push({ ...plan, intake, minimumPlayers, query: queries[at] });
    }
    const { rate: requestsPerMinute, coordinator, log = false } = options;
    const app = await createCollectorServer({
      ...{ plans, estimating, mostBytes: MOST_BYTES, mostReports: MOST_REPORTS, requestsPerMinute, coordinator, log },
      ...(tls === undefined ? {} : { tls }),
    });
    closing.push(() => app.close());
    await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
      throw unheard(error, options) ?? error;
    });
    const address = app.server.address() as AddressInfo;
    const standings = await Promise.all(plans.map(({ intake }) => intake.standing()));
    print([
      ...plans.map(
        ({ parameters }, i) => `plan ${parameters.digest} of ${parameters.protocol}: ${standings[i].counted} reports`,
      ),
      `listening on ${tls === undefined ? 'http' : 'https'}://${host}:${address.port}/`,
    ]);
    const closingRounds = closeRounds(plans, options);
    closing.push(async () => clearInterval(closingRounds));
    const { signal } = untilEnded();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** What is wrong with an address that cannot be listened on; undefined for any other error. */
function unheard({ code = '', syscall }: NodeJS.ErrnoException, { host, port }: ServeOptions) {
  if (syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL') {
    return new RefusedValue('host', 'an address of this machine', host);
  }
  if (syscall !== 'listen') return undefined;
  if (code === 'EADDRINUSE') return new RefusedValue('port', 'one that no other program listens on', port);
  return new RefusedValue('port', 'one that this user may listen on', port);
}

/** The door of a plan: a folder of this process, or a cluster. */
async function openEngine(plan: Collected, admission: Admission, options: ServeOptions): Promise<Engine> {
  const { folder, cluster: servers, partitions, replicas, maximumPlayers: mostReports } = options;
  const { digest } = plan.parameters;
  if (servers === undefined) {
    await makeFolder(folder);
    await checkStore(join(folder, digest, 'reports'));
    return createIntake(await openLog(join(folder, digest), digest), plan.fold, { admission, mostReports });
  }
  const log = await openCluster(plan, { servers, partitions, replicas });
  tell([`plan ${digest}: ${log.partitions} partitions, each report on ${log.replicas} servers`]);
  let journal: Journal | undefined;
  try {
    await checkStore(join(folder, digest, 'journal'));
    journal = await openJournal(join(folder, digest), digest, log.partitions);
    const settings = { admission, journal, confirming: { tell: (text: string) => tell([text]) } };
    if (!isOrdered(plan.fold())) return createClusterIntake(log, plan.fold, settings);
    return await createOrderedIntake(log, plan.fold, settings);
  } catch (error) {
    await journal?.shut();
    await log.shut();
    throw error;
  }
}

/** Refuses options that only a collector with a folder has, and those that only one with a cluster has. */
function checkCluster(options: ServeOptions): void {
  const clustered = options.cluster !== undefined;
  const foreign = clustered ? (['maximumPlayers'] as const) : (['partitions', 'replicas'] as const);
  const name = foreign.find((one) => options[one] !== undefined);
  if (name === undefined) return;
  const typed = name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
  throw new RefusedValue(typed, `none ${clustered ? 'beside' : 'without'} --cluster`, options[name]);
}

/** A text that a header of HTTP carries as it was typed, whoever sends it. */
const HEADER_TEXT = /^[!-~](?:[ -~]*[!-~])?$/;

/** Refuses options about rounds where no plan has any. The text of a coordinator is a secret, and not shown. */
function checkRounds(plans: readonly Collected[], { closeEvery, closeAfter, coordinator }: ServeOptions): void {
  if (coordinator !== undefined && !HEADER_TEXT.test(coordinator)) {
    throw new RefusedValue('"coordinator" expected characters of ASCII, without a space at its ends');
  }
  if (plans.some(({ fold }) => fold().rounds)) return;
  const none = 'none: no plan has rounds';
  if (closeEvery !== undefined) throw new RefusedValue('close-every', none, closeEvery);
  if (closeAfter !== undefined) throw new RefusedValue('close-after', none, closeAfter);
  if (coordinator !== undefined) throw new RefusedValue('coordinator', none, 'a text');
}

/** Refuses limits with which a plan without rounds never has an estimate; with rounds the largest number is that of each. */
function checkLimits(plans: readonly Collected[], { minimumPlayers, maximumPlayers = Infinity }: ServeOptions): void {
  if (maximumPlayers >= minimumPlayers || plans.every(({ fold }) => fold().rounds)) return;
  const expected = `at least --minimum-players (${minimumPlayers}), from which on estimates are given`;
  throw new RefusedValue('maximum-players', expected, maximumPlayers);
}

/** Closes the open round of plans with rounds as soon as it has so many reports, or has been open for so many seconds here. */
function closeRounds(
  plans: readonly OpenPlan[],
  { closeEvery = Infinity, closeAfter = Infinity }: ServeOptions,
): NodeJS.Timeout | undefined {
  if (closeEvery === Infinity && closeAfter === Infinity) return undefined;
  const seen = plans.map(() => ({ round: -1, since: 0, told: '' }));
  let busy = false;
  const look = async ({ intake }: OpenPlan, at: number): Promise<void> => {
    const { rounds, round, countedInRound } = await intake.standing();
    if (!rounds || round === undefined) return;
    const now = performance.now();
    if (seen[at].round !== round) seen[at] = { round, since: now, told: '' };
    if (countedInRound >= closeEvery || now - seen[at].since >= 1000 * closeAfter) await intake.close(round);
  };
  const lookAt = (plan: OpenPlan, at: number): Promise<void> =>
    look(plan, at).catch(({ message }: Error) => {
      if (seen[at].told !== message) tell([`a round stays open: ${message}`]);
      seen[at].told = message;
    });
  return setInterval(() => {
    if (busy) return;
    busy = true;
    void Promise.all(plans.map(lookAt)).finally(() => {
      busy = false;
    });
  }, 200);
}

/** Who may answer a plan, by its digest: a list is read once for all of them. */
async function readAdmission({ ids, tickets }: ServeOptions): Promise<(digest: string) => Admission> {
  if (ids !== undefined && tickets !== undefined) throw new RefusedValue('tickets', 'none beside --ids', tickets);
  if (tickets !== undefined) {
    const secret = await readSecret('tickets', tickets);
    return (digest) => admitTickets(secret, digest);
  }
  if (ids === undefined) return admitAll;
  const listed = utf8Text('ids', ids, await readBytes('ids', ids, LARGEST_LIST))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (listed.length === 0) throw fileRefusal('ids', 'one id or more, one a line', ids);
  const admission = admitListed(listed);
  return () => admission;
}

/** The secret in a file, which two options name. */
async function readSecret(option: string, path: string): Promise<Uint8Array> {
  const secret = await readBytes(option, path, 4096);
  if (secret.length < LEAST_SECRET) throw fileRefusal(option, `a secret of at least ${LEAST_SECRET} bytes`, path);
  return secret;
}

async function tlsOf({ key, cert }: ServeOptions) {
  if (key === undefined && cert === undefined) return undefined;
  if (key === undefined || cert === undefined) throw new RefusedValue('"key" expected together with "cert"');
  const pair = { key: await readBytes('key', key, 2 ** 20), cert: await readBytes('cert', cert, 2 ** 20) };
  try {
    createSecureContext(pair as { readonly key: Buffer; readonly cert: Buffer });
  } catch {
    throw fileRefusal('key', `a key in PEM that belongs to the certificate in PEM ${JSON.stringify(cert)}`, key);
  }
  return pair;
}

/** `ldpkit tickets`: single-use tickets, one a line. */
export async function tickets(
  file: string,
  { protocol, secret, count }: Pick<ServeOptions, 'protocol'> & { readonly secret: string; readonly count: number },
): Promise<void> {
  const { parameters } = await readPlan(file, protocol);
  if (resolve(secret) === resolve(file))
    throw fileRefusal('secret', 'another file than the plan, which is public', secret);
  // The secret is made once; an existing one is read, and never replaced.
  await writeFile(secret, randomBytes(32), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw fileRefusal('secret', 'a file that can be written', secret);
  });
  const key = await readSecret('secret', secret);
  for (let left = count; left > 0; left -= MOST_REPORTS) {
    print(createTickets(key, parameters.digest, Math.min(left, MOST_REPORTS)));
    // Where nobody reads any more, the program ends here.
    await turn();
  }
}

/** `ldpkit export`: the accepted reports of a plan in their order, without anything of who sent them. */
export async function exportReports(
  file: string,
  options: Pick<ServeOptions, 'protocol' | 'folder' | 'cluster'> & { readonly out: string },
): Promise<void> {
  const { protocol, folder, cluster: servers, out } = options;
  const plan = await readPlan(file, protocol);
  const { digest } = plan.parameters;
  const path = join(folder, digest);
  // A store would be made where there is none, and its reports would be no reports.
  if (servers === undefined && !(await isFolder(path)))
    throw fileRefusal('folder', `one in which plan ${digest} was collected`, folder);
  if (servers === undefined) await checkStore(join(path, 'reports'));
  const cluster = servers === undefined ? undefined : await openCluster(plan, { servers });
  const log = cluster === undefined ? await openLog(path, digest) : undefined;
  try {
    const entries = cluster === undefined ? log!.after(0) : allEntries(cluster);
    const written = await writeReports(out, entries).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? error : fileRefusal('out', 'a file that can be written', out);
    });
    print([`wrote ${written} reports of plan ${digest} to ${out}`]);
  } finally {
    await (cluster ?? log!).shut();
  }
}

/** `ldpkit tally`: the estimate of exported reports. */
export async function tally(
  file: string,
  data: string,
  { protocol, query }: Pick<ServeOptions, 'protocol' | 'query'>,
): Promise<void> {
  const plan = await readPlan(file, protocol);
  const asked = readQuery(query, plan);
  let [refused, first] = [0, ''];
  const fold = await foldEntries(plan.fold, readReports(data), (reason) => {
    if (refused++ === 0) first = reason;
  });
  if (refused > 0) tell([`not counted: ${counted(refused, 'report')} of the file, the first since ${first}`]);
  const estimating = createEstimating();
  try {
    printJson(`${await estimating.estimate(plan, fold.save(), asked)}\n`);
  } finally {
    await estimating.close();
  }
}

type FoldOptions = Pick<ServeOptions, 'protocol' | 'partitions' | 'replicas'> & { cluster: string; part?: PartOf };

/** `ldpkit fold`: a worker that keeps the tallies of partitions in the cluster, until it is told to end. */
export async function fold(
  file: string,
  { protocol, cluster: servers, part: { part, parts } = { part: 1, parts: 1 }, partitions, replicas }: FoldOptions,
): Promise<void> {
  const plan = await readPlan(file, protocol);
  const log = await openCluster(plan, { servers, partitions, replicas });
  const mine = Array.from({ length: log.partitions }, (_, at) => at).filter((at) => at % parts === part - 1);
  print([`plan ${plan.parameters.digest}: partitions ${mine.join(', ')} of ${log.partitions}`]);
  const ending = untilEnded();
  const failed = (text: string): void => tell([text]);
  try {
    const work = mine.map((at) => tallyPartition(log, at, plan.fold, { signal: ending.signal, failed }));
    const tallied = await Promise.all(work);
    print([`tallied ${tallied.reduce((sum, one) => sum + one, 0)} reports`]);
  } finally {
    ending.abort();
    await log.shut();
  }
}
