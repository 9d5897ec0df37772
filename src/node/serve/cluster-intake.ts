import { setTimeout as pause } from 'node:timers/promises';
import type { SentReceipt } from '../../client/collector-client.ts';
import { type ClusterLog, type Found, found, isOfStream, type KeptTally, keptTally } from './cluster-log.ts';
import { type ConfirmingOptions, confirm } from './confirming.ts';
import { type Added, type Fold, mergedFold } from './fold.ts';
import {
  type Engine,
  type IntakeOptions,
  judge,
  noOutcomes,
  type Offer,
  onTheirWay,
  receipts,
  type Standing,
} from './intake.ts';
import type { Journal, Receipted } from './journal.ts';
import { type Growing, tallyPartition } from './tally-worker.ts';

/** How many reports may be on their way to the cluster; beyond, nothing is taken. */
const MOST_ON_THEIR_WAY = 20_000;
/** What the cluster said of its tallies is believed for so long, in ms. */
const FRESH = 1000;

export interface ClusterIntakeOptions extends Pick<IntakeOptions, 'admission'> {
  /** How many bytes of reports may be on their way; beyond, nothing is taken. Default: 64 MiB. */
  readonly mostWaiting?: number;
  readonly journal: Journal;
  readonly confirming: ConfirmingOptions;
}

const [COUNTED, DUPLICATE] = [{ outcome: 'counted' }, { outcome: 'duplicate' }] as const;

/**
 * One of any number of collectors of a plan. A report has its receipt when the servers of the cluster have agreed on it and it
 * is on the disk of this collector, which offers it again where they lose it. Estimates are made from what workers
 * (`tallyPartition`) kept last: the fold of the beginning of a stream, however old, is the tally of accepted reports.
 */
export function createClusterIntake(
  log: ClusterLog,
  makeFold: (saved?: Uint8Array) => Fold,
  { admission, mostWaiting, journal, confirming }: ClusterIntakeOptions,
): Engine {
  // It reads reports and is never added to.
  const fold = makeFold();
  const outcomes = noOutcomes();
  const way = onTheirWay(mostWaiting, MOST_ON_THEIR_WAY);
  const confirmed = confirm(log, journal, confirming);
  /** The last whole tally of each partition. */
  const known: (KeptTally | undefined)[] = Array.from({ length: log.partitions });
  let last: Promise<Standing> | undefined;

  async function settle(offers: readonly Offer[]): Promise<readonly SentReceipt[]> {
    const { changes } = confirmed;
    const written = await way.during(offers, () => log.append(offers));
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
    const left = await Promise.all(known.map((_, partition) => look(partition)));
    const counted = known.reduce((sum, one) => sum + (one?.counted ?? 0), 0);
    const waiting = left.reduce((sum, one) => sum + one, 0);
    const { round, rounds } = fold;
    return { counted, countedInRound: counted, round, rounds, waiting, unconfirmed: confirmed.unconfirmed };
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
      return way.busy;
    },
    asked: () => undefined,
    async receive(reports) {
      const judged = reports.map((one) => judge(admission, fold, one));
      return receipts(judged, settle, outcomes);
    },
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

/** How often a cluster that has just been opened may fail to answer, a second apart. */
const ATTEMPTS = 30;

/**
 * The same where the order of all reports matters: rounds, or a stream. Reports and ends of rounds stand in one stream, which
 * every collector reads. A report gets its receipt when the collector has read it there: so what a receipt says, and which
 * round is open, is the fold of the stream, the same at all collectors. The stream has one end for each round, so any number
 * of collectors may try to end one, and any of them may be killed.
 *
 * Law: a report is counted once, in its own round, and only if it stands before the end of that round.
 */
export async function createOrderedIntake(
  log: ClusterLog,
  makeFold: (saved?: Uint8Array) => Fold,
  { admission, mostWaiting, journal, confirming }: ClusterIntakeOptions,
): Promise<Engine> {
  const outcomes = noOutcomes();
  const way = onTheirWay(mostWaiting, MOST_ON_THEIR_WAY);
  const { tell } = confirming;
  const followed = await follow(log, makeFold, tell);
  let reading: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;

  /** Reads all that stands in the stream when this is called; for all who call it meanwhile, together. */
  function readAll(): Promise<void> {
    next ??= reading.then(async () => {
      next = undefined;
      const now = log.agreed(0).then(followed.outcome);
      reading = now.catch(() => undefined);
      await now;
    });
    return next;
  }

  async function settle(offers: readonly Offer[]): Promise<readonly SentReceipt[]> {
    const { changes } = confirmed;
    const written = await way.during(offers, () => log.append(offers));
    const settled = await Promise.all(
      written.map(async (sequence, at): Promise<SentReceipt & { readonly place: Found }> => {
        const { bytes } = offers[at];
        if (sequence !== undefined) {
          return { ...((await followed.outcome(sequence)) as SentReceipt), place: { sequence, bytes } };
        }
        // The report that stands there: it may be one that came too late, and then this player is not counted.
        const place = await found(log, offers[at]);
        await followed.outcome(place.sequence);
        return { outcome: followed.tally.late.has(place.sequence) ? 'late' : 'duplicate', place };
      }),
    );
    const counted = settled.flatMap(({ outcome, place }, at) =>
      outcome === 'counted' || outcome === 'duplicate'
        ? [{ mark: offers[at].mark, ...place, duplicate: outcome === 'duplicate' }]
        : [],
    );
    await confirmed.keep(counted, changes);
    return settled.map(({ place: _, ...receipt }) => receipt);
  }

  const standing = (): Standing => {
    const { fold, counted, countedInRound } = followed.tally;
    const { round, rounds } = fold;
    return { counted, countedInRound, round, rounds, waiting: 0, unconfirmed: confirmed.unconfirmed };
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await readAll();
      break;
    } catch (error) {
      tell((error as Error).message);
      if (attempt < ATTEMPTS && followed.broken === undefined) await pause(1000);
      else {
        await followed.stop();
        throw error;
      }
    }
  }
  const isCounted = async (sequence: number): Promise<boolean> => {
    await followed.outcome(sequence);
    return !followed.tally.late.has(sequence);
  };
  const confirmed = confirm(log, journal, { ...confirming, isCounted });
  return {
    outcomes,
    get busy() {
      return way.busy;
    },
    asked: () => followed.tally.fold.asked(),
    async receive(reports) {
      const judged = () => reports.map((one) => judge(admission, followed.tally.fold, one));
      let all = judged();
      // It may be of a round that another collector has published, and this one has not heard of.
      if (followed.tally.fold.rounds && all.some((one) => 'outcome' in one && one.outcome === 'refused')) {
        await readAll();
        all = judged();
      }
      return receipts(all, settle, outcomes);
    },
    async close(round) {
      await readAll();
      const { fold, end } = followed.tally;
      if (round !== undefined && fold.round !== round) return;
      // A trial on a copy: what the protocol refuses is not written.
      makeFold(fold.save()).close();
      await log.end(end);
      await readAll();
    },
    standing: async () => standing(),
    tallied: async () => ({ standing: standing(), saved: () => followed.tally.fold.save() }),
    async shut() {
      await confirmed.stop();
      await followed.stop();
      await log.shut();
    },
  };
}

/** How long an entry that was written may take until it is read, in ms. */
const PATIENCE = 10_000;
/** So many entries that were not counted are remembered for those who wait for them. */
const REMEMBERED = 100_000;

/**
 * Follows the stream of a cluster with one partition from its first entry on. It is a worker too (`tallyPartition`): it begins at
 * the state that was kept last, and keeps what it has. `tally` is the state after all that has been read, `broken` why nothing more
 * is read, `outcome` what became of the entry of a sequence once it has been read; it fails where that does not come in time.
 */
async function follow(log: ClusterLog, makeFold: (saved?: Uint8Array) => Fold, failed?: (text: string) => void) {
  const ending = new AbortController();
  let tally: Growing | undefined;
  let broken: Error | undefined;
  const uncounted = new Map<number, Added>();
  const waiting = new Map<number, Set<(error?: Error) => void>>();
  const failAll = (error: Error): void => {
    for (const all of waiting.values()) for (const wake of all) wake(error);
    waiting.clear();
  };

  function read(sequence: number): Promise<void> {
    if (broken !== undefined) return Promise.reject(broken);
    if ((tally?.sequence ?? 0) >= sequence) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const all = waiting.get(sequence) ?? new Set();
      waiting.set(sequence, all);
      const wake = (error?: Error): void => {
        clearTimeout(timer);
        all.delete(wake);
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = setTimeout(() => wake(new Error('the stream is not read in time')), PATIENCE);
      all.add(wake);
    });
  }

  let working: Promise<unknown> | undefined;
  await new Promise<void>((resolve, reject) => {
    const begun = (now: Growing): void => {
      tally = now;
      uncounted.clear();
      // What was waited for stands elsewhere by now, or nowhere.
      failAll(new Error('the stream has lost entries'));
      resolve();
    };
    const grown = (sequence: number, added: Added): void => {
      if (added.outcome !== 'counted') uncounted.set(sequence, added);
      if (uncounted.size > REMEMBERED) uncounted.delete(uncounted.keys().next().value as number);
      for (const wake of waiting.get(sequence) ?? []) wake();
      waiting.delete(sequence);
    };
    const options = { signal: ending.signal, begun, grown, ...(failed === undefined ? {} : { failed }) };
    working = tallyPartition(log, 0, makeFold, options).catch(({ message }: Error) => {
      // The store has failed, not the reports of those who wait.
      broken = new Error(message);
      failAll(broken);
      reject(broken);
    });
  });
  return {
    get tally(): Growing {
      return tally as Growing;
    },
    get broken(): Error | undefined {
      return broken;
    },
    async outcome(sequence: number): Promise<Added> {
      await read(sequence);
      return uncounted.get(sequence) ?? { outcome: 'counted' };
    },
    async stop(): Promise<void> {
      ending.abort();
      await working;
    },
  };
}
