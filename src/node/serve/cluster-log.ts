import type { Entry } from './log.ts';

/**
 * The accepted reports of one plan in a cluster: a stream for each partition of the players. It alone decides who is
 * counted: a mark is in the streams at most once, whichever process offers it.
 */
export interface ClusterLog {
  readonly partitions: number;
  /** On how many servers each report is. */
  readonly replicas: number;
  /**
   * Writes a report into its partition; false where its player is there already.
   *
   * @throws Error where the cluster did not answer: it may be written or not, and may be offered again.
   */
  append(mark: Uint8Array, bytes: Uint8Array): Promise<boolean>;
  /** The number of reports of a partition, which is the sequence of the last. */
  last(partition: number): Promise<number>;
  /**
   * The reports of a partition after a sequence, in their order and without gaps, and those that come later, until `signal`.
   *
   * @throws ReportError for a stream that has lost a report.
   */
  entries(partition: number, after: number, signal: AbortSignal): AsyncIterable<Entry>;
  /** The bytes that were kept last for a partition; undefined where there are none, or they are not whole. */
  kept(partition: number): Promise<Uint8Array | undefined>;
  /** Keeps bytes for a partition in the place of those before: in one write, or not at all. */
  keep(partition: number, bytes: Uint8Array): Promise<void>;
  shut(): Promise<void>;
}

/** The partition of a player: by its mark, which is a hash, so that all are of about one size. */
export function partitionOf(mark: Uint8Array, partitions: number): number {
  // The last bytes: the first are those of the turn.
  const view = new DataView(mark.buffer, mark.byteOffset, mark.byteLength);
  return view.getUint32(mark.byteLength - 4, true) % partitions;
}

/** All reports that are there now, one partition after the other. */
export async function* allEntries(log: ClusterLog): AsyncIterable<Entry> {
  for (let partition = 0; partition < log.partitions; partition++) {
    const last = await log.last(partition);
    if (last === 0) continue;
    const reading = new AbortController();
    for await (const entry of log.entries(partition, 0, reading.signal)) {
      yield { ...entry, partition };
      if (entry.sequence >= last) break;
    }
    reading.abort();
  }
}
