import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'node:v8';
import { type ClusterEntry, type ClusterLog, nameOf, partitionOf } from '../../../../src/node/serve/cluster-log.ts';
import type { Journal, Journaled, Receipted } from '../../../../src/node/serve/journal.ts';

const copied = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new Uint8Array(bytes));

/** Whether two saved states are the same to the bit; how they are written as bytes is the platform's matter. */
export const sameTally = (one: Uint8Array, other: Uint8Array): boolean =>
  isDeepStrictEqual(deserialize(one), deserialize(other));

/** A cluster in memory: publishing where there is no message, reading in order, and one kept state of each partition. */
export function memoryCluster(partitions: number, replicas = 1) {
  /** The servers that lead; undefined while none does. */
  const leaders: (string | undefined)[] = Array.from({ length: partitions }, () => 'one');
  const streams: { readonly bytes?: Uint8Array; readonly time: number; readonly name: string }[][] = Array.from(
    { length: partitions },
    () => [],
  );
  /** The sequences of subjects. */
  const places = new Map<string, { readonly partition: number; readonly sequence: number }>();
  const states: (Uint8Array | undefined)[] = Array.from({ length: partitions });
  const woken = new Set<() => void>();
  /** How far some reader has come, for each partition. */
  const seen = new Array<number>(partitions).fill(0);
  let [losing, finds] = [0, 0];
  let clock = 0;
  const wake = (): void => {
    for (const one of woken) one();
    woken.clear();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function* entries(
    partition: number,
    after: number,
    signal: AbortSignal,
    led?: string,
  ): AsyncIterable<ClusterEntry> {
    signal.addEventListener('abort', wake);
    let given: number | undefined;
    for (let at = after; !signal.aborted; ) {
      if (led !== undefined && leaders[partition] !== led) return;
      if (given !== undefined && streams[partition][at - 1]?.time !== given) return;
      if (at === streams[partition].length) {
        seen[partition] = at;
        await new Promise<void>((resolve) => void woken.add(resolve));
      } else {
        await turn();
        const { bytes, time, name } = streams[partition][at++];
        given = time;
        const place = { sequence: at, time, name };
        yield bytes === undefined
          ? { ...place, kind: 'close' }
          : { ...place, kind: 'report', bytes: new Uint8Array(bytes) };
      }
    }
  }
  /** Writes where the subject has nothing. */
  async function write(partition: number, name: string, bytes?: Uint8Array): Promise<number | undefined> {
    await turn();
    if (places.has(name)) return undefined;
    const own = bytes === undefined ? {} : { bytes: new Uint8Array(bytes) };
    const sequence = streams[partition].push({ ...own, name, time: (clock += 10) });
    places.set(name, { partition, sequence });
    wake();
    if (losing > 0 && losing--) throw new Error('no answer');
    return sequence;
  }
  const log: ClusterLog = {
    partitions,
    replicas,
    async append(reports) {
      const all = reports.map(({ mark, bytes }) => write(partitionOf(mark, partitions), nameOf(mark), bytes));
      return (await Promise.allSettled(all)).map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      });
    },
    end: async (after) => void (await write(0, `end ${after}`)),
    async find(mark) {
      finds++;
      const { partition, sequence } = places.get(nameOf(mark)) ?? { partition: 0, sequence: 0 };
      const { bytes } = streams[partition][sequence - 1] ?? {};
      return bytes === undefined ? undefined : { sequence, bytes };
    },
    restore: ({ mark, bytes }) => write(partitionOf(mark, partitions), nameOf(mark), bytes),
    leader: async (partition) => leaders[partition] ?? Promise.reject(new Error('no leader')),
    agreed: async (partition) => streams[partition].length,
    last: async (partition) => streams[partition].length,
    entries,
    accepted: async (partition, sequence) => streams[partition][sequence - 1]?.time,
    kept: async (partition) => copied(states[partition]),
    async keep(partition, bytes) {
      states[partition] = copied(bytes);
    },
    shut: async () => undefined,
  };
  return {
    log,
    states,
    /** The next so many reports are written, and nobody hears of it. */
    loseAnswers(count: number): void {
      losing = count;
    },
    /** A partition loses its last reports, as if they had never been. */
    loseReports(partition: number, count: number): void {
      streams[partition].splice(-count);
      const left = streams[partition].length;
      for (const [name, { partition: of, sequence }] of places) {
        if (of === partition && sequence > left) places.delete(name);
      }
    },
    /** A partition has lost a report in its middle, and has another one in its place: what comes after stands where it stood. */
    replaceReport(partition: number, sequence: number, mark: Uint8Array, bytes: Uint8Array): void {
      for (const [name, place] of places) {
        if (place.partition === partition && place.sequence === sequence) places.delete(name);
      }
      places.set(nameOf(mark), { partition, sequence });
      streams[partition][sequence - 1] = { bytes, name: nameOf(mark), time: streams[partition][sequence - 1].time };
    },
    /** How many reports were asked for. */
    get finds() {
      return finds;
    },
    /** Another server leads a partition, or none. */
    lead(partition: number, server: string | undefined): void {
      leaders[partition] = server;
      wake();
    },
    /** The same cluster for a worker whose states never arrive. */
    deadWorker: (): ClusterLog => ({ ...log, keep: () => Promise.reject(new Error('killed')) }),
    /** Waits until a reader has all of a partition, or `working` is over. */
    async read(partition: number, working: Promise<unknown>): Promise<void> {
      let over = false;
      const end = (): void => {
        over = true;
      };
      working.then(end, end);
      seen[partition] = -1;
      wake();
      while (!over && seen[partition] !== streams[partition].length) await turn();
    },
  };
}

/** A journal in memory, of so many partitions. While `full` is set, its disk is. */
export function memoryJournal(partitions = 1): Journal & { full: boolean; readonly reports: readonly Receipted[] } {
  const known = new Map<string, Receipted>();
  const of = (partition: number): readonly Journaled[] =>
    [...known.values()].filter(({ mark }) => partitionOf(mark, partitions) === partition);
  return {
    full: false,
    get reports() {
      return [...known.values()];
    },
    async write(reports) {
      if (this.full) throw new Error('no space');
      for (const one of reports) {
        if (!known.has(nameOf(one.mark))) known.set(nameOf(one.mark), { ...one, bytes: new Uint8Array(one.bytes) });
      }
    },
    count: (partition) => of(partition).length,
    async *read(wanted, most) {
      for (const partition of wanted) {
        for (let at = 0; at < of(partition).length; at += most)
          yield { partition, reports: of(partition).slice(at, at + most) };
      }
    },
    shut: async () => undefined,
  };
}
