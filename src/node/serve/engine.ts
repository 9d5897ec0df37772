import { ReportError } from '../../check/refusal.ts';
import { OUTCOMES, type SentReceipt, type SentReport } from '../../client/collector-client.ts';
import type { Admission } from './admission.ts';
import type { Fold } from './fold.ts';
import type { Offered } from './log.ts';

/** Where a collection stands. */
export interface Standing {
  /** The number of counted reports that the tally holds, over all rounds and restarts. */
  readonly counted: number;
  /** The same, of the open round. */
  readonly countedInRound: number;
  /** The open round, from 0; undefined after the last. */
  readonly round: number | undefined;
  /** Whether rounds are closed one after the other. */
  readonly rounds: boolean;
  /** Reports that have their receipt and are in no tally yet; always 0 where one process does both. */
  readonly waiting: number;
  /**
   * Reports with a receipt of this collector that a cluster may have lost: they are being looked for, or have come too late
   * to be counted. Always 0 where one process does both.
   */
  readonly unconfirmed: number;
}

/** A state of the tally, and what it stands for. */
export interface Tallied {
  readonly standing: Standing;
  /** A copy of the state at that moment, as `save` of a fold gives it; to be asked for at once. */
  readonly saved: () => Uint8Array;
}

/**
 * What takes the reports of one plan: the door of a collector. It is one process with a store of its own
 * (`createIntake`), or one of many before a cluster that keeps the reports (`createClusterIntake`; in rounds and streams
 * `createOrderedIntake`).
 */
export interface Engine {
  /** The number of reports by outcome since this program began. */
  readonly outcomes: Readonly<Record<SentReceipt['outcome'], number>>;
  /** Whether there is no room for more bytes: ask again a little later. */
  readonly busy: boolean;
  /** What a player receives besides the plan, a round or a step; undefined for one-shot protocols. */
  asked(): unknown;
  /**
   * The receipts of reports, in their order, once all that was counted is durable. Their bytes must not be changed before.
   *
   * @throws whatever the store throws, for example for a full disk or a cluster without a leader: then there are no
   * receipts, and the same bytes may be sent again.
   */
  receive(reports: readonly SentReport[]): Promise<readonly SentReceipt[]>;
  /**
   * Ends the open round; where a round is named, that one alone, so that nothing happens when it has ended already.
   *
   * @throws RangeError where the protocol needs more reports, or no round is open.
   */
  close(round?: number): Promise<void>;
  standing(): Promise<Standing>;
  /** The state from which estimates are made. */
  tallied(): Promise<Tallied>;
  /** Waits for all that is on its way, and closes the store. */
  shut(): Promise<void>;
}

/** A report that may be counted. */
export interface Offer extends Offered {
  /** Adds it to the state that read it. */
  readonly add: () => void;
}

/** After the last round. */
export const NO_ROUND = -1;

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
