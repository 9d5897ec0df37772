import { fileURLToPath } from 'node:url';
import { openQueue, packageVersion, tell } from 'ldpkit/node';
import { type ChunkComputer, type ChunkTask, type ComputedChunk, createChunkThreads } from './chunk-threads.ts';

// Chunks computed by workers on other machines, through a queue on a NATS server. A chunk is a function of its task alone, so
// that the result is the same bits as on one machine, as long as everybody computes by the same code.

/** The queue; `ldpkit run --workers` has another one. */
const QUEUE = 'ldpkit-evidence';

/** Chunks that wait in the queue, at most: so many are left where a program is killed. */
const MOST_WAITING = 512;

/** What a worker answers: the chunk and how many threads it has, or what went wrong. */
type ChunkAnswer = (ComputedChunk & { readonly width: number }) | { readonly broken: string };

/** What computes: the evidence has the digest of its sources as the name of its folder. */
function engine(): string {
  const sources = fileURLToPath(new URL('..', import.meta.url))
    .split('/')
    .at(-2);
  return `ldpkit ${packageVersion()}, evidence ${sources}, V8 ${process.versions.v8}, ${process.arch}`;
}

/**
 * The workers of a NATS server; chunks wait there until one takes them.
 *
 * @throws RangeError where no server answers, or a worker computes by other code.
 */
export async function createChunkWorkers(servers: string): Promise<ChunkComputer> {
  const queue = await openQueue(servers, QUEUE, 'workers');
  const version = engine();
  try {
    if ((await queue.workers(version)) === 0) {
      tell(['no worker is there yet (npm run evidence -- work): waiting for one']);
    }
  } catch (error) {
    await queue.close();
    throw error;
  }
  const sender = await queue.send<ChunkAnswer>(version);
  const widths = new Map<string, number>();
  const places = placesOf(MOST_WAITING);
  return {
    get threads() {
      return [...widths.values()].reduce((sum, width) => sum + width, 0);
    },
    compute: (task) =>
      places(async () => {
        const { worker, answer } = await sender.ask(task);
        if ('broken' in answer) throw new Error(`worker ${worker}: ${answer.broken}`);
        widths.set(worker, answer.width);
        return { json: answer.json, seconds: answer.seconds };
      }),
    async close() {
      await sender.end();
      await queue.close();
    },
    leave: () => sender.end(),
  };
}

/** Lets at most so many go on at once; the others wait for their turn. */
function placesOf(free: number): <Result>(go: () => Promise<Result>) => Promise<Result> {
  const turns: (() => void)[] = [];
  return async (go) => {
    if (free > 0) free--;
    else await new Promise<void>((turn) => turns.push(turn));
    try {
      return await go();
    } finally {
      const next = turns.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

/**
 * Computes chunks of a queue until it is told to stop; what was begun is finished first.
 *
 * @throws RangeError where no server answers, and for a chunk of other code.
 */
export async function workOnChunks(
  servers: string,
  {
    name,
    threads,
    signal,
  }: { readonly name: string; readonly threads: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const queue = await openQueue(servers, QUEUE, 'url');
  const computer = createChunkThreads(threads);
  const { threads: width } = computer;
  const does = async (task: unknown): Promise<ChunkAnswer> => {
    try {
      return { ...(await computer.compute(task as ChunkTask)), width };
    } catch (error) {
      return { broken: (error as Error).message };
    }
  };
  try {
    await queue.serve({ name, version: engine(), width, signal, does });
  } finally {
    await computer.close();
    await queue.close();
  }
}
