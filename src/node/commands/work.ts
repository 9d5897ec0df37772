import { hostname } from 'node:os';
import { workFor } from '../jobs/remote.ts';
import { tell } from '../print.ts';

/** The options of `ldpkit work`. */
interface WorkerOptions {
  readonly folder: string;
  readonly threads: number;
  readonly name?: string;
}

/**
 * `ldpkit work`: does jobs of runs on other machines (`ldpkit run --workers`), until the process is told to end. A job that has begun
 * is finished first.
 *
 * @throws RangeError for jobs of another version, and where the server does not answer.
 */
export async function work(servers: string, { folder, threads, name }: WorkerOptions): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const own = name ?? `${hostname()}-${process.pid}`;
  tell([`worker ${own}: waiting for jobs`]);
  await workFor(servers, { name: own, folder, threads, signal: ending.signal });
}
