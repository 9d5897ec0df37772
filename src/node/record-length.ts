import { fileRefusal } from './file-refusal.ts';

/** Characters (or bytes, where a file is read as such) of one record of a text file: 4 Mi, with the white space around it. */
export const LONGEST_RECORD: number = 2 ** 22;

/** What is said of a record that is longer; `place` is where it stands. */
export function longRecord(place: string, path: string): RangeError {
  return fileRefusal('data', `a record of at most 4 MiB in ${place}`, path);
}
