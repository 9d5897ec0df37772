import { brief, printable } from '../check/printable.ts';

/** Characters of a path that are shown at most: as many as one may have. */
const LONGEST_PATH = 4096;

/**
 * What is wrong with a file, with its whole path: `"data" expected a file that is not empty, got "people.csv"`.
 * `expected` must not quote the file.
 */
export function fileRefusal(name: string, expected: string, path: string): RangeError {
  return new RangeError(`"${name}" expected ${printable(expected)}, got ${brief(JSON.stringify(path), LONGEST_PATH)}`);
}
