/** How a numbered item of a paper is covered. */
export type TheoryStatus =
  | 'proved constant'
  | 'measured rate'
  | 'coverage'
  | 'exact'
  | 'definition only'
  | 'printed form refuted'
  | 'not covered';

/**
 * A numbered definition, lemma, theorem, algorithm, table or figure of a paper. The functions that state it are not told here: they
 * say so themselves, by a line `@theorem <paper> <number>` in their doc comments.
 */
export interface TheoryItem {
  /** As printed, for example `Theorem 11`; the heading of a slide without numbers. Different for every item of a paper. */
  readonly number: string;
  /** Section or page. */
  readonly section: string;
  /** What it is about, in a few words. */
  readonly about: string;
  /** Tests that check it, as paths below test/ without their extension. */
  readonly tests: readonly string[];
  /** How it is covered. */
  readonly status: TheoryStatus;
  /** What differs, where something does. */
  readonly note?: string;
}
