import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hinge, lifted, liftedHinge } from '../../../protocols/hinge/index.ts';
import { collector, type SentReceipt } from '../../client/index.ts';
import { certify } from '../../core/certify.ts';
import { deployedPlayer } from '../../core/device.ts';
import { createLedger, memoryStore, pureCap } from '../../core/ledger.ts';
import { canonicalJson, type Json } from '../../core/request.ts';
import type { Uncertainty } from '../../inference/model-interval.ts';
import { normal } from '../../random/random.ts';
import { seededRandom } from '../../random/seeded.ts';
import { jsonText, print, rounded, tell } from '../print.ts';
import { createProgress } from '../progress.ts';
import { uncertaintyNotes } from '../report/verdict.ts';

/** p of the demonstration, its ε, and how many devices send at a time. */
const [DIMENSION, EPSILON, AT_A_TIME] = [6, 2, 64];

/** `ldpkit demo`: a collector in a process of its own, and simulated devices; exit code 0 only if all have a receipt and they add up. */
export async function demo({ devices, exit }: { readonly devices: number; readonly exit?: true }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ldpkit-demo-'));
  const parameters = lifted({ epsilon: EPSILON, degree: 1, dimension: DIMENSION, grade: 'deployment' });
  const plan = join(folder, 'plan.json');
  await writeFile(plan, jsonText(certify(hinge, parameters)));
  const fewest = ['--minimum-players', String(Math.min(devices, 100))];
  const words = ['serve', plan, '--folder', folder, '--port', '0', '--rate', '0', ...fewest];
  const ending = new AbortController();
  const { signal } = ending;
  const end = (): void => ending.abort();
  for (const name of SIGNALS) process.on(name, end);
  // Detached: Ctrl-C ends the devices first, and they the collector.
  const server = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  // It may end by itself, and says so once.
  const ended = new Promise<true>((resolve) => server.once('exit', () => resolve(true)));
  try {
    const address = await addressOf(server.stdio[1]);
    print([
      `live page: ${address}`,
      `${devices} simulated devices answer at ε = ${EPSILON}, each with coins and a ledger of its own; this process makes their parameters once`,
    ]);
    const receipts = await sendAll(address, parameters, devices, signal);
    if (signal.aborted) {
      process.exitCode = INTERRUPTED;
      return;
    }
    const counted = receipts.filter(({ outcome }) => outcome === 'counted').length;
    const status = (await ask(`${address}plans/${parameters.digest}/status`)) as { readonly counted: number };
    const found = await ask(`${address}plans/${parameters.digest}/estimate`);
    const { w, uncertainty } = found as { readonly w: readonly number[]; readonly uncertainty: Uncertainty };
    const figure = (value: number): string => rounded(value, 2);
    print([
      `${counted} receipts say "counted"; the collector counts ${status.counted}`,
      `w = ${w.map(figure).join(', ')}: the labels follow the second coordinate`,
      ...uncertaintyNotes({ name: 'estimate', who: 'players', players: counted, uncertainty, figure }),
    ]);
    if (counted !== devices || status.counted !== devices) process.exitCode = 1;
    if (exit !== true) {
      print(['end with Ctrl-C']);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }
  } catch (error) {
    // Its output may end a moment before it does.
    if (!(await Promise.race([ended, pause(A_MOMENT, false, { ref: false })]))) throw error;
    tell(['ldpkit: the collector has ended, and the demonstration with it']);
    process.exitCode = 1;
  } finally {
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
    for (const name of SIGNALS) process.off(name, end);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** The exit code of a shell for a command that Ctrl-C ended. */
const INTERRUPTED = 130;
/** In ms. */
const A_MOMENT = 1000;

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** The address that the collector prints when it listens. */
async function addressOf(said: Readable): Promise<string> {
  for await (const line of createInterface({ input: said })) {
    const found = /^listening on (\S+)$/.exec(line);
    if (found !== null) return found[1];
  }
  throw new Error('the collector ended before it listened');
}

/** The player of devices that share a process: parameters are a function of the request alone, so that the first device makes them for all. */
function sharingParameters({ make, ...device }: typeof liftedHinge): typeof liftedHinge {
  const made = new Map<string, ReturnType<typeof lifted>>();
  return {
    ...device,
    make(request) {
      const key = canonicalJson(request as Json);
      const parameters = made.get(key) ?? make!(request);
      made.set(key, parameters);
      return parameters;
    },
  };
}

/** Every device has a ledger of its own, makes its report and sends it. The records are drawn: they are nobody's. */
async function sendAll(
  address: string,
  { request, digest }: ReturnType<typeof lifted>,
  devices: number,
  signal: AbortSignal,
): Promise<readonly SentReceipt[]> {
  if (request === undefined) throw new Error('variants remember their request');
  const random = seededRandom('demonstration');
  const sending = collector(address);
  const shared = sharingParameters(liftedHinge);
  const progress = createProgress();
  progress.begin('devices answer', devices);
  const receipts: SentReceipt[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < devices && !signal.aborted) {
      const player = `device ${next++}`;
      const features = Float64Array.from({ length: DIMENSION }, () => normal(random));
      const label = features[1] > 0 ? 1 : -1;
      const norm = Math.hypot(...features);
      const ledger = createLedger({ cap: pureCap(EPSILON), store: memoryStore() });
      const device = deployedPlayer(shared, { request, digest }, { ledger });
      const bytes = device.report({ features: features.map((entry) => entry / norm), label });
      receipts.push(await sending.send(digest, player, bytes));
      progress.advance(receipts.length);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  progress.end();
  return receipts;
}

async function ask(address: string): Promise<unknown> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
  return answer.json();
}
