import { RefusedValue } from '../check/refusal.ts';

/**
 * The Walsh–Hadamard transform of the first `length` entries, in place and without a factor: entry i becomes Σⱼ
 * (−1)^popcount(i & j)·values[j] (natural order). Twice in a row it multiplies by `length`; divided by √length it is a
 * rotation.
 *
 * Each pass does two levels, so a vector goes through memory half as often: n·log₂(n) additions, none of which depends
 * on the data.
 *
 * @throws RangeError for a length that is not a power of two, or longer than the array.
 * @theorem slides Results for the multivariate case, random rotation
 */
export function walshHadamard(values: Float64Array, length: number = values.length): void {
  if (!(Number.isInteger(length) && length >= 1 && length <= 2 ** 30 && (length & (length - 1)) === 0)) {
    throw new RefusedValue('length', 'a power of two from 1 to 1073741824', length);
  }
  if (length > values.length) throw new RefusedValue('length', `at most ${values.length}`, length);
  let half = 1;
  // An odd number of levels starts with one single level, so pairs of levels remain.
  if ((31 - Math.clz32(length)) % 2 === 1) {
    for (let i = 0; i < length; i += 2) {
      const a = values[i];
      const b = values[i + 1];
      values[i] = a + b;
      values[i + 1] = a - b;
    }
    half = 2;
  }
  for (; half < length; half *= 4) {
    for (let start = 0; start < length; start += 4 * half) {
      const end = start + half;
      for (let i = start; i < end; i++) {
        const j = i + half;
        const k = j + half;
        const l = k + half;
        const a = values[i];
        const b = values[j];
        const c = values[k];
        const d = values[l];
        const ab = a + b;
        const cd = c + d;
        const abMinus = a - b;
        const cdMinus = c - d;
        values[i] = ab + cd;
        values[j] = abMinus + cdMinus;
        values[k] = ab - cd;
        values[l] = abMinus - cdMinus;
      }
    }
  }
}
