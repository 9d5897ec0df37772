import { setTimeout as pause } from 'node:timers/promises';
import type { MsgRequest, StoredMsg, StreamInfo } from '@nats-io/jetstream';
import { RefusedValue } from '../../check/refusal.ts';
import { type ClusterLog, END, type Found, nameOf, partitionOf, readerOf } from './cluster-log.ts';
import type { Collected } from './collection.ts';
import { isOrdered } from './fold.ts';
import { type Marked, optionalModule } from './log.ts';
import { codeOf, makeStream, openNats, patiently, requestsOf } from './requests.ts';

/** How a cluster is opened. */
export interface ClusterOptions {
  /** Addresses of NATS servers, joined by commas. */
  readonly servers: string;
  /** How many streams; fixed when a plan is opened in the cluster for the first time. Default: 4. */
  readonly partitions?: number | undefined;
  /** On how many servers each report is. Default: 3 in a cluster, 1 on a single server. */
  readonly replicas?: number | undefined;
}

const PARTITIONS = 4;
const REPLICAS = 3;
/** The answer in time of a server, in ms; then a publisher asks again. */
const TIMEOUT = 5000;
/** The largest part of a kept state in one message: a server takes 1 MiB, and answers in base64. */
const PART = 512 << 10;
/** How long a leader knows what was published, in ns: longer than a client waits before it sends again. */
const NAMES_KNOWN = 30e9;
/** Codes of JetStream: another sequence than expected, and no such message. */
const [WRONG_SEQUENCE, NO_MESSAGE] = [10071, 10037];

/**
 * The reports of a plan in NATS JetStream, in streams that are made where they are not there. The subject of a report is
 * `ldpkit.<plan>.<partition>.<mark>`, and it is published with the expectation that its subject has no message: the
 * servers check that when they apply what they have agreed on, so exactly one report of a player is ever accepted. So is one
 * end of a round for each end before it, `ldpkit.<plan>.0.end-<sequence of that>`.
 */
async function openJetStream(plan: string, options: ClusterOptions): Promise<ClusterLog> {
  const { jetstream, jetstreamManager } =
    await optionalModule<typeof import('@nats-io/jetstream')>('@nats-io/jetstream');
  const { headers } = await optionalModule<typeof import('@nats-io/transport-node')>('@nats-io/transport-node');
  const connection = await openNats(options.servers, 'cluster');
  const replicas = options.replicas ?? (connection.info?.cluster === undefined ? 1 : REPLICAS);
  try {
    const [manager, client] = await patiently(async () => {
      const one = await jetstreamManager(connection, { timeout: TIMEOUT });
      return [one, jetstream(connection, { timeout: TIMEOUT })] as const;
    });
    const { ask, askAll } = requestsOf(connection, TIMEOUT);
    // The expectation that a subject has no message, and the same with a name.
    const [nothingThere, named] = [headers(), headers()];
    for (const one of [nothingThere, named]) one.set('Nats-Expected-Last-Subject-Sequence', '0');
    /** The partitions that did not answer a moment ago. */
    const unsettled = new Set<number>();
    const states = `ldpkit-${plan}`;
    const root = `ldpkit.${plan}`;
    const streamOf = (partition: number): string => `${states}-${partition}`;
    const placeOf = (partition: number): string => `${root}.${partition}.`;
    const settings = { storage: 'file', discard: 'new', num_replicas: replicas } as const;
    const subjects = [`${root}.partitions`, `${root}.tally.>`];
    await makeStream(manager, { ...settings, name: states, subjects, max_msgs_per_subject: 1 });
    const partitions = await partitionsOf();
    for (let partition = 0; partition < partitions; partition++) {
      const subjects = [`${root}.${partition}.*`];
      const kept = { deny_delete: true, deny_purge: true, allow_direct: true, duplicate_window: NAMES_KNOWN };
      await makeStream(manager, { ...settings, ...kept, name: streamOf(partition), subjects });
    }
    const replicated = (await patiently(() => manager.streams.info(states))).config.num_replicas;

    /** The number of partitions, which who comes first decides for all. */
    async function partitionsOf(): Promise<number> {
      const wanted = options.partitions ?? PARTITIONS;
      const subject = `${root}.partitions`;
      const there = async (): Promise<Uint8Array> => {
        const known = await message(subject);
        if (known !== undefined) return known;
        allOf(await first([{ place: `${root}.`, name: 'partitions', bytes: Buffer.from(`${wanted}`) }]));
        throw new Error('the servers have not agreed yet');
      };
      const found = Number(new TextDecoder().decode(await patiently(there)));
      if (options.partitions !== undefined && found !== wanted) {
        throw new RefusedValue('partitions', `${found}, as the plan was opened in this cluster`, wanted);
      }
      return found;
    }

    /**
     * Publishes each where its subject has no message: its sequence, or undefined where it had one. With names, also where the
     * leader knows the name: it need not be agreed on yet, and whoever gives a receipt looks for it first.
     */
    function first(messages: readonly Message[], names = false): Promise<readonly (number | undefined | Error)[]> {
      return askAll(
        messages.length,
        (at, reply) => {
          const { place, name, bytes } = messages[at];
          // They are written in this call, so that one object serves all.
          if (names) named.set('Nats-Msg-Id', name);
          connection.publish(`${place}${name}`, bytes, { reply, headers: names ? named : nothingThere });
        },
        (answer) => {
          const { error, duplicate, seq } = answer.json<Answer>();
          if (error === undefined) return duplicate === true ? undefined : seq;
          if (error.err_code === WRONG_SEQUENCE) return undefined;
          throw new Error(error.description);
        },
      );
    }

    /** The same in partitions, without refusals in what the servers agree on; throws where one did not answer. */
    async function write(messages: readonly Placed[]): Promise<readonly (number | undefined)[]> {
      if (replicated === 1) return allOf(await first(messages));
      if (messages.some(({ partition }) => unsettled.has(partition))) {
        throw new Error('the servers have not settled yet');
      }
      const settled = <Result>(answers: readonly (Result | Error)[]): readonly Result[] => {
        answers.forEach((one, at) => {
          if (one instanceof Error) void settle(messages[at].partition);
        });
        return allOf(answers);
      };
      // Servers before 2.10 lose reports when what they have refused is in their common log and a leader is cut off. So a
      // duplicate should not come so far: all are looked for first, and the leader knows the names of the last seconds. A
      // new leader knows them after it has read its log to the end.
      const there = settled(
        await askAll(
          messages.length,
          (at, reply) => {
            const { partition, place, name } = messages[at];
            connection.publish(`$JS.API.DIRECT.GET.${streamOf(partition)}.${place}${name}`, undefined, { reply });
          },
          ({ headers: found }) => {
            if (found?.code !== 0 && found?.code !== NOT_FOUND)
              throw new Error(`the servers answered ${found?.description}`);
            return found.code === 0;
          },
        ),
      );
      const others = messages.filter((_, at) => !there[at]);
      const written = (await first(others, true)).values();
      return settled(there.map((isThere) => (isThere ? undefined : written.next().value)));
    }

    /** Keeps everything from a partition that did not answer, until it has had a leader for a moment. */
    async function settle(partition: number): Promise<void> {
      if (unsettled.has(partition)) return;
      unsettled.add(partition);
      let known: StreamInfo | undefined;
      while (known === undefined && !connection.isClosed()) {
        known = await led(partition).catch(() => undefined);
        await pause(SETTLING, undefined, { ref: false });
      }
      unsettled.delete(partition);
    }

    /** What the leader of a partition knows of it, which cannot have been replaced. */
    async function led(partition: number): Promise<StreamInfo> {
      const info = await manager.streams.info(streamOf(partition));
      const { cluster } = info;
      // Others elect a leader only after they have not heard of theirs for longer than this. 0 is one that was never heard.
      const heard = (cluster?.replicas ?? []).filter(({ active }) => active > 0 && active < HEARD);
      if (2 * (1 + heard.length) <= replicated) throw new Error('the leader does not hear most of the servers');
      return info;
    }

    const leader = async (partition: number): Promise<string> => (await led(partition)).cluster?.leader ?? '';

    /** The report of a subject, from the server that leads. */
    async function find(mark: Uint8Array): Promise<Found | undefined> {
      const partition = partitionOf(mark, partitions);
      const query = Buffer.from(JSON.stringify({ last_by_subj: `${placeOf(partition)}${nameOf(mark)}` }));
      const answer = await ask(`$JS.API.STREAM.MSG.GET.${streamOf(partition)}`, query);
      const { error, message: there } = answer.json<Answer>();
      if (error?.err_code === NO_MESSAGE) return undefined;
      if (there === undefined) throw new Error(error?.description ?? 'no answer of a leader');
      return { sequence: there.seq, bytes: new Uint8Array(Buffer.from(there.data ?? '', 'base64')) };
    }

    /** A message; undefined where there is none. */
    async function stored(stream: string, query: MsgRequest): Promise<StoredMsg | undefined> {
      try {
        return (await manager.streams.getMessage(stream, query)) ?? undefined;
      } catch (error) {
        if (codeOf(error) === NO_MESSAGE) return undefined;
        throw error;
      }
    }

    /** What the last message of a subject says; undefined where there is none. */
    async function message(subject: string): Promise<Uint8Array | undefined> {
      return (await stored(states, { last_by_subj: subject }))?.data.slice();
    }

    const placed = ({ mark, bytes }: Marked): Placed => {
      const partition = partitionOf(mark, partitions);
      return { partition, place: placeOf(partition), name: nameOf(mark), bytes };
    };

    const accepted = async (partition: number, sequence: number): Promise<number | undefined> =>
      (await stored(streamOf(partition), { seq: sequence }))?.time.getTime();

    const last = async (partition: number): Promise<number> =>
      (await manager.streams.info(streamOf(partition))).state.last_seq;

    const { entries } = readerOf({ manager, client, streamOf, accepted, last, leader });

    return {
      partitions,
      replicas: replicated,
      append: (reports) => write(reports.map(placed)),
      async end(after) {
        await write([{ partition: 0, place: placeOf(0), name: `${END}${after}`, bytes: new Uint8Array(0) }]);
      },
      find,
      async restore(report) {
        // Without a name: the leader may know the one of the report that was lost.
        return allOf(await first([placed(report)]))[0];
      },
      leader,
      last,
      agreed: async (partition) => (await led(partition)).state.last_seq,
      entries,
      accepted,
      async kept(partition) {
        const subject = `${root}.tally.${partition}`;
        const head = await message(subject);
        if (head === undefined || head[0] === WHOLE) return head?.subarray(1);
        const [name, count] = new TextDecoder().decode(head.subarray(1)).split(' ');
        const parts: Uint8Array[] = [];
        for (let part = 0; part < Number(count); part++) {
          const bytes = await message(`${subject}.${name}.${part}`);
          if (bytes === undefined) return undefined;
          parts.push(bytes);
        }
        return Buffer.concat(parts);
      },
      async keep(partition, bytes) {
        const subject = `${root}.tally.${partition}`;
        if (bytes.length <= PART) {
          await client.publish(subject, Buffer.concat([Buffer.of(WHOLE), bytes]));
          return;
        }
        // The parts first, under a name of their own: only the last message makes them the state.
        const name = crypto.randomUUID();
        const count = Math.ceil(bytes.length / PART);
        const sequences: number[] = [];
        for (let part = 0; part < count; part++) {
          const some = bytes.slice(part * PART, (part + 1) * PART);
          sequences.push((await client.publish(`${subject}.${name}.${part}`, some)).seq);
        }
        await client.publish(subject, Buffer.concat([Buffer.of(IN_PARTS), Buffer.from(`${name} ${count}`)]));
        await manager.streams.purge(states, { filter: `${subject}.*.*`, seq: sequences[0] });
      },
      shut: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The log of a plan in a cluster; where the order of all reports matters it has one partition. */
export async function openCluster({ parameters, fold }: Collected, options: ClusterOptions): Promise<ClusterLog> {
  const { partitions = 1 } = options;
  if (!isOrdered(fold())) return openJetStream(parameters.digest, options);
  if (partitions === 1) return openJetStream(parameters.digest, { ...options, partitions });
  throw new RefusedValue('partitions', '1 in rounds and streams, where the order matters', partitions);
}

/** How long a leader has led before it is given more, in ms. */
const SETTLING = 1000;
/** A leader that has heard of a server within this time, in ns, leads it; servers wait for at least 4 s before they elect. */
const HEARD = 3e9;

/** A message, whose subject is its place and its name. */
interface Message {
  readonly place: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Placed = Message & { readonly partition: number };

/** All results; throws the first error among them. */
function allOf<Result>(results: readonly (Result | Error)[]): readonly Result[] {
  return results.map((one) => {
    if (one instanceof Error) throw one;
    return one;
  });
}

/** Why a server did not do what it was asked; otherwise what it answers to a published message, or to the question for one. */
interface Answer {
  readonly error?: { readonly err_code: number; readonly description: string };
  readonly seq: number;
  readonly duplicate?: boolean;
  readonly message?: { readonly seq: number; readonly data?: string };
}

/** The status of an answer that there is no such message. */
const NOT_FOUND = 404;
/** The first byte of a kept state: all of it follows, or the name and number of its parts. */
const [WHOLE, IN_PARTS] = [0, 1];
