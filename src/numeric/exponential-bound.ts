import { RefusedValue } from '../check/refusal.ts';

/** Binary places kept by {@link exponentialBelow}. */
export const EXPONENTIAL_PLACES = 192n;

/** The argument is divided by 2¹² before the series and the result squared twelve times. */
const HALVINGS = 12n;

/**
 * A whole number that is at most 2¹⁹²·eˣ, and less than it by a factor of at most 1 − 1e-50: eˣ from below, for proofs
 * that a ratio of probabilities does not exceed it. Whole numbers only: every step rounds down, and nothing is assumed
 * about `Math.exp`.
 *
 * x is a double from 0 to 1000, taken exactly.
 *
 * @throws RangeError for any other number.
 */
export function exponentialBelow(x: number): bigint {
  if (!(x >= 0 && x <= 1000)) throw new RefusedValue('"x" expected a number from 0 to 1000');
  // x = digits·2^−places exactly: multiplying a double by 2 is exact.
  let digits = x;
  let places = 0n;
  while (!Number.isInteger(digits)) {
    digits *= 2;
    places++;
  }
  const numerator = BigInt(digits);
  // All terms of Taylor's series are positive; each is rounded down, and so is the sum where it ends.
  let term = 1n << EXPONENTIAL_PLACES;
  let sum = term;
  for (let k = 1n; term > 0n; k++) {
    term = (term * numerator) / (k << (places + HALVINGS));
    sum += term;
  }
  for (let k = 0n; k < HALVINGS; k++) sum = (sum * sum) >> EXPONENTIAL_PLACES;
  return sum;
}
