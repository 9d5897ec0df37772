/** Numbers that a kernel (an inner loop) keeps between calls to avoid allocation. Each call overwrites what it uses. */
export interface Scratch {
  /** At least as many numbers as the last call reserved. */
  values: Float64Array;
}

// All scratch arrays, so one call clears them and no kernel can be forgotten.
const all: Scratch[] = [];

/** New scratch, for a module to make once: it stays known to {@link wipeScratch} for as long as the program runs. */
export function createScratch(length: number): Scratch {
  const scratch = { values: new Float64Array(length) };
  all.push(scratch);
  return scratch;
}

/**
 * The numbers of a scratch, at least `length` of them. A scratch that is too short is set to zero before it is
 * replaced.
 */
export function reserve(scratch: Scratch, length: number): Float64Array {
  return scratch.values.length < length ? renew(scratch, length) : scratch.values;
}

/** As {@link reserve}, exactly `length` numbers. */
export function reserveExactly(scratch: Scratch, length: number): Float64Array {
  return scratch.values.length === length ? scratch.values : renew(scratch, length);
}

function renew(scratch: Scratch, length: number): Float64Array {
  scratch.values.fill(0);
  scratch.values = new Float64Array(length);
  return scratch.values;
}

/**
 * Sets all scratch of this program to zero: everything that the players' kernels have kept of the latest datum and its
 * noise. A device calls it after each report. Freed copies belong to the memory manager and cannot be reached.
 */
export function wipeScratch(): void {
  for (const { values } of all) values.fill(0);
}
