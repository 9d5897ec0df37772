import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { ReportError } from '../../check/refusal.ts';
import { refusedBy } from '../refused.ts';
import { type Entry, type Kept, keptOf, type Marked, type Snapshot, unsealed } from './log.ts';

export type ClusterEntry = Entry & {
  /** When it was accepted, in ms. */
  readonly time: number;
  /** The mark of its player by {@link nameOf}; another text for the end of a round. */
  readonly name: string;
};

/**
 * The accepted reports of one plan in a cluster: a stream for each partition of the players. It alone decides who is
 * counted: a mark is in the streams at most once, whichever process offers it. Where the order of all reports matters, in
 * rounds and streams, there is one partition, and ends of rounds are among the reports. Each call fails where the cluster
 * does not answer or has no leader: what should be written is then there or not, and may be offered again.
 */
export interface ClusterLog {
  readonly partitions: number;
  readonly replicas: number;
  /** Writes reports into their partitions, in this order: their sequences, undefined for those whose player is there already. */
  append(reports: readonly Marked[]): Promise<readonly (number | undefined)[]>;
  /**
   * Writes the end of a round, which follows the end with the sequence `after`, or is the first after 0. Each end is followed
   * by one at most, so of several who end a round at once one does; the others may go on when they have read its entry.
   */
  end(after: number): Promise<void>;
  /** The report of a player that stands in its partition, as the server says that leads it; undefined where there is none. */
  find(mark: Uint8Array): Promise<Found | undefined>;
  /** Writes a report again that {@link ClusterLog.find} did not find: its sequence; undefined where its player is there by now. */
  restore(report: Marked): Promise<number | undefined>;
  /** The server that leads a partition, and hears most of the others; empty where there is one server. */
  leader(partition: number): Promise<string>;
  /** The number of entries of a partition, which is the sequence of the last. */
  last(partition: number): Promise<number>;
  /** The same, and no entry was accepted before this was asked and comes later. */
  agreed(partition: number): Promise<number>;
  /**
   * The entries of a partition after a sequence, in their order and without gaps, and those that come later, from the server
   * that leads it, until `signal` or until the stream has lost the entry that came last. With `led` they also end where
   * that server may lead no more, or once more after another one.
   */
  entries(partition: number, after: number, signal: AbortSignal, led?: string): AsyncIterable<ClusterEntry>;
  /** When the entry of a sequence was accepted, in ms; undefined where there is none. */
  accepted(partition: number, sequence: number): Promise<number | undefined>;
  /** The bytes that were kept last for a partition; undefined where there are none, or they are not whole. */
  kept(partition: number): Promise<Uint8Array | undefined>;
  /** Keeps bytes for a partition in the place of those before: in one write, or not at all. */
  keep(partition: number, bytes: Uint8Array): Promise<void>;
  shut(): Promise<void>;
}

/** A report that stands in a partition. */
export interface Found {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** The report of a player who is there already. */
export async function found(log: Pick<ClusterLog, 'find'>, { mark }: { readonly mark: Uint8Array }): Promise<Found> {
  const report = await log.find(mark);
  if (report === undefined) throw new Error('the servers have not agreed yet');
  return report;
}

/** A mark in hexadecimal digits. */
export function nameOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('hex');
}

/** The partition of a player: by its mark, which is a hash, so that all are of about one size. */
export function partitionOf(mark: Uint8Array, partitions: number): number {
  // The last bytes: the first are those of the turn.
  const at = mark.length - 4;
  const hash = mark[at] | (mark[at + 1] << 8) | (mark[at + 2] << 16) | (mark[at + 3] << 24);
  return (hash >>> 0) % partitions;
}

/** A kept tally of a partition: the fold of its reports up to a sequence. */
export type KeptTally = Kept & Pick<Snapshot, 'sequence'>;

/** Times are rounded on the way, in ms. */
const ROUNDING = 1;

/** Whether a stream still has the report that a tally ends with: a broken cluster may come back with others. */
export async function isOfStream(
  log: Pick<ClusterLog, 'accepted'>,
  partition: number,
  { sequence, time }: Pick<KeptTally, 'sequence' | 'time'>,
): Promise<boolean> {
  if (sequence === 0) return true;
  const accepted = await log.accepted(partition, sequence);
  return accepted !== undefined && Math.abs(accepted - time) <= ROUNDING;
}

/** The tally that is kept of a partition, if it is whole and of the stream as it is; whether there is another one. */
export async function keptTally(
  log: ClusterLog,
  partition: number,
): Promise<{ readonly tally: KeptTally | undefined; readonly damaged: boolean }> {
  const bytes = await log.kept(partition);
  if (bytes === undefined) return { tally: undefined, damaged: false };
  const snapshot = unsealed(bytes);
  const found = snapshot && keptOf(snapshot);
  const tally = found !== undefined && (await isOfStream(log, partition, found)) ? found : undefined;
  return { tally, damaged: tally === undefined };
}

/** All reports that are there now, one partition after the other. */
export async function* allEntries(log: ClusterLog): AsyncIterable<Entry> {
  for (let partition = 0; partition < log.partitions; partition++) {
    const last = await log.last(partition);
    if (last === 0) continue;
    const reading = new AbortController();
    let read = 0;
    for await (const entry of log.entries(partition, 0, reading.signal)) {
      yield { ...entry, partition };
      read = entry.sequence;
      if (read >= last) break;
    }
    reading.abort();
    // They end before where the stream has lost what came last.
    if (read < last) throw new ReportError(`"stream" expected ${last} reports of partition ${partition}, got ${read}`);
  }
}

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

interface ReaderParts extends Pick<ClusterLog, 'accepted' | 'last' | 'leader'> {
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
  readonly streamOf: (partition: number) => string;
}

type Reading = Parameters<ClusterLog['entries']>;

/** Reads streams from the servers that lead them: one that only follows may lack what the others agreed on. */
export function readerOf({ manager, client, streamOf, ...log }: ReaderParts): Pick<ClusterLog, 'entries'> {
  const { last } = log;

  /** A reader after a sequence at a server. */
  async function readerAt(server: string, stream: string, after: number): Promise<Consumer> {
    const from = { deliver_policy: 'by_start_sequence', opt_start_seq: after + 1, ack_policy: 'none' } as const;
    const settings = { ...from, mem_storage: true, num_replicas: 1, inactive_threshold: GONE };
    for (let trial = 0; trial < TRIALS; trial++) {
      const { name, cluster } = await manager.consumers.add(stream, settings);
      if ((cluster?.leader ?? '') === server) return client.consumers.get(stream, name);
      await manager.consumers.delete(stream, name);
    }
    throw new Error('no reader is where the leader is');
  }

  /** Reads on from a sequence until the way to the server breaks or the order, or it leads no more, or nothing comes though there is more. */
  async function* run(...[partition, after, signal, led]: Reading): AsyncIterable<ClusterEntry> {
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

  async function* entries(...[partition, after, signal, led]: Reading): AsyncIterable<ClusterEntry> {
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
