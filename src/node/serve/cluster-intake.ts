import type { SentReceipt } from '../../client/collector-client.ts';
import { type ClusterLog, found, isOfStream, type KeptTally, keptTally } from './cluster-log.ts';
import { type ConfirmingOptions, confirm } from './confirming.ts';
import { type Engine, judge, noOutcomes, type Offer, receipts, type Standing } from './engine.ts';
import { type Fold, mergedFold } from './fold.ts';
import type { IntakeOptions } from './intake.ts';
import type { Journal, Receipted } from './journal.ts';

/** How many reports may be on their way to the cluster, and how many bytes of them; beyond, nothing is taken. */
const [MOST_ON_THEIR_WAY, MOST_WAITING] = [20_000, 64 << 20];
/** What the cluster said of its tallies is believed for so long, in ms. */
const FRESH = 1000;

/** What a collector before a cluster is made of. */
export interface ClusterIntakeOptions extends Pick<IntakeOptions, 'admission' | 'mostWaiting'> {
  /** The reports that this collector gives receipts for. */
  readonly journal: Journal;
  /** How the journal is held against the cluster. */
  readonly confirming: ConfirmingOptions;
}

/** Writes the reports of a collector into a cluster, and knows how many are on their way. */
export function clusterWriter(
  log: Pick<ClusterLog, 'append'>,
  { mostWaiting = MOST_WAITING }: Pick<IntakeOptions, 'mostWaiting'>,
): Pick<ClusterLog, 'append'> & Pick<Engine, 'busy'> {
  let [onTheirWay, waitingBytes] = [0, 0];
  return {
    get busy() {
      return onTheirWay > MOST_ON_THEIR_WAY || waitingBytes > mostWaiting;
    },
    async append(offers) {
      const size = offers.reduce((sum, { bytes }) => sum + bytes.length, 0);
      onTheirWay += offers.length;
      waitingBytes += size;
      try {
        return await log.append(offers);
      } finally {
        onTheirWay -= offers.length;
        waitingBytes -= size;
      }
    },
  };
}

const [COUNTED, DUPLICATE] = [{ outcome: 'counted' }, { outcome: 'duplicate' }] as const;

/**
 * One of any number of collectors of a plan. A report has its receipt when the servers of the cluster have agreed on it and it
 * is on the disk of this collector, which offers it again where they lose it. Tallies are made by workers (`tallyPartition`), and estimates from what these kept last: each is the
 * fold of the beginning of a stream, so that any of them, however old, is the tally of accepted reports.
 */
export function createClusterIntake(
  log: ClusterLog,
  makeFold: (saved?: Uint8Array) => Fold,
  { admission, mostWaiting, journal, confirming }: ClusterIntakeOptions,
): Engine {
  // It reads reports and is never added to.
  const fold = makeFold();
  const outcomes = noOutcomes();
  const writer = clusterWriter(log, { mostWaiting });
  const confirmed = confirm(log, journal, confirming);
  /** The last whole tally of each partition. */
  const known: (KeptTally | undefined)[] = Array.from({ length: log.partitions });
  let last: Promise<Standing> | undefined;

  async function settle(offers: readonly Offer[]): Promise<readonly SentReceipt[]> {
    const { changes } = confirmed;
    const written = await writer.append(offers);
    const kept: Receipted[] = [];
    const others: Offer[] = [];
    written.forEach((sequence, at) => {
      const { mark, bytes } = offers[at];
      if (sequence === undefined) others.push(offers[at]);
      else kept.push({ mark, bytes, sequence, duplicate: false });
    });
    // A duplicate is a receipt too: for the report that stands there.
    const duplicates = await Promise.all(
      others.map(async ({ mark }) => ({ mark, ...(await found(log, { mark })), duplicate: true })),
    );
    await confirmed.keep([...kept, ...duplicates], changes);
    return written.map((sequence) => (sequence === undefined ? DUPLICATE : COUNTED));
  }

  /** Reads what workers have kept of a partition; how many of its reports are in no tally of the server that leads. */
  async function look(partition: number): Promise<number> {
    const [{ tally }, accepted, leader] = await Promise.all([
      keptTally(log, partition),
      log.last(partition),
      log.leader(partition),
    ]);
    const before = known[partition];
    // A damaged one is made again by a worker; the one before it is as right, if the stream still has its reports.
    if (tally !== undefined) known[partition] = tally;
    else if (before !== undefined && !(await isOfStream(log, partition, before))) known[partition] = undefined;
    // One that was folded from another leader is folded again.
    const { sequence = 0, leader: from = leader } = known[partition] ?? {};
    return from === leader ? Math.max(0, accepted - sequence) : accepted;
  }

  async function lookAtAll(): Promise<Standing> {
    const waiting = await Promise.all(known.map((_, partition) => look(partition)));
    const counted = known.reduce((sum, one) => sum + (one?.counted ?? 0), 0);
    const { round, rounds } = fold;
    const { unconfirmed } = confirmed;
    return {
      ...{ counted, countedInRound: counted, round, rounds, unconfirmed },
      waiting: waiting.reduce((sum, one) => sum + one, 0),
    };
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
      return writer.busy;
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
    async shut() {
      await confirmed.stop();
      await log.shut();
    },
  };
}
