import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import type { SentReceipt } from '../../client/receipt.ts';
import { type ClusterLog, isOfStream, type KeptTally, keptTally } from './cluster-log.ts';
import type { Engine, Standing } from './engine.ts';
import type { Fold } from './fold.ts';
import { mergedFold } from './fold-entries.ts';
import type { IntakeOptions } from './intake.ts';
import { judge, noOutcomes, type Offer, receipts } from './judge.ts';

/** How many reports may be on their way to the cluster; beyond, nothing is taken. */
const MOST_ON_THEIR_WAY = 20_000;
const MOST_WAITING = 64 << 20;
/** What the cluster said of its tallies is believed for so long, in ms. */
const FRESH = 1000;

/**
 * One of any number of collectors of a plan: it keeps nothing. A report has its receipt when the servers of the cluster
 * have agreed on it. Tallies are made by workers (`tallyPartition`), and estimates from what these kept last: each is the
 * fold of the beginning of a stream, so that any of them, however old, is the tally of accepted reports.
 *
 * @throws RangeError for a protocol in rounds or a stream: these have one log.
 */
export function createClusterIntake(
  log: ClusterLog,
  makeFold: (saved?: Uint8Array) => Fold,
  { admission, mostWaiting = MOST_WAITING }: Pick<IntakeOptions, 'admission' | 'mostWaiting'>,
): Engine {
  // It reads reports and is never added to.
  const fold = makeFold();
  checkOneShot(fold);
  const outcomes = noOutcomes();
  let onTheirWay = 0;
  let waitingBytes = 0;
  /** The last whole tally of each partition. */
  const known: (KeptTally | undefined)[] = Array.from({ length: log.partitions });
  let last: Promise<Standing> | undefined;

  async function settle(offers: readonly Offer[]): Promise<readonly SentReceipt[]> {
    const size = offers.reduce((sum, { bytes }) => sum + bytes.length, 0);
    onTheirWay += offers.length;
    waitingBytes += size;
    try {
      // All at once; the cluster takes those of a partition in this order.
      const written = await Promise.allSettled(offers.map(({ mark, bytes }) => log.append(mark, bytes)));
      return written.map((one) => {
        // No receipts for any of them: those that were written are duplicates when they are sent again.
        if (one.status === 'rejected') throw one.reason;
        return { outcome: one.value === undefined ? 'duplicate' : 'counted' };
      });
    } finally {
      onTheirWay -= offers.length;
      waitingBytes -= size;
    }
  }

  /** Reads what workers have kept of a partition; how many of its reports are in no tally yet. */
  async function look(partition: number): Promise<number> {
    const [{ tally }, accepted] = await Promise.all([keptTally(log, partition), log.last(partition)]);
    const before = known[partition];
    // A damaged one is made again by a worker; the one before it is as right, if the stream still has its reports.
    if (tally !== undefined) known[partition] = tally;
    else if (before !== undefined && !(await isOfStream(log, partition, before))) known[partition] = undefined;
    return Math.max(0, accepted - (known[partition]?.sequence ?? 0));
  }

  async function lookAtAll(): Promise<Standing> {
    const waiting = await Promise.all(known.map((_, partition) => look(partition)));
    const counted = known.reduce((sum, one) => sum + (one?.counted ?? 0), 0);
    const open = { round: fold.round, rounds: fold.rounds, waiting: waiting.reduce((sum, one) => sum + one, 0) };
    return { counted, countedInRound: counted, ...open };
  }

  function standing(): Promise<Standing> {
    if (last === undefined) {
      last = lookAtAll();
      const forget = (): void => {
        last = undefined;
      };
      last.then(() => void setTimeout(forget, FRESH).unref(), forget);
    }
    return last;
  }

  return {
    outcomes,
    get busy() {
      return onTheirWay > MOST_ON_THEIR_WAY || waitingBytes > mostWaiting;
    },
    asked: () => undefined,
    receive: (reports) =>
      receipts(
        reports.map((one) => judge(admission, fold, one)),
        settle,
        outcomes,
      ),
    close: async () => fold.close(),
    standing,
    async tallied() {
      const now = await standing();
      const states = known.flatMap((one) => one?.state ?? []);
      return { standing: now, saved: () => mergedFold(makeFold, states).save() };
    },
    shut: () => log.shut(),
  };
}

/**
 * Refuses what a cluster cannot collect.
 *
 * @throws RangeError for a protocol in rounds or a stream.
 */
export function checkOneShot(fold: Fold): void {
  if (fold.rounds || fold.asked() !== undefined) {
    throw new RefusedValue(
      refusal(
        'cluster',
        'a protocol whose players all answer the same plan',
        'one in rounds, or a stream: it has one log',
      ),
    );
  }
}
