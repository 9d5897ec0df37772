import type { Reproduction } from './reproduction.ts';

/** A column of a file: numbers within public bounds, or texts of public categories, whatever their case. */
export type OwnColumn =
  | { readonly name: string; readonly low: number; readonly high: number }
  | { readonly name: string; readonly categories: readonly (readonly string[])[] };

/** A public table that we may not ship, by the names of its columns. */
export interface OwnTable {
  /** How it is called. */
  readonly name: string;
  readonly columns: readonly OwnColumn[];
}

/** The records of a file: by column of the table, the numbers, or the places of the categories. */
export interface OwnRecords {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly Float64Array[];
}

/** What an experiment does with a file of the user's instead of data that are made. */
export interface OwnData {
  readonly tables: readonly OwnTable[];
  /**
   * Everything computed at once: tables of results. Only these, and no record, leave it.
   *
   * @throws RangeError for too few records.
   */
  compute(records: OwnRecords, seed: string): readonly Reproduction[];
}
