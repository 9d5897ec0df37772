import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { ReportError } from '../../check/refusal.ts';
import { refusedBy } from '../refused.ts';
import { type ClusterEntry, type ClusterLog, isOfStream } from './cluster-log.ts';

/** The name of an end of a round begins so; a mark is written in hexadecimal digits. */
export const END = 'end-';
/** Entries on their way to a reader. */
const AHEAD = 2000;
/** How often a reader looks whether its server still leads, in ms: a new one is elected after 4 s at the earliest. */
const LOOK = 1000;
/** After so many looks without an entry, a reader that lacks some begins again. */
const STALLED = 3;
/** How long the server remembers a reader that has gone, in ns. */
const GONE = 10e9;
/** How often a reader is made until it is at the server that leads: each one is there with probability 1/3 and more. */
const TRIALS = 60;

/** What a reader of streams needs. */
export interface ReaderParts extends Pick<ClusterLog, 'accepted' | 'last' | 'leader'> {
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
  readonly streamOf: (partition: number) => string;
}

/**
 * Reads streams from the servers that lead them. Servers give what they have themselves, wherever a reader is, and of those that
 * only follow one may lack what the others agreed on.
 */
export function readerOf({ manager, client, streamOf, ...log }: ReaderParts): Pick<ClusterLog, 'entries'> {
  const { last } = log;

  /** A reader after a sequence at a server. */
  async function readerAt(server: string, stream: string, after: number): Promise<Consumer> {
    const from = { deliver_policy: 'by_start_sequence', opt_start_seq: after + 1 } as const;
    const settings = {
      ...from,
      ack_policy: 'none',
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: GONE,
    } as const;
    for (let trial = 0; trial < TRIALS; trial++) {
      const { name, cluster } = await manager.consumers.add(stream, settings);
      if ((cluster?.leader ?? '') === server) return client.consumers.get(stream, name);
      await manager.consumers.delete(stream, name);
    }
    throw new Error('no reader is where the leader is');
  }

  /** Reads on from a sequence until the way to the server breaks or the order, or it leads no more, or nothing comes though there is more. */
  async function* run(
    partition: number,
    after: number,
    signal: AbortSignal,
    led?: string,
  ): AsyncIterable<ClusterEntry> {
    const leader = await log.leader(partition);
    if (led !== undefined && led !== leader) return;
    const consumer = await readerAt(leader, streamOf(partition), after);
    const messages = await consumer.consume({ max_messages: AHEAD });
    const stop = (): void => messages.stop();
    signal.addEventListener('abort', stop, { once: true });
    let [at, seen, looks] = [after, after, 0];
    const look = async (): Promise<void> => {
      if ((await log.leader(partition)) !== leader) stop();
      looks = at === seen ? looks + 1 : 0;
      seen = at;
      if (looks >= STALLED && (await last(partition)) > at) stop();
    };
    const watch = setInterval(() => void look().catch(stop), LOOK);
    // Where the way to the servers was broken, they may have lost something: the next run looks.
    const broken = async (): Promise<void> => {
      for await (const { type } of messages.status()) if (BROKEN.has(type)) stop();
    };
    void broken().catch(stop);
    try {
      if (signal.aborted) return;
      for await (const { seq, subject, data, time } of messages) {
        if (seq <= at) continue;
        const name = subject.slice(subject.lastIndexOf('.') + 1);
        const entry = { sequence: seq, time: time.getTime(), name };
        // A copy: the bytes belong to the connection.
        const report = { kind: 'report', bytes: new Uint8Array(data) } as const;
        yield { ...entry, ...(name.startsWith(END) ? { kind: 'close' } : report) };
        at = seq;
      }
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async function* entries(
    partition: number,
    after: number,
    signal: AbortSignal,
    led?: string,
  ): AsyncIterable<ClusterEntry> {
    let at = after;
    let time: number | undefined;
    let gaps = 0;
    while (!signal.aborted) {
      try {
        if (time !== undefined && !(await isOfStream(log, partition, { sequence: at, time }))) return;
        for await (const entry of run(partition, at, signal, led)) {
          if (entry.sequence !== at + 1) {
            gaps++;
            break;
          }
          at = entry.sequence;
          time = entry.time;
          gaps = 0;
          yield entry;
        }
      } catch (error) {
        // Of this program, and not of the cluster or the way to it.
        if (refusedBy(error) !== undefined) throw error;
      }
      if (led !== undefined) return;
      // What is read again begins where the gap was.
      if (gaps > 3) throw new ReportError(`"stream" expected report ${at + 1} of ${streamOf(partition)}`);
      if (!signal.aborted) await pause(200, undefined, { signal }).catch(() => undefined);
    }
  }
  return { entries };
}

/** What a reader is told of itself when it does not get all that comes. */
const BROKEN = new Set([
  'heartbeats_missed',
  'consumer_deleted',
  'consumer_not_found',
  'stream_not_found',
  'no_responders',
  'ordered_consumer_recreated',
]);
