import { hostname } from 'node:os';
import { tell } from 'ldpkit/node';
import { workOnChunks } from '../engine/chunk-workers.ts';
import { readThreads } from './computing-options.ts';

/** Options of `npm run evidence -- work`, as the command line gives them. */
interface WorkOptions {
  readonly threads?: string;
  readonly name?: string;
}

/**
 * `npm run evidence -- work`: computes chunks of other machines (`--workers`), until the process is told to end. What was begun is
 * finished first.
 *
 * @throws RangeError naming the option, where the server does not answer, and for chunks of other code.
 */
export async function work(servers: string, options: WorkOptions): Promise<void> {
  const { name = `${hostname()}-${process.pid}` } = options;
  const threads = readThreads(options);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  tell([`worker ${name}: waiting for chunks`]);
  await workOnChunks(servers, { name, threads, signal: ending.signal });
}
