/**
 * What is wrong with a file, with its whole path: `"data" expected a file that is not empty, got "people.csv"`.
 * `expected` must not quote the file.
 */
export function fileRefusal(name: string, expected: string, path: string): RangeError {
  return new RangeError(`"${name}" expected ${expected}, got ${JSON.stringify(path)}`);
}
