import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { WAYS } from './work.ts';

/** What a process of its own is asked to measure. */
export interface ScaleTask {
  readonly way: keyof typeof WAYS;
  readonly players: number;
  /** Threads that share the players; 1 for sums. */
  readonly threads: number;
}

/** What it measured. The data are made, and their moments computed, before the clocks start. */
export interface ScalePoint extends ScaleTask {
  /** By the clock on the wall. */
  readonly seconds: number;
  /** Of all processors together. */
  readonly processorSeconds: number;
  /** The most memory that the process ever had, in bytes. */
  readonly memory: number;
}

/** A part of the players, for one thread. */
interface Part extends ScaleTask {
  readonly part: number;
}

/** Plays a part of the players after the main thread has said so, and says when it is ready. */
function playPart({ way, players, threads, part }: Part): void {
  const play = WAYS[way](players);
  parentPort!.once('message', () => {
    parentPort!.postMessage(play(Math.floor((part * players) / threads), Math.floor(((part + 1) * players) / threads)));
    parentPort!.close();
  });
  parentPort!.postMessage('ready');
}

async function measure(task: ScaleTask): Promise<ScalePoint> {
  const { players, threads } = task;
  const workers = Array.from(
    { length: threads },
    (_, part) => new Worker(new URL(import.meta.url), { workerData: { ...task, part } satisfies Part }),
  );
  const next = (worker: Worker): Promise<unknown> =>
    new Promise((done, failed) => worker.once('message', done).once('error', failed));
  await Promise.all(workers.map(next));
  const started = performance.now();
  const before = process.cpuUsage();
  const played = workers.map(next);
  for (const worker of workers) worker.postMessage('play');
  const tallied = ((await Promise.all(played)) as number[]).reduce((sum, part) => sum + part, 0);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (tallied !== players) throw new Error(`a tally of ${tallied} players in the place of ${players}`);
  const memory = process.resourceUsage().maxRSS * 1024;
  return { ...task, seconds, processorSeconds: (user + system) / 1e6, memory };
}

if (isMainThread) process.stdout.write(JSON.stringify(await measure(JSON.parse(process.argv[2]) as ScaleTask)));
else playPart(workerData as Part);
