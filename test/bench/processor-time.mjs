// What a process has used of its processors.
import { readFileSync } from 'node:fs';

/** The processor time of a process so far, in µs, with that of its ended children if asked; NaN where the system does not say. */
export function processorTime(pid, children = false) {
  try {
    // After the name, which may have spaces: the 12th to 15th fields, in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').map(Number);
    return 1e4 * (fields[11] + fields[12] + (children ? fields[13] + fields[14] : 0));
  } catch {
    return Number.NaN;
  }
}
