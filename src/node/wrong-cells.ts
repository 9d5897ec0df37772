import { RefusedValue } from '../check/refusal.ts';
import type { Batch } from './batch.ts';
import { RefusedCell } from './cell.ts';
import { asOne } from './refused.ts';
import { linesOf } from './table.ts';

/** The most records whose mistakes are told at once. */
const MOST = 10;

/** Reads batches, and goes on after a record that is refused, so that a person gets to know of several at once. */
export interface CellChecks {
  /** Reads a batch whose first record is number `first`, counted from 0. */
  read(batch: Batch, first: number): void;
  /**
   * Ends the reading of a file.
   *
   * @throws RangeError naming the rows that were refused, and in a CSV file their lines, if there are any.
   */
  end(path: string): Promise<void>;
}

/** Wraps a reader of batches that throws a `RefusedCell` for the first cell that is wrong. */
export function cellChecks(read: (batch: Batch, first: number) => void): CellChecks {
  const wrong: RefusedCell[] = [];
  const refusalOf = (batch: Batch, first: number): RefusedCell | undefined => {
    try {
      read(batch, first);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedCell) return error;
      throw error;
    }
  };
  return {
    read(batch, first) {
      if (wrong.length >= MOST) return;
      const earliest = refusalOf(batch, first);
      if (earliest === undefined) return;
      // Once more, record by record: the first mistake of each.
      const before = wrong.length;
      for (let i = 0; i < batch.rows && wrong.length < MOST; i++) {
        const refusal = refusalOf(recordOf(batch, i), first + i);
        if (refusal !== undefined) wrong.push(refusal);
      }
      if (wrong.length === before) throw earliest;
    },
    async end(path) {
      if (wrong.length === 0) return;
      const rows = wrong.map(({ row }) => row);
      const lines = await linesOf(path, rows);
      const expectations = [...new Set(wrong.map(({ expectation }) => expectation))];
      const more = wrong.length === MOST ? '; rows after these were not looked at' : '';
      const refusals = expectations.map((expectation) => {
        const of = wrong.flatMap((cell, i) => (cell.expectation === expectation ? [i] : []));
        const inFile = lines === undefined ? '' : ` (${numbered('line', of, lines)})`;
        return new RefusedValue(`${expectation} in ${numbered('row', of, rows)}${inFile}${more}`);
      });
      throw asOne(refusals);
    },
  };
}

/** One record of a batch, as a batch. */
function recordOf({ columns }: Batch, index: number): Batch {
  return {
    rows: 1,
    columns: columns.map(({ values, timestamps }) => ({ values: [values[index]], timestamps })),
  };
}

/** `row 3`, or `rows 3, 5 and 8`. */
function numbered(what: string, places: readonly number[], numbers: readonly number[]): string {
  const words = places.map((place) => String(numbers[place]));
  if (words.length === 1) return `${what} ${words[0]}`;
  return `${what}s ${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}
