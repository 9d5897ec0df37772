import type { SentReceipt } from '../../client/collector-client.ts';
import type { Admission } from './admission.ts';
import { type Engine, judge, NO_ROUND, noOutcomes, type Offer, receipts } from './engine.ts';
import { type Fold, refusalOf } from './fold.ts';
import type { Appended, ReportLog } from './log.ts';
import { packed, unpackedKept } from './snapshot.ts';

/** Settings of an intake. */
export interface IntakeOptions {
  readonly admission: Admission;
  /** The largest number of counted reports of a round. Default: no limit. */
  readonly mostReports?: number | undefined;
  /** How many bytes of reports may wait for the disk; beyond, nothing is taken. Default: 64 MiB. */
  readonly mostWaiting?: number | undefined;
}

/** The door of a collector with a store of its own: reports in, durable receipts out, and the state of all that was counted. */
export interface Intake extends Engine {
  /** The state after everything that was counted. */
  readonly fold: Fold;
  /** The number of counted reports, over all rounds and restarts. */
  readonly counted: number;
  /** The number of counted reports of the open round. */
  readonly countedInRound: number;
}

/** A state is kept after so many reports: reading them again takes well below a second. */
const KEPT_EVERY = 65_536;
const MOST_WAITING = 64 << 20;

interface Waiting {
  readonly offers: readonly Offer[];
  readonly done: (receipts: readonly SentReceipt[]) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The intake of a log: it first reads what the log holds, from the state that was kept last. `makeFold` makes the state
 * before the first report, or that in saved bytes.
 *
 * Law: the state is the fold of the log in its order, whatever was killed in between. A report gets its receipt after it
 * is on the disk.
 */
export function createIntake(
  log: ReportLog,
  makeFold: (saved?: Uint8Array) => Fold,
  { admission, mostReports = Infinity, mostWaiting = MOST_WAITING }: IntakeOptions,
): Intake {
  const start = startOf(log, makeFold);
  const { fold } = start;
  let { folded, counted, countedInRound } = start;
  let keptAt = folded;
  const outcomes = noOutcomes();
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;

  /** Adds a report to the state; why it cannot be counted, where only the state tells. */
  function count(sequence: number, add: () => void): SentReceipt {
    folded = sequence;
    const reason = refusalOf(add);
    if (reason !== undefined) return { outcome: 'refused', reason };
    counted++;
    countedInRound++;
    return { outcome: 'counted' };
  }

  /** Adds the entries of the log that another program wrote. */
  function catchUp(before: number): void {
    if (folded + 1 >= before) return;
    for (const entry of log.after(folded)) {
      if (entry.sequence >= before) return;
      if (entry.kind === 'report') count(entry.sequence, () => fold.read(entry.bytes)());
      else closeRound(entry.sequence);
    }
  }

  function closeRound(sequence: number): void {
    fold.close();
    folded = sequence;
    countedInRound = 0;
  }

  function settle(appended: Appended, { add }: Offer): SentReceipt {
    if (appended.outcome === 'closed') return { outcome: 'late' };
    if (appended.outcome !== 'taken') return { outcome: appended.outcome };
    catchUp(appended.sequence);
    return count(appended.sequence, add);
  }

  /** Writes all that waits, together, until nothing waits. */
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      try {
        const offers = now.flatMap((one) => one.offers);
        const appended = await log.append(offers, mostReports);
        const settled = appended.map((one, at) => settle(one, offers[at]));
        let at = 0;
        for (const one of now) one.done(settled.slice(at, (at += one.offers.length)));
        if (folded - keptAt >= KEPT_EVERY) await keep();
      } catch (error) {
        for (const one of now) one.failed(error);
      }
    }
  }

  /** Begins to write where nobody does, and waits until nothing waits. */
  function written(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function append(offers: readonly Offer[]): Promise<readonly SentReceipt[]> {
    if (offers.length === 0) return [];
    const size = offers.reduce((sum, { bytes }) => sum + bytes.length, 0);
    waitingBytes += size;
    try {
      return await new Promise((done, failed) => {
        waiting.push({ offers, done, failed });
        void written();
      });
    } finally {
      waitingBytes -= size;
    }
  }

  async function keep(): Promise<void> {
    if (folded === keptAt) return;
    const sequence = folded;
    await log.keep({ sequence, state: packed(fold, { counted, countedInRound }) });
    keptAt = sequence;
  }

  const standing = () => {
    const { round, rounds } = fold;
    return { counted, countedInRound, round, rounds, waiting: 0, unconfirmed: 0 };
  };
  catchUp(Infinity);
  return {
    fold,
    outcomes,
    get counted() {
      return counted;
    },
    get countedInRound() {
      return countedInRound;
    },
    get busy() {
      return waitingBytes > mostWaiting;
    },
    asked: () => fold.asked(),
    async receive(reports) {
      const judged = reports.map((one) => judge(admission, fold, one));
      return receipts(judged, append, outcomes);
    },
    standing: async () => standing(),
    tallied: async () => ({ standing: standing(), saved: () => fold.save() }),
    async close(round = fold.round) {
      while (writing !== undefined) await writing;
      catchUp(Infinity);
      if (fold.round !== round) return;
      // A trial on a copy: what the protocol refuses is not written.
      makeFold(fold.save()).close();
      const sequence = await log.close(fold.round ?? NO_ROUND);
      if (sequence === undefined) catchUp(Infinity);
      else {
        catchUp(sequence);
        closeRound(sequence);
      }
      await keep();
    },
    async shut() {
      while (writing !== undefined) await writing;
      await keep();
      await log.shut();
    },
  };
}

/** Where an intake begins: at the state that was kept last, or before the first report. */
function startOf(log: ReportLog, makeFold: (saved?: Uint8Array) => Fold) {
  const kept = log.kept();
  if (kept === undefined) return { fold: makeFold(), folded: 0, counted: 0, countedInRound: 0 };
  const { state, counted, countedInRound } = unpackedKept(kept);
  return { counted, countedInRound, fold: makeFold(state), folded: kept.sequence };
}
