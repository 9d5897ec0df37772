import { checkFinite, refusal } from '../check/number.ts';

/** A closed interval of the real line; [−1, 1] where nothing is said. */
export interface Interval {
  /** Left end, −1 by default. */
  readonly lower?: number;
  /** Right end, 1 by default. */
  readonly upper?: number;
}

/**
 * The interval with its defaults filled in.
 *
 * @throws TypeError or RangeError unless both ends are finite and `lower` lies strictly below `upper`.
 */
export function checkInterval(interval: Interval): Required<Interval> {
  const lower = checkFinite('lower', interval.lower ?? -1);
  const upper = checkFinite('upper', interval.upper ?? 1);
  if (!(lower < upper)) throw new RangeError(refusal('upper', `a number > lower (${lower})`, upper));
  return { lower, upper };
}
