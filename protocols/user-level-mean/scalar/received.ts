import { entryOf, fieldOf, lengthOf } from '../../../src/check/datum.ts';
import { checkFinite, refusal } from '../../../src/check/number.ts';

/** Largest absolute value of a number that a device is sent: its square, and many of them, are doubles. */
export const LARGEST_SENT = 1e120;

/**
 * A finite number of at most {@link LARGEST_SENT} that a server sent.
 *
 * @throws TypeError or RangeError.
 */
export function checkMagnitude(name: string, value: unknown): number {
  const number = checkFinite(name, value);
  if (!(Math.abs(number) <= LARGEST_SENT))
    throw new RangeError(refusal(name, `a number within ±${LARGEST_SENT}`, number));
  return number;
}

/**
 * So many numbers in a field of a round that a server sent, copied.
 *
 * @throws TypeError or RangeError for another number of them, or one that is not finite or too large.
 */
export function receivedNumbers(round: unknown, name: string, count: number): Float64Array {
  const sent = fieldOf(round, name);
  const length = lengthOf(sent);
  if (length !== count) throw new RangeError(refusal(`round.${name}`, `${count} numbers`, length));
  return Float64Array.from({ length: count }, (_, i) => checkMagnitude(`round.${name}[${i}]`, entryOf(sent, i)));
}
