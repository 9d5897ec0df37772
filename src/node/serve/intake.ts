import { deserialize, serialize } from 'node:v8';
import { ReportError } from '../../check/report-error.ts';
import type { SentReport } from '../../client/batch.ts';
import { OUTCOMES, type SentReceipt } from '../../client/receipt.ts';
import type { Admission } from './admission.ts';
import type { Fold } from './fold.ts';
import { refusalOf } from './fold-entries.ts';
import type { Appended, Offered, ReportLog } from './log.ts';

/** Settings of an intake. */
export interface IntakeOptions {
  readonly admission: Admission;
  /** The largest number of counted reports of a round. Default: no limit. */
  readonly mostReports?: number | undefined;
  /** How many bytes of reports may wait for the disk; beyond, nothing is taken. Default: 64 MiB. */
  readonly mostWaiting?: number | undefined;
}

/** The door of a collector: reports in, durable receipts out, and the state of all that was counted. */
export interface Intake {
  /** The state after everything that was counted. */
  readonly fold: Fold;
  /** The number of reports by outcome since this program began. */
  readonly outcomes: Readonly<Record<SentReceipt['outcome'], number>>;
  /** The number of counted reports, over all rounds and restarts. */
  readonly counted: number;
  /** The number of counted reports of the open round. */
  readonly countedInRound: number;
  /** Whether there is no room for more bytes: ask again a little later. */
  readonly busy: boolean;
  /**
   * The receipts of reports, in their order, once all that was counted is on the disk.
   *
   * @throws whatever the store throws, for example for a full disk: then none of the reports is counted here, and the same
   * bytes may be sent again.
   */
  receive(reports: readonly SentReport[]): Promise<readonly SentReceipt[]>;
  /**
   * Ends the open round.
   *
   * @throws RangeError where the protocol needs more reports, or no round is open.
   */
  close(): Promise<void>;
  /** Keeps the state in the log, waits for the disk and closes the files. */
  shut(): Promise<void>;
}

/** A state is kept after so many reports: reading them again takes well below a second. */
const KEPT_EVERY = 65_536;
const MOST_WAITING = 64 << 20;
/** After the last round. */
const NO_ROUND = -1;

/** A report that may be counted. */
interface Offer extends Offered {
  /** Adds it to the state. */
  readonly add: () => void;
}

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
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    SentReceipt['outcome'],
    number
  >;
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
        const receipts = appended.map((one, at) => settle(one, offers[at]));
        let at = 0;
        for (const one of now) one.done(receipts.slice(at, (at += one.offers.length)));
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

  /** The receipt of a report, or what to write of it. */
  function judge({ player, bytes }: SentReport): SentReceipt | Offer {
    const mark = admission(player);
    if (mark === undefined) return { outcome: 'forbidden' };
    try {
      // A copy: the bytes belong to the body of the request.
      const own = bytes.slice();
      const add = fold.read(own);
      // The round in which it was read: if that is over when it is written, it is late.
      const { round = NO_ROUND, repeats } = fold;
      const turn = repeats ? round : 0;
      return { round, mark: Buffer.concat([Buffer.from([turn & 255, turn >> 8]), mark]), bytes: own, add };
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      return fold.late(bytes) ? { outcome: 'late' } : { outcome: 'refused', reason: error.message };
    }
  }

  async function keep(): Promise<void> {
    if (folded === keptAt) return;
    const sequence = folded;
    await log.keep({ sequence, state: serialize({ counted, countedInRound, state: fold.save() } satisfies Kept) });
    keptAt = sequence;
  }

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
    async receive(reports) {
      const judged = reports.map(judge);
      const offers = judged.filter((one): one is Offer => 'mark' in one);
      const settled = await append(offers);
      let at = 0;
      const receipts = judged.map((one) => ('mark' in one ? settled[at++] : one));
      for (const { outcome } of receipts) outcomes[outcome]++;
      return receipts;
    },
    async close() {
      while (writing !== undefined) await writing;
      catchUp(Infinity);
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

/** What is kept of an intake: the numbers of counted reports, and the state. */
interface Kept {
  readonly counted: number;
  readonly countedInRound: number;
  readonly state: Uint8Array;
}

/** Where an intake begins: at the state that was kept last, or before the first report. */
function startOf(log: ReportLog, makeFold: (saved?: Uint8Array) => Fold) {
  const kept = log.kept();
  if (kept === undefined) return { fold: makeFold(), folded: 0, counted: 0, countedInRound: 0 };
  const { state, ...counts } = deserialize(kept.state) as Kept;
  return { ...counts, fold: makeFold(new Uint8Array(state)), folded: kept.sequence };
}
