// Faults of a collector, played and not described:
//
//   npm run build && node test/cluster/run.mjs [--kills 10] [--reports 4000] [--seed text]
//
// Devices send reports to a real collector over HTTP, with 1 % hostile reports and 2 % replays beside them. At random moments the
// collector is killed (SIGKILL) and started again; in between, the state that it kept is damaged by flipped bits, and its disk is
// full for a while, where this machine allows a small disk to be made. A device that got no receipt sends the same bytes again.
// At the end: every device has a receipt; the log has each of them once, and nothing else; the estimate is equal to the
// bit to that of the same reports in one process. The last line counts the checks.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { check, finish, MAIN } from './serving.mjs';

const root = new URL('../../', import.meta.url);
const of = (path) => import(new URL(`dist/${path}`, root).href);
const [{ bits, certify, createCollector, seededRandom }, { hinge, lifted }, { collector }] = await Promise.all([
  of('src/index.js'),
  of('protocols/hinge/index.js'),
  of('src/client/index.js'),
]);

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    reports: { type: 'string', default: '4000' },
    seed: { type: 'string', default: 'faults' },
  },
});
const [kills, count] = [Number(options.kills), Number(options.reports)];
const random = seededRandom(options.seed);
const uniform = () => bits(random) / 2 ** 32;

const parameters = lifted({ epsilon: 1, degree: 1, dimension: 4, grade: 'deployment' });
const { digest } = parameters;
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-faults-'));
const plan = join(folder, 'plan.json');
writeFileSync(plan, JSON.stringify(certify(hinge, parameters)));
const reports = Array.from({ length: count }, (_, i) =>
  hinge.report.encode(
    parameters,
    hinge.player.randomize(
      parameters,
      { features: Float64Array.of(0.5, 0.5, i % 2 ? 0.5 : -0.5, 0.1), label: i % 3 ? 1 : -1 },
      random,
    ),
  ),
);

/** A collector on a port of its own, which stays the same over its restarts. */
async function start(store, port) {
  const words = [MAIN, 'serve', plan, '--folder', store, '--port', `${port}`, '--rate', '0', '--minimum-players', '1'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, fail) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /listening on (\S+)/.exec(said);
      if (found !== null) resolve(found[1]);
    });
    child.once('exit', (status, signal) => fail(new Error(`the collector ended with ${status ?? signal}`)));
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    address,
    port: Number(new URL(address).port),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

const status = async ({ address }) => (await fetch(`${address}plans/${digest}/status`)).json();

/** All devices, forty at a time; each sends until it has a receipt. Who is hostile or replays does so beside them. */
async function sendAll(sending, from, to, receipts) {
  let next = from;
  const work = async () => {
    while (next < to) {
      const i = next++;
      const dice = uniform();
      if (dice < 0.01)
        await sending.send(
          digest,
          `hostile ${i}`,
          reports[i].map((byte) => byte ^ 1),
        );
      receipts[i] = (await sending.send(digest, `device ${i}`, reports[i])).outcome;
      if (dice > 0.98) await sending.send(digest, `device ${i}`, reports[i]);
    }
  };
  await Promise.all(Array.from({ length: 40 }, work));
}

/** What the collector holds in the end, beside the same reports in one process. */
async function compare(what, running, store, expected) {
  check(`${what}: the collector counts every device once`, (await status(running)).counted === expected);
  const estimate = await (await fetch(`${running.address}plans/${digest}/estimate`)).text();
  await running.end('SIGTERM');
  const file = join(folder, `${what.replaceAll(' ', '-')}.parquet`);
  const words = [MAIN, 'export', plan, '--folder', store, '--out', file];
  const said = execFileSync(process.execPath, words, { encoding: 'utf8' });
  check(`${what}: the log has each report once, and nothing else`, said.startsWith(`wrote ${expected} reports`));
  const tallied = execFileSync(process.execPath, [MAIN, 'tally', plan, file], { encoding: 'utf8' });
  check(`${what}: the estimate is that of its log in another process, to the bit`, tallied.trim() === estimate.trim());
  const here = createCollector(hinge, parameters);
  for (const bytes of reports.slice(0, expected)) here.receive(bytes);
  const { w } = hinge.server.estimate(parameters, here.tally);
  const close = JSON.parse(estimate).w.every((entry, j) => Math.abs(entry - w[j]) < 1e-9);
  // The order of the reports is another one, and sums are rounded in their order.
  check(`${what}: and that of the reports which were sent`, close);
}

async function kill() {
  const store = join(folder, 'killed');
  let running = await start(store, 0);
  const { port } = running;
  const receipts = [];
  let over = false;
  const sending = collector(running.address, { attempts: 60, wait: 50 });
  const sent = sendAll(sending, 0, count, receipts).finally(() => {
    over = true;
  });
  let killed = 0;
  for (; killed < kills && !over; killed++) {
    await pause(100 + 900 * uniform());
    await running.end('SIGKILL');
    if (killed % 5 === 4) damageKeptState(store);
    running = await start(store, port);
  }
  await sent;
  check(`killed ${killed} times: every device has a receipt`, receipts.length === count);
  check(
    'killed: all receipts say counted, or duplicate after a lost answer',
    receipts.every((outcome) => outcome === 'counted' || outcome === 'duplicate'),
  );
  await compare('killed', running, store, count);
}

/** Flips a bit of the state that the log keeps beside its entries: it has to be made again from the entries. */
function damageKeptState(store) {
  const script = `
    import { open } from 'lmdb';
    const root = open({ path: ${JSON.stringify(join(store, digest, 'reports'))}, maxDbs: 4 });
    const entries = root.openDB({ name: 'entries', keyEncoding: 'uint32', encoding: 'binary' });
    const value = entries.get(0);
    if (value !== undefined) { const other = Buffer.from(value); other[other.length >> 1] ^= 4; await entries.put(0, other); }
    await root.close();`;
  const { status: ended } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(root),
    stdio: 'inherit',
  });
  if (ended !== 0) throw new Error('the state could not be damaged');
}

/** A disk of 3 MiB, which is full after a while; undefined where none can be made. */
function smallDisk() {
  const path = join(folder, 'disk');
  mkdirSync(path);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', path], { stdio: 'ignore' }).status === 0
    ? path
    : undefined;
}

async function full() {
  const disk = smallDisk();
  if (disk === undefined) {
    process.stdout.write('--   full disk: not played, since this user may not mount one\n');
    return;
  }
  try {
    const most = Math.min(count, 2000);
    const running = await start(disk, 0);
    const receipts = [];
    const sending = collector(running.address, { attempts: 200, wait: 50 });
    const few = Math.floor(most / 4);
    await sendAll(sending, 0, few, receipts);
    const ballast = join(disk, 'ballast');
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k'], { stdio: 'ignore' });
    const before = (await status(running)).counted;
    const rest = sendAll(sending, few, most, receipts);
    await pause(1500);
    const answer = await fetch(`${running.address}plans/${digest}/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'ldpkit-player': 'while it is full' },
      body: reports[0].map((byte) => byte ^ 1),
    });
    check('full disk: what is no report is still refused', (await answer.json()).outcome === 'refused');
    process.stdout.write(
      `--   full disk: ${before} reports before, ${(await status(running)).counted} while it was full\n`,
    );
    rmSync(ballast);
    await rest;
    check('full disk: every device has a receipt after there is room again', receipts.filter(Boolean).length === most);
    await compare('full disk', running, disk, most);
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
}

try {
  await kill();
  await full();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
finish();
