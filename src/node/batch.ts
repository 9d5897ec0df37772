import { totalmem } from 'node:os';
import type { RefusedValue } from '../check/refusal.ts';
import { fileRefusal } from './files.ts';

/** The cells of one column, as the file gives them; nothing has been checked yet. */
export interface Cells {
  readonly values: ArrayLike<unknown>;
  /** Whether the file marks these cells as points in time; then each value is in milliseconds since 1970, UTC. */
  readonly timestamps: boolean;
}

/** A run of consecutive records, column by column, in the order in which the columns were requested. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly Cells[];
}

/** Receives a table while it is being read. */
export interface TableSink {
  /** Called once, before any batch, with the largest number of records that can follow. */
  expect(rows: number): void;
  /** The next records; the batch may be kept, but a table may be much larger than memory. */
  add(batch: Batch): void;
}

/** Largest record of a text file in characters (or bytes, where bytes are read), with the space around it: 4 Mi. */
export const LONGEST_RECORD: number = 2 ** 22;

/** The error for a record that is longer; `place` says where the record is. */
export function longRecord(place: string, path: string): RefusedValue {
  return fileRefusal('data', `a record of at most 4 MiB in ${place}`, path);
}

/**
 * Allocates memory for the records of a file, which states how many there are. It fails if this machine has too little
 * memory.
 *
 * @throws RangeError for a file that requires more.
 */
export function roomFor<Room>(bytes: number, path: string, make: () => Room): Room {
  const refusal = fileRefusal('data', 'no more records than memory holds', path);
  if (!(bytes <= totalmem())) throw refusal;
  try {
    return make();
  } catch (error) {
    // An error of the language: there is no block of memory of this size.
    if (error instanceof RangeError) throw refusal;
    throw error;
  }
}
