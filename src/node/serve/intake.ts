import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { RefusedKind, RefusedValue, ReportError } from '../../check/refusal.ts';
import { OUTCOMES, type SentReceipt, type SentReport } from '../../client/collector-client.ts';
import { createMarks, LONGEST_ID, type Mark, playerMark } from '../../core/door.ts';
import { type Fold, refusalOf } from './fold.ts';
import { type Appended, keptOf, NOTHING, type Offered, packed, type ReportLog } from './log.ts';

/** The mark of the player that a text stands for; undefined where it is not admitted. The text is private: nothing keeps it. */
export type Admission = (player: string) => Uint8Array | undefined;

/** Everybody, under a name of their own choice. It stops nobody from answering under two names. */
export function admitAll(): Admission {
  return (player) => bytesOf(markOf(player));
}

/** The players on a list, by their ids; an id that is no player id, or is there twice, is refused. */
export function admitListed(ids: Iterable<string>): Admission {
  // Outside the heap: there may be tens of millions.
  const listed = createMarks();
  for (const id of ids) {
    const mark = markOf(id);
    if (mark === undefined) throw new RefusedKind(`"ids" expected texts of 1 to ${LONGEST_ID} characters`);
    if (listed.has(mark)) throw new RefusedValue('"ids" expected every id once');
    listed.add(mark);
  }
  return (player) => {
    const mark = markOf(player);
    return mark !== undefined && listed.has(mark) ? bytesOf(mark) : undefined;
  };
}

const NUMBER_BYTES = 16;
const SIGNATURE_BYTES = 16;
/** Fewer bytes of a secret could be guessed. */
export const LEAST_SECRET = 16;
const TICKET = /^[\w-]{43}$/;

/**
 * Tickets: random numbers that are signed for one plan. Who knows the secret can make any number of them, and cannot tell
 * from a report which ticket went to whom, unless it is written down who got which.
 *
 * Law: a ticket is 43 characters of base64url: 16 random bytes, and the first 16 bytes of the HMAC-SHA-256 of plan and number.
 */
export function createTickets(secret: Uint8Array, plan: string, count: number): readonly string[] {
  checkSecret(secret);
  return Array.from({ length: count }, () => {
    const number = randomBytes(NUMBER_BYTES);
    return Buffer.concat([number, signatureOf(secret, plan, number)]).toString('base64url');
  });
}

/** The players with a ticket of this plan; each ticket is one player. */
export function admitTickets(secret: Uint8Array, plan: string): Admission {
  checkSecret(secret);
  return (player) => {
    if (!TICKET.test(player)) return undefined;
    const bytes = Buffer.from(player, 'base64url');
    // One spelling: the last character has bits that the bytes do not have.
    if (bytes.toString('base64url') !== player) return undefined;
    const number = bytes.subarray(0, NUMBER_BYTES);
    if (!timingSafeEqual(signatureOf(secret, plan, number), bytes.subarray(NUMBER_BYTES))) return undefined;
    return bytesOf(markOf(number.toString('hex')));
  };
}

function checkSecret(secret: Uint8Array): void {
  if (secret.length < LEAST_SECRET) throw new RefusedValue('secret', `at least ${LEAST_SECRET} bytes`, secret.length);
}

function signatureOf(secret: Uint8Array, plan: string, number: Uint8Array): Buffer {
  const hmac = createHmac('sha256', secret).update(`ldpkit ticket ${plan} `).update(number);
  return hmac.digest().subarray(0, SIGNATURE_BYTES);
}

function markOf(player: string): Mark | undefined {
  return player.length === 0 || player.length > LONGEST_ID ? undefined : playerMark(player);
}

function bytesOf(mark: Mark | undefined): Uint8Array | undefined {
  return mark && new Uint8Array(mark.buffer, mark.byteOffset, mark.byteLength);
}

export interface Standing extends Pick<Fold, 'round' | 'rounds'> {
  /** The number of counted reports that the tally holds, over all rounds and restarts. */
  readonly counted: number;
  /** The same, of the open round. */
  readonly countedInRound: number;
  /** Reports that have their receipt and are in no tally yet; always 0 where one process does both. */
  readonly waiting: number;
  /** Reports with a receipt that a cluster may have lost, or that came too late; always 0 where one process does both. */
  readonly unconfirmed: number;
}

/** What takes the reports of one plan: one process with a store of its own, or one of many before a cluster. */
export interface Engine extends Pick<Fold, 'asked'> {
  /** The number of reports by outcome since this program began. */
  readonly outcomes: Readonly<Record<SentReceipt['outcome'], number>>;
  /** Whether there is no room for more bytes: ask again a little later. */
  readonly busy: boolean;
  /** The receipts of reports, in order, once they are durable. Where the store fails, the bytes may be sent again. */
  receive(reports: readonly SentReport[]): Promise<readonly SentReceipt[]>;
  /** Ends the open round; where a round is named, that one alone, so that nothing happens when it has ended already. */
  close(round?: number): Promise<void>;
  standing(): Promise<Standing>;
  /** Where it stands, and a copy of the state at that moment as `save` of a fold gives it, to be asked for at once. */
  tallied(): Promise<{ readonly standing: Standing; readonly saved: () => Uint8Array }>;
  /** Waits for all that is on its way, and closes the store. */
  shut(): Promise<void>;
}

/** A report that may be counted. */
export interface Offer extends Offered {
  readonly add: () => void;
}

/** After the last round. */
const NO_ROUND = -1;

/** The receipt of a report that cannot be counted, or what to write of it, with the same bytes. Nothing is changed. */
export function judge(admission: Admission, fold: Fold, { player, bytes }: SentReport): SentReceipt | Offer {
  const mark = admission(player);
  if (mark === undefined) return { outcome: 'forbidden' };
  try {
    const add = fold.read(bytes);
    // The round in which it was read: if that is over when it is written, it is late.
    const { round = NO_ROUND, repeats } = fold;
    const turn = repeats ? round : 0;
    return { round, mark: Buffer.concat([Buffer.from([turn & 255, turn >> 8]), mark]), bytes, add };
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    return fold.late(bytes) ? { outcome: 'late' } : { outcome: 'refused', reason: error.message };
  }
}

/** The number of reports by outcome, before the first. */
export function noOutcomes(): Record<SentReceipt['outcome'], number> {
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<SentReceipt['outcome'], number>;
}

/** The receipts of all reports in their order, where `settle` gives those of the offers; each is counted in `outcomes`. */
export async function receipts(
  judged: readonly (SentReceipt | Offer)[],
  settle: (offers: readonly Offer[]) => Promise<readonly SentReceipt[]>,
  outcomes: Record<SentReceipt['outcome'], number>,
): Promise<readonly SentReceipt[]> {
  const settled = await settle(judged.filter((one): one is Offer => 'mark' in one));
  let at = 0;
  const all = judged.map((one) => ('mark' in one ? settled[at++] : one));
  for (const { outcome } of all) outcomes[outcome]++;
  return all;
}

const MOST_WAITING = 64 << 20;

/** What is on its way to a store. */
interface Way extends Pick<Engine, 'busy'> {
  /** Does what brings these there, while they count. */
  during<Result>(offers: readonly Offer[], does: () => Promise<Result>): Promise<Result>;
}

/** The way to a store that takes so many bytes at once, 64 MiB by default, and so many reports. */
export function onTheirWay(mostBytes: number = MOST_WAITING, mostReports: number = Infinity): Way {
  let [bytes, reports] = [0, 0];
  return {
    get busy() {
      return reports > mostReports || bytes > mostBytes;
    },
    async during(offers, does) {
      const size = offers.reduce((sum, one) => sum + one.bytes.length, 0);
      bytes += size;
      reports += offers.length;
      try {
        return await does();
      } finally {
        bytes -= size;
        reports -= offers.length;
      }
    },
  };
}

export interface IntakeOptions {
  readonly admission: Admission;
  /** The largest number of counted reports of a round. Default: no limit. */
  readonly mostReports?: number | undefined;
}

/** A state is kept after so many reports: reading them again takes well below a second. */
const KEPT_EVERY = 65_536;

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
  { admission, mostReports = Infinity }: IntakeOptions,
): Engine {
  // At the state that was kept last, or before the first report.
  const kept = log.kept();
  const { state, ...start } = kept === undefined ? NOTHING : keptOf(kept);
  const fold = makeFold(state);
  let { sequence: folded, counted, countedInRound } = start;
  let keptAt = folded;
  const outcomes = noOutcomes();
  const way = onTheirWay();
  let waiting: Waiting[] = [];
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
    try {
      readLog(before);
    } catch (error) {
      // The store has failed, and nothing that anybody asks.
      throw new Error((error as Error).message, { cause: error });
    }
  }

  function readLog(before: number): void {
    if (folded + 1 >= before) return;
    for (const entry of log.after(folded)) {
      if (entry.sequence >= before) return;
      if (entry.kind === 'close') closeRound(entry.sequence);
      else {
        let add = (): void => undefined;
        // Each was read once, before it was written.
        const reason = refusalOf(() => (add = fold.read(entry.bytes)));
        if (reason !== undefined)
          throw new ReportError(`"folder" expected one whose reports are not damaged: ${reason}`);
        count(entry.sequence, add);
      }
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
        catchUp(Infinity);
        if (folded - keptAt >= KEPT_EVERY) await keep();
      } catch (error) {
        for (const one of now) one.failed(error);
      }
    }
  }

  /** Reads what another program wrote; while this one writes, it does so by itself when that is done. */
  function refresh(): void {
    if (writing === undefined) catchUp(Infinity);
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
    return way.during(
      offers,
      () =>
        new Promise((done, failed) => {
          waiting.push({ offers, done, failed });
          void written();
        }),
    );
  }

  /** Keeps the state. Where the disk does not take it, the log makes it again. */
  async function keep(): Promise<void> {
    if (folded === keptAt) return;
    const sequence = folded;
    const kept = log.keep({ sequence, state: packed(fold, { counted, countedInRound }) });
    await kept.then(() => (keptAt = sequence)).catch(() => undefined);
  }

  const standing = () => {
    refresh();
    const { round, rounds } = fold;
    return { counted, countedInRound, round, rounds, waiting: 0, unconfirmed: 0 };
  };
  readLog(Infinity);
  return {
    outcomes,
    get busy() {
      return way.busy;
    },
    asked() {
      refresh();
      return fold.asked();
    },
    async receive(reports) {
      refresh();
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
