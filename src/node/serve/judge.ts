import { ReportError } from '../../check/refusal.ts';
import type { SentReport } from '../../client/batch.ts';
import { OUTCOMES, type SentReceipt } from '../../client/receipt.ts';
import type { Admission } from './admission.ts';
import type { Fold } from './fold.ts';
import type { Offered } from './log.ts';

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
