import type { ClusterLog } from './cluster-log.ts';
import type { IntakeOptions } from './intake.ts';
import type { Offer } from './judge.ts';

/** How many reports may be on their way to the cluster; beyond, nothing is taken. */
const MOST_ON_THEIR_WAY = 20_000;
const MOST_WAITING = 64 << 20;

/** Writes the reports of a collector into a cluster, and knows how many are on their way. */
export interface ClusterWriter {
  /** Whether there is no room for more. */
  readonly busy: boolean;
  /**
   * The sequences of reports in their order; undefined for those whose player is there already.
   *
   * @throws Error where the cluster did not answer for one of them. Those that were written are duplicates when they are sent
   * again.
   */
  append(offers: readonly Offer[]): Promise<readonly (number | undefined)[]>;
}

/** The writer of a collector. */
export function clusterWriter(
  log: Pick<ClusterLog, 'append'>,
  { mostWaiting = MOST_WAITING }: Pick<IntakeOptions, 'mostWaiting'>,
): ClusterWriter {
  let onTheirWay = 0;
  let waitingBytes = 0;
  return {
    get busy() {
      return onTheirWay > MOST_ON_THEIR_WAY || waitingBytes > mostWaiting;
    },
    async append(offers) {
      const size = offers.reduce((sum, { bytes }) => sum + bytes.length, 0);
      onTheirWay += offers.length;
      waitingBytes += size;
      try {
        // All at once; the cluster takes those of a partition in this order.
        const written = await Promise.allSettled(offers.map(({ mark, bytes }) => log.append(mark, bytes)));
        return written.map((one) => {
          if (one.status === 'rejected') throw one.reason;
          return one.value;
        });
      } finally {
        onTheirWay -= offers.length;
        waitingBytes -= size;
      }
    },
  };
}
