import { ReportError } from '../../check/report-error.ts';
import type { Fold } from './fold.ts';
import type { Entry } from './log.ts';

/** The state after entries of a log. Reports that only the state can refuse, such as stale ones, change nothing. */
export async function foldEntries(fold: Fold, entries: AsyncIterable<Entry>): Promise<Fold> {
  for await (const entry of entries) {
    if (entry.kind === 'close') fold.close();
    else refusalOf(() => fold.read(entry.bytes)());
  }
  return fold;
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
