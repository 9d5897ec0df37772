import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { RefusedValue } from '../../check/refusal.ts';
import { type FlightFiles, locateAirports, locateFlights } from '../flights.ts';
import { compact, counted, tell, wholeNumber } from '../print.ts';
import { type Answer, resultOf } from '../refused.ts';
import { untilEnded } from '../run-program.ts';
import { type Done, doList, type JobList, type Workforce } from './jobs.ts';
import { openQueue, type Queue } from './queue.ts';
import { engine, fileDigest, type ReadFile, type RunRequest } from './request.ts';

/** What the thread of a run is made with: its protocol and options, whose files are those of this machine. */
export interface PlayerData extends Pick<RunRequest, 'word' | 'typed'> {
  readonly placed: FlightFiles;
  readonly threads: number;
}

export interface AskedJob {
  readonly list: Pick<JobList<object, unknown>, 'name' | 'common'>;
  readonly given: object;
}

/** What became of a job: its result, a refusal, or the calls that led to an error of the program. */
type JobAnswer = Answer<Done> | { readonly broken: string };

type PlayerThread = ReturnType<typeof startPlayer>;

/** Starts a thread that reads the data of a run and then does its jobs; `busy` is the number of those that are not done yet. */
function startPlayer(data: PlayerData) {
  const thread = new Worker(new URL('./player.js', import.meta.url), { workerData: data });
  const waiting = new Map<number, (answer: JobAnswer) => void>();
  let asked = 0;
  let broken: string | undefined;
  const give = (id: number, answer: JobAnswer): void => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  thread.on('message', ({ id, answer, broken }: { id: number; answer?: Answer<Done>; broken: string }) =>
    give(id, answer ?? { broken }),
  );
  thread.on('error', (error) => {
    broken = error.stack ?? String(error);
  });
  // It ends after an error too. Nothing that it is asked from then on has an answer.
  thread.on('exit', () => {
    broken ??= 'the thread of the run has ended';
    for (const id of waiting.keys()) give(id, { broken });
  });
  return {
    does: (job: AskedJob) =>
      new Promise<JobAnswer>((resolve) => {
        if (broken !== undefined) return resolve({ broken });
        waiting.set(asked, resolve);
        thread.postMessage({ id: asked++, ...job });
      }),
    get busy() {
      return waiting.size;
    },
    get ended() {
      return broken !== undefined;
    },
    end: () => thread.terminate(),
  };
}

/** The options of `ldpkit work`. */
interface WorkerOptions {
  /** Where files of runs are kept, by their content. */
  readonly folder: string;
  readonly threads: number;
  readonly name?: string;
}

// The two ends of a queue: a run that sends its jobs, and a worker that does them.

/** Jobs of a run that wait in the queue, at most. */
const MOST_WAITING = 512;

/** A job as it is sent: what is the same for many of them is an object of the queue. */
interface SentJob {
  readonly request: string;
  readonly name: string;
  readonly common: string | undefined;
  readonly given: object;
}

/** What a worker did in a run: `seconds` of all jobs, `playing` of those that play players. */
const NOTHING_DONE = { jobs: 0, players: 0, seconds: 0, playing: 0 };

/** Plays a request by the workers of a queue; `play` plays it by a workforce. They run no code that is sent to them. */
export async function playRemotely<Shown>(
  servers: string,
  request: RunRequest,
  play: (workforce: Workforce) => Promise<Shown>,
): Promise<Shown> {
  if ('protocol' in request.files) {
    throw new RefusedValue('workers', 'a protocol of this package: workers run no code that is sent', request.word);
  }
  const queue = await openQueue(servers, undefined, 'workers');
  try {
    if ((await queue.workers(request.version)) === 0) tell(['no worker is there yet (ldpkit work): waiting for one']);
    for (const { path, digest } of Object.values(request.files)) {
      if ((await queue.put(await readFile(path))) !== digest) throw new RefusedValue(`"data" changed: ${path}`);
    }
    const sent = await queue.put(serialize(request));
    const sender = await queue.send<JobAnswer>(request.version);
    const shares = new Map<string, typeof NOTHING_DONE>();
    const begun = performance.now();
    const rates = (): string => {
      const minutes = (performance.now() - begun) / 60_000;
      return [...shares].map(([name, { jobs }]) => `${name} ${compact(jobs / minutes)} jobs a minute`).join(', ');
    };
    const all = async <Given extends object, Result>(list: JobList<Given, Result>): Promise<number> => {
      const common = list.common === undefined ? undefined : await queue.put(serialize(list.common));
      const { name, size } = list;
      const doOne = async (given: Given): Promise<Done<Result>> => {
        const { worker, answer } = await sender.ask({ request: sent, name, common, given } satisfies SentJob);
        if ('broken' in answer) throw new Error(`worker ${worker}: ${answer.broken}`);
        const done = resultOf(answer) as Done<Result>;
        const share = shares.get(worker) ?? { ...NOTHING_DONE };
        shares.set(worker, share);
        share.jobs++;
        share.seconds += done.seconds;
        if (size !== undefined && !list.late) {
          share.players += size(given);
          share.playing += done.seconds;
        }
        return done;
      };
      return doList(list, MOST_WAITING, doOne, rates);
    };
    try {
      const shown = await play({ open: async () => ({ whole: true, all }) });
      tell([...shares].map(([name, share]) => shareText(name, share)));
      return shown;
    } finally {
      await sender.end();
    }
  } finally {
    await queue.close();
  }
}

function shareText(name: string, { jobs, players, seconds, playing }: typeof NOTHING_DONE): string {
  const rate = playing > 0 ? `, ${wholeNumber(players / playing)} players a second` : '';
  return `worker ${name}: ${counted(jobs, 'job')}, ${seconds.toFixed(1)} s of work${rate}`;
}

/** `ldpkit work`: does jobs of runs on other machines until the process is told to end, and finishes what has begun. */
export async function work(servers: string, options: WorkerOptions): Promise<void> {
  const { folder, threads, name = `${hostname()}-${process.pid}` } = options;
  const queue = await openQueue(servers, undefined, 'url');
  const { signal } = untilEnded();
  tell([`worker ${name}: waiting for jobs`]);
  const players = new Map<string, Promise<PlayerThread>>();
  const commons = new Map<string, Promise<object>>();
  const begin = async (digest: string): Promise<PlayerThread> => {
    const { word, typed, files } = deserialize(await queue.get(digest)) as RunRequest;
    const found = Object.entries(files).map(async ([name, file]) => [name, await localFile(name, file, folder, queue)]);
    const local: { readonly [name: string]: string } = Object.fromEntries(await Promise.all(found));
    const { flights, airports, ...named } = local;
    return startPlayer({ word, typed: { ...typed, ...named }, placed: { flights, airports }, threads });
  };
  const load = async (digest: string): Promise<object> => deserialize(await queue.get(digest)) as object;
  const does = async ({ request, name: job, common, given }: SentJob): Promise<JobAnswer> => {
    const shared = common === undefined ? {} : { common: await once(commons, common, load, 8) };
    // Last, so that the thread knows of the job before it may be ended.
    const made = once(players, request, begin, 2, endIdle);
    const answer = await (await made).does({ list: { name: job, ...shared }, given });
    // The next job begins another one.
    if ((await made).ended && players.get(request) === made) players.delete(request);
    return answer;
  };
  try {
    await queue.serve({ name, version: engine(), width: threads, signal, does: (job) => does(job as SentJob) });
  } finally {
    await Promise.allSettled([...players.values()].map(async (player) => (await player).end()));
    await queue.close();
  }
}

/** What a key makes, made once; of old ones at most `most` are kept, and `end` says whether one may go. */
function once<Made>(
  known: Map<string, Promise<Made>>,
  key: string,
  make: (key: string) => Promise<Made>,
  most: number,
  end: (made: Promise<Made>) => void = () => undefined,
): Promise<Made> {
  const found = known.get(key) ?? make(key);
  known.delete(key);
  known.set(key, found);
  for (const [old, made] of known) {
    if (known.size <= most) break;
    known.delete(old);
    end(made);
  }
  // A failure is not kept: the job that it belongs to goes to whoever asks next.
  found.catch(() => known.delete(key));
  return found;
}

/** Ends the thread of a run that nobody asked for jobs lately, as soon as its last job is done. */
async function endIdle(made: Promise<PlayerThread>): Promise<void> {
  const player = await made.catch(() => undefined);
  while (player !== undefined && player.busy > 0) await new Promise((resolve) => setTimeout(resolve, 500));
  await player?.end();
}

/** Where a file of a request is on this machine; one that is not there is fetched, once. */
async function localFile(name: string, { path, digest }: ReadFile, folder: string, queue: Queue): Promise<string> {
  const own = ownFile(name);
  if (own !== undefined && (await fileDigest(name, own)) === digest) return own;
  // The name stays: it tells the form of a file, and what records without a title are called.
  const place = join(folder, digest);
  const local = join(place, basename(path));
  if ((await stat(local).catch(() => undefined)) !== undefined) return local;
  const bytes = await queue.get(digest);
  if (createHash('sha256').update(bytes).digest('hex') !== digest) throw new Error(`object ${digest} is damaged`);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const draft = `${local}.${process.pid}.draft`;
  await writeFile(draft, bytes, { mode: 0o600 });
  await rename(draft, local);
  return local;
}

/** A file of vega-datasets on this machine. */
function ownFile(name: string): string | undefined {
  try {
    return name === 'flights' ? locateFlights() : name === 'airports' ? locateAirports() : undefined;
  } catch {
    return undefined;
  }
}
