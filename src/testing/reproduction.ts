/** A table of a paper, computed again: what a protocol contributes to it. */
export interface Reproduction {
  /** What the table shows. */
  readonly title: string;
  /** Heads of the columns. */
  readonly columns: readonly string[];
  /** One row a line, as many texts as there are columns. */
  readonly rows: readonly (readonly string[])[];
  /** What has to be known to read it: which figures are measured, which extrapolated. */
  readonly notes: readonly string[];
}

/** Names of the tables and figures a protocol contributes to, and how to compute its part. */
export type Reproductions = Readonly<Record<string, () => Reproduction>>;
