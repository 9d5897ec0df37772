import { type ClusterEntry, type ClusterLog, partitionOf } from '../../../../src/node/serve/cluster-log.ts';

const copied = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new Uint8Array(bytes));

/** A cluster in memory: publishing where there is no message, reading in order, and one kept state of each partition. */
export function memoryCluster(partitions: number) {
  const streams: { readonly bytes?: Uint8Array; readonly time: number }[][] = Array.from(
    { length: partitions },
    () => [],
  );
  /** The sequences of subjects. */
  const places = new Map<string, number>();
  const states: (Uint8Array | undefined)[] = Array.from({ length: partitions });
  const woken = new Set<() => void>();
  /** How far some reader has come, for each partition. */
  const seen = new Array<number>(partitions).fill(0);
  let losing = 0;
  let clock = 0;
  const wake = (): void => {
    for (const one of woken) one();
    woken.clear();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function* entries(partition: number, after: number, signal: AbortSignal): AsyncIterable<ClusterEntry> {
    signal.addEventListener('abort', wake);
    let given: number | undefined;
    for (let at = after; !signal.aborted; ) {
      if (given !== undefined && streams[partition][at - 1]?.time !== given) return;
      if (at === streams[partition].length) {
        seen[partition] = at;
        await new Promise<void>((resolve) => void woken.add(resolve));
      } else {
        await turn();
        const { bytes, time } = streams[partition][at++];
        given = time;
        const place = { sequence: at, time };
        yield bytes === undefined
          ? { ...place, kind: 'close' }
          : { ...place, kind: 'report', bytes: new Uint8Array(bytes) };
      }
    }
  }
  const nameOf = (mark: Uint8Array) => Buffer.from(mark).toString('hex');
  /** Writes where the subject has nothing. */
  async function write(partition: number, name: string, bytes?: Uint8Array): Promise<number | undefined> {
    await turn();
    if (places.has(name)) return undefined;
    const own = bytes === undefined ? {} : { bytes: new Uint8Array(bytes) };
    const sequence = streams[partition].push({ ...own, time: (clock += 10) });
    places.set(name, sequence);
    wake();
    if (losing > 0 && losing--) throw new Error('no answer');
    return sequence;
  }
  const log: ClusterLog = {
    partitions,
    replicas: 1,
    append: (mark, bytes) => write(partitionOf(mark, partitions), nameOf(mark), bytes),
    end: async (after) => void (await write(0, `end ${after}`)),
    placeOf: async (mark) => places.get(nameOf(mark)) ?? Promise.reject(new Error('not there')),
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
      places.clear();
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
