import {
  createRandomScaling,
  extendRandomScaling,
  type RandomScaling,
} from '../../../src/inference/iterate-average.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** A drifting correlated path around a far centre: p entries a step, row by row. */
export function wanderingPath(steps: number, dimension: number, seed: string, offset: number = 0): Float64Array {
  const path = new Float64Array(steps * dimension);
  fillNormal(path, seededRandom(seed));
  for (let k = dimension; k < path.length; k++) path[k] = 0.8 * path[k - dimension] + path[k];
  for (let k = 0; k < path.length; k++) path[k] = offset + path[k] + 3 / (1 + Math.floor(k / dimension));
  return path;
}

export const stepOf = (path: Float64Array, dimension: number, i: number): Float64Array =>
  path.subarray(i * dimension, (i + 1) * dimension);

/** The state of random scaling after the steps from `from` to `to` of a path. */
export function fed(
  path: Float64Array,
  p: number,
  from: number = 0,
  to: number = path.length / p,
  state: RandomScaling = createRandomScaling(p),
): RandomScaling {
  for (let i = from; i < to; i++) extendRandomScaling(state, stepOf(path, p, i));
  return state;
}

/** Largest difference of two matrices relative to the largest entry of the second. */
export function relativeGap(a: Float64Array, b: Float64Array): number {
  let gap = 0;
  let scale = 0;
  for (let k = 0; k < b.length; k++) {
    gap = Math.max(gap, Math.abs(a[k] - b[k]));
    scale = Math.max(scale, Math.abs(b[k]));
  }
  return a.length === b.length ? gap / scale : Number.NaN;
}

/** What a state of numbers, truth values, words, typed arrays and plain objects becomes when saved as JSON and read back. */
export function reloaded<State>(state: State): State {
  const text = JSON.stringify(state, (_, value) =>
    value instanceof Float64Array ? { floats: Array.from(value) } : value,
  );
  return JSON.parse(text, (_, value) => (Array.isArray(value?.floats) ? Float64Array.from(value.floats) : value));
}
