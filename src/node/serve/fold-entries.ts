import { ReportError } from '../../check/refusal.ts';
import type { SentReceipt } from '../../client/receipt.ts';
import { refusedBy } from '../refused.ts';
import type { Fold } from './fold.ts';
import type { Entry } from './log.ts';

/**
 * The state after entries of a log: that of each partition by itself, and these together in the order of the partitions.
 * Reports that only the state can refuse, such as stale ones, change nothing.
 */
export async function foldEntries(
  makeFold: (saved?: Uint8Array) => Fold,
  entries: AsyncIterable<Entry>,
): Promise<Fold> {
  const before: Uint8Array[] = [];
  let fold = makeFold();
  let now = 0;
  for await (const entry of entries) {
    const { partition = 0 } = entry;
    if (partition !== now) {
      before.push(fold.save());
      fold = makeFold();
      now = partition;
    }
    addEntry(fold, entry);
  }
  return before.length === 0 ? fold : mergedFold(makeFold, [...before, fold.save()]);
}

/** The state of all partitions together, from theirs in their order. Sums are rounded in that order. */
export function mergedFold(makeFold: (saved?: Uint8Array) => Fold, states: readonly Uint8Array[]): Fold {
  const fold = makeFold();
  for (const state of states) fold.merge(state);
  return fold;
}

/** What becomes of an entry. */
export type Added = SentReceipt | { readonly outcome: 'ended' };

/**
 * Adds an entry of a log to a state: the receipt of a report, `ended` for an end of a round, and `refused` for one that the
 * protocol refuses there. What is neither counted nor ended changes nothing.
 */
export function addEntry(fold: Fold, entry: Entry): Added {
  if (entry.kind === 'close') {
    try {
      fold.close();
      return { outcome: 'ended' };
    } catch (error) {
      if (refusedBy(error) === undefined) throw error;
      return { outcome: 'refused', reason: (error as Error).message };
    }
  }
  const reason = refusalOf(() => fold.read(entry.bytes)());
  if (reason === undefined) return { outcome: 'counted' };
  return fold.late(entry.bytes) ? { outcome: 'late' } : { outcome: 'refused', reason };
}

/** Why a report cannot be counted; undefined where it was. */
export function refusalOf(add: () => void): string | undefined {
  try {
    add();
    return undefined;
  } catch (error) {
    if (error instanceof ReportError) return error.message;
    throw error;
  }
}
