import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { Consumer, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { RefusedValue, refusal } from '../../check/refusal.ts';
import { optionalModule } from '../serve/log.ts';
import { openNats } from '../serve/requests.ts';

// A queue of jobs on a NATS server. A job is a message of a work queue, which is there until a worker acknowledges it; a worker
// does so after the server has stored the result. A job whose worker is silent goes to another one. Results have a subject for
// each job, of which the server takes the first message alone: a job that was done twice has one result. What is large, or sent
// to many, is an object with its own digest as its name.

/** What a queue is called on its server: streams, the store of objects, and subjects. */
const namesOf = (name: string) => ({
  ...{ jobs: `${name}-jobs`, results: `${name}-results`, objects: `${name}-files` },
  ...{ hello: `${name}.hello`, job: `${name}.jobs`, result: `${name}.results` },
});

type Names = ReturnType<typeof namesOf>;

/** The consumer of the jobs that all workers share. */
const WORKERS = 'workers';
/** Nanoseconds, as the server counts. */
const [SECOND, DAY] = [1e9, 24 * 3600e9];
/** A worker that says nothing for so long is taken for dead, in seconds. */
const SILENCE = 6;
/** Largest message; a server refuses those above 1 MiB, unless it is told otherwise. */
const LARGEST = 1 << 18;
/** The server's code for a second result of a job. */
const THERE_ALREADY = 10077;

/** A message of the queue. Plain data. */
interface JobMessage {
  readonly run: string;
  readonly number: number;
  /** What the worker has to be to do it: see `engine`. */
  readonly version: string;
  readonly job: unknown;
}

/** What a worker answers. */
interface ResultMessage<Answer> {
  readonly worker: string;
  readonly answer: Answer;
}

/** A queue that is open, for those who send jobs and those who do them. */
export interface Queue {
  /** Keeps bytes, once, under their digest. */
  put(bytes: Uint8Array): Promise<string>;
  /** The bytes of a digest. */
  get(digest: string): Promise<Uint8Array>;
  /**
   * How many workers answer now.
   * @throws RangeError where one of them has another version.
   */
  workers(version: string): Promise<number>;
  /** Sends jobs of one run, and hears their results. */
  send<Answer>(version: string): Promise<JobSender<Answer>>;
  /** Does jobs, so many at once, until it is told to stop; a job of another version ends it with a refusal. */
  serve(worker: ServingWorker): Promise<void>;
  /** Ends the connection; what waits in the queue stays there. */
  close(): Promise<void>;
}

/** Who sends the jobs of a run. */
export interface JobSender<Answer> {
  /** Sends a job, and returns its result as soon as a worker has it. */
  ask(job: unknown): Promise<ResultMessage<Answer>>;
  /** Takes back what is left of the run. */
  end(): Promise<void>;
}

/** Who does jobs. */
export interface ServingWorker {
  readonly name: string;
  readonly version: string;
  /** Jobs at once. */
  readonly width: number;
  readonly signal: AbortSignal;
  /** Does a job; its answer is plain data, and says what was refused, if anything. */
  does(job: unknown): Promise<unknown>;
}

/**
 * Opens a queue of jobs on a NATS server with JetStream, and makes it where it is not there. Jobs and results are plain data.
 * Addresses are such as `nats://a:4222,nats://b:4222`. Names are letters, digits and dashes, that of `ldpkit run --workers` by
 * default; queues of other names know nothing of each other. `option` is where the addresses were typed, for refusals.
 *
 * Law: a job is done at least once, also where its worker dies, and has one result, the first.
 * @throws RangeError for another name, where no server answers, and without the packages.
 */
export async function openQueue(servers: string, name: string = 'ldpkit', option: string = 'servers'): Promise<Queue> {
  if (!/^[A-Za-z\d-]{1,64}$/.test(name)) throw new RefusedValue('name', 'letters, digits and dashes', name);
  const names = namesOf(name);
  const connection = await openNats(servers, option);
  const [{ jetstream }, { Objm }] = await Promise.all([
    optionalModule<typeof import('@nats-io/jetstream')>('@nats-io/jetstream'),
    optionalModule<typeof import('@nats-io/obj')>('@nats-io/obj'),
  ]);
  const client = jetstream(connection, { timeout: 20_000 });
  const manager = await client.jetstreamManager().catch(async (cause: unknown) => {
    await connection.close();
    throw new RefusedValue(refusal(option, 'a NATS server with JetStream (nats-server -js)', 'one without'), {
      cause,
    });
  });
  await makeStreams(manager, names);
  const objects = await new Objm(client).create(names.objects, { ttl: 7 * DAY });
  const store: Store = {
    async put(bytes) {
      const digest = createHash('sha256').update(bytes).digest('hex');
      if ((await objects.info(digest)) === null) await objects.putBlob({ name: digest }, bytes);
      return digest;
    },
    async get(digest) {
      const bytes = await objects.getBlob(digest);
      if (bytes === null) throw new Error(`the queue has no object ${digest}`);
      return bytes;
    },
  };
  const opened: Opened = { names, connection, client, manager, ...store };
  return {
    ...store,
    async workers(version) {
      let found = 0;
      const answers = await connection.requestMany(names.hello, '', { maxWait: 700, maxMessages: 1000 });
      try {
        for await (const answer of answers) {
          const other = answer.json<{ readonly name: string; readonly version: string }>();
          if (other.version !== version) {
            throw new RefusedValue(
              `"workers" expected workers of ${version} (this program), got ${other.name} of ${other.version}`,
            );
          }
          found++;
        }
      } catch (error) {
        // Nobody listens: workers may come later.
        if ((error as Error).name !== 'NoResponders') throw error;
      }
      return found;
    },
    send: (version) => sender(version, opened),
    serve: (worker) => serve(worker, opened),
    close: () => connection.close(),
  };
}

async function makeStreams({ streams, consumers }: JetStreamManager, names: Names): Promise<void> {
  await streams.add({ name: names.jobs, subjects: [`${names.job}.>`], retention: 'workqueue', max_age: DAY });
  await streams.add({
    name: names.results,
    subjects: [`${names.result}.>`],
    max_msgs_per_subject: 1,
    discard: 'new',
    discard_new_per_subject: true,
    max_age: DAY,
  });
  const wait = { ack_policy: 'explicit', ack_wait: SILENCE * SECOND, max_ack_pending: 100_000 } as const;
  await consumers.add(names.jobs, { durable_name: WORKERS, ...wait });
}

type Store = Pick<Queue, 'put' | 'get'>;

/** A value as bytes of a message: itself, or where it is large, the digest of an object. */
async function packed(value: unknown, { put }: Store): Promise<Uint8Array> {
  const bytes = serialize(value);
  return bytes.length <= LARGEST ? bytes : serialize({ object: await put(bytes) });
}

async function unpacked<Value>(bytes: Uint8Array, { get }: Store): Promise<Value> {
  // The bytes of a message belong to the connection.
  const value = deserialize(bytes.slice()) as Value | { readonly object: string };
  const large = typeof value === 'object' && value !== null && 'object' in value;
  return large ? (deserialize(await get(value.object)) as Value) : (value as Value);
}

/** What a sender and a worker have of a queue. */
interface Opened extends Store {
  readonly names: Names;
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

async function sender<Answer>(
  version: string,
  { names, client, manager, ...store }: Opened,
): Promise<JobSender<Answer>> {
  const run = randomUUID();
  const waiting = new Map<number, (result: ResultMessage<Answer>) => void>();
  const consumer = await client.consumers.get(names.results, { filter_subjects: `${names.result}.${run}.>` });
  const messages = await consumer.consume();
  const hear = async (): Promise<void> => {
    for await (const message of messages) {
      const number = Number(message.subject.split('.').at(-1));
      waiting.get(number)?.(await unpacked(message.data, store));
      waiting.delete(number);
    }
  };
  const hearing = hear();
  // Who waits for a result hears that no more will come.
  const deaf = new Promise<never>((_, failed) => void hearing.catch(failed));
  deaf.catch(() => undefined);
  let number = 0;
  return {
    async ask(job) {
      const own = number++;
      const result = new Promise<ResultMessage<Answer>>((resolve) => waiting.set(own, resolve));
      const bytes = await packed({ run, number: own, version, job } satisfies JobMessage, store);
      await client.publish(`${names.job}.${run}.${own}`, bytes, { msgID: `${run}.${own}`, retries: 5 });
      return Promise.race([result, deaf]);
    },
    async end() {
      await messages.close();
      // Where it failed, those who asked have heard of it.
      await hearing.catch(() => undefined);
      await manager.streams.purge(names.jobs, { filter: `${names.job}.${run}.>` });
      await manager.streams.purge(names.results, { filter: `${names.result}.${run}.>` });
    },
  };
}

async function serve(worker: ServingWorker, opened: Opened): Promise<void> {
  const { name, version, width, signal } = worker;
  const { names, connection, client } = opened;
  connection.subscribe(names.hello, {
    callback(_, message) {
      message.respond(JSON.stringify({ name, version }));
    },
  });
  const consumer = await client.consumers.get(names.jobs, WORKERS);
  const failures: unknown[] = [];
  const slot = async (): Promise<void> => {
    while (!signal.aborted && failures.length === 0) {
      const message = await nextOf(consumer);
      if (message !== null) await serveOne(message, worker, opened).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: width }, slot));
  if (failures.length > 0) throw failures[0];
}

/** The next job; null where there is none for a second, or the server is away. */
async function nextOf(consumer: Consumer): Promise<JsMsg | null> {
  try {
    return await consumer.next({ expires: 1000 });
  } catch {
    await pause(300);
    return null;
  }
}

async function serveOne(message: JsMsg, worker: ServingWorker, { names, client, ...store }: Opened): Promise<void> {
  const heart = setInterval(() => message.working(), (SILENCE * 1000) / 3);
  try {
    const { run, number, version, job } = await unpacked<JobMessage>(message.data, store);
    if (version !== worker.version) {
      message.nak();
      throw new RefusedValue(`"version" expected jobs of ${worker.version} (this worker), got jobs of ${version}`);
    }
    const answer = await worker.does(job);
    const bytes = await packed({ worker: worker.name, answer } satisfies ResultMessage<unknown>, store);
    try {
      await client.publish(`${names.result}.${run}.${number}`, bytes, { retries: 20 });
    } catch (error) {
      // Another worker was faster: its result is the same.
      if ((error as { readonly code?: number }).code !== THERE_ALREADY) throw error;
    }
    message.ack();
  } finally {
    clearInterval(heart);
  }
}
