import type { MarginTask } from './request.ts';
import type { MarginDatum } from './shape.ts';

const { SQRT1_2 } = Math;

/** y·x. */
export function signed({ features, label }: MarginDatum): Float64Array {
  return Float64Array.from(features, (entry) => label * entry);
}

/** What is randomized of a record by its task: y·x, or (x, y)/√2 for a regression. */
export function vectorOf(task: MarginTask, datum: MarginDatum): Float64Array {
  if (task !== 'regression') return signed(datum);
  return Float64Array.from([...Array.from(datum.features), datum.label], (entry) => SQRT1_2 * entry);
}

/** Its name in certificates. */
export function nameOfVector(task: MarginTask): string {
  return task === 'regression' ? 'z = (x, y)/√2' : 'v = y·x';
}
