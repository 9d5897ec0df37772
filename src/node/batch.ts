import { totalmem } from 'node:os';
import { fileRefusal } from './files.ts';

/** The cells of one column, as the file gives them; nothing has been checked yet. */
export interface Cells {
  readonly values: ArrayLike<unknown>;
  /** Whether the file says that these are points in time; then each value is in milliseconds since 1970, UTC. */
  readonly timestamps: boolean;
}

/** A run of consecutive records, column by column, in the order in which the columns were asked for. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly Cells[];
}

/** Where a table goes while it is being read. */
export interface TableSink {
  /** Called once, before any batch: there will be at most so many records. */
  expect(rows: number): void;
  /** The next records; the batch may be kept, but a table may be much larger than memory. */
  add(batch: Batch): void;
}

/** Characters (or bytes, where a file is read as such) of one record of a text file: 4 Mi, with the white space around it. */
export const LONGEST_RECORD: number = 2 ** 22;

/** What is said of a record that is longer; `place` is where it stands. */
export function longRecord(place: string, path: string): RangeError {
  return fileRefusal('data', `a record of at most 4 MiB in ${place}`, path);
}

/**
 * Room for the records of a file, which says how many there are: no more than the memory of this machine has.
 *
 * @throws RangeError for a file that asks for more.
 */
export function roomFor<Room>(bytes: number, path: string, make: () => Room): Room {
  const refusal = fileRefusal('data', 'no more records than memory holds', path);
  if (!(bytes <= totalmem())) throw refusal;
  try {
    return make();
  } catch (error) {
    // Of the language: there is no room in one piece.
    if (error instanceof RangeError) throw refusal;
    throw error;
  }
}
