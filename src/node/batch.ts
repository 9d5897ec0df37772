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

/** Reads the given columns of one kind of file. */
export type TableReader = (path: string, columns: readonly string[], sink: TableSink) => Promise<void>;
