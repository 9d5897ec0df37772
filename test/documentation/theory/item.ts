const STATUSES = [
  'proved constant',
  'measured rate',
  'coverage',
  'exact',
  'definition only',
  'printed form refuted',
  'not covered',
] as const;

/** How a numbered item of a paper is covered. */
export type TheoryStatus = (typeof STATUSES)[number];

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

/** The first line of a table of items. */
const HEAD = '| item | section | about | status | tests | note |';

/**
 * The items of a page with their table, one row each. A bar within a cell has a backslash before it.
 *
 * @throws Error for a row without six cells, an unknown status, and a page without items.
 */
export function itemsIn(page: string): readonly TheoryItem[] {
  const lines = page.split('\n');
  const rows = lines.slice(lines.indexOf(HEAD) + 2).filter((line) => line !== '');
  if (!lines.includes(HEAD) || rows.length === 0) throw new Error(`expected rows below "${HEAD}"`);
  return rows.map((row) => {
    const [open, number, section, about, said, tests, note, close, ...others] = row
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    const status = STATUSES.find((one) => one === said);
    const whole = open === '' && close === '' && others.length === 0 && number !== '' && about !== '';
    if (!whole || status === undefined) throw new Error(`expected six cells with a status, got ${row}`);
    const named = tests === '' ? [] : tests.split(', ');
    return { number, section, about, tests: named, status, ...(note === '' ? {} : { note }) };
  });
}
