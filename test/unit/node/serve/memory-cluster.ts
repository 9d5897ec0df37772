import { type ClusterLog, partitionOf } from '../../../../src/node/serve/cluster-log.ts';
import type { Entry } from '../../../../src/node/serve/log.ts';

/** A cluster in memory: publishing where there is no message, reading in order, and one kept state of each partition. */
export function memoryCluster(partitions: number) {
  const streams: Uint8Array[][] = Array.from({ length: partitions }, () => []);
  const marks = new Set<string>();
  const states: (Uint8Array | undefined)[] = Array.from({ length: partitions });
  const woken = new Set<() => void>();
  /** How far some reader has come, for each partition. */
  const seen = new Array<number>(partitions).fill(0);
  let losing = 0;
  const wake = (): void => {
    for (const one of woken) one();
    woken.clear();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function* entries(partition: number, after: number, signal: AbortSignal): AsyncIterable<Entry> {
    signal.addEventListener('abort', wake);
    for (let at = after; !signal.aborted; ) {
      if (at === streams[partition].length) {
        seen[partition] = at;
        await new Promise<void>((resolve) => void woken.add(resolve));
      } else {
        await turn();
        yield { sequence: at + 1, kind: 'report', bytes: streams[partition][at++].slice() };
      }
    }
  }
  const log: ClusterLog = {
    partitions,
    replicas: 1,
    async append(mark, bytes) {
      const key = Buffer.from(mark).toString('hex');
      await turn();
      if (marks.has(key)) return false;
      marks.add(key);
      streams[partitionOf(mark, partitions)].push(bytes.slice());
      wake();
      if (losing > 0 && losing--) throw new Error('no answer');
      return true;
    },
    last: async (partition) => streams[partition].length,
    entries,
    kept: async (partition) => states[partition]?.slice(),
    async keep(partition, bytes) {
      states[partition] = bytes.slice();
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
