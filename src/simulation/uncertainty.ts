import { checkPositive } from '../check/number.ts';
import { type Ends, MODEL_LEVEL } from '../inference/model-interval.ts';

/** What the noise of the reports leaves open about an estimate, as the server knows it: from reports alone. */
export interface Uncertainty {
  /** The level of every interval. */
  readonly level: number;
  /** The risk of the estimate over the players' records; null where the reports do not tell it. */
  readonly risk: Ends | null;
  /** What was learnt beyond an answer that asks nobody: 0 or less is nothing. */
  readonly effect: Ends;
  /** What the effect is, in words that end in "is". */
  readonly what: string;
  /** Whether the whole interval of the effect is above 0. */
  readonly enough: boolean;
  /** Players who would do; null where they are enough, and where the middle of the interval is not above 0. */
  readonly playersNeeded: number | null;
}

/**
 * The uncertainty of an estimate from so many reports. The length of an interval falls like 1/√n: players who would do are so many
 * that half its length is half of where its middle is now, n·(2·half/middle)², so that its lower end is above 0 even where
 * the middle was too high by a half.
 *
 * @throws TypeError or RangeError unless `players` is a finite number > 0.
 */
export function uncertaintyOf(
  players: number,
  { risk, effect, what }: Pick<Uncertainty, 'risk' | 'effect' | 'what'>,
): Uncertainty {
  checkPositive('players', players);
  const [low, high] = effect;
  const enough = low > 0;
  const middle = (low + high) / 2;
  const playersNeeded = enough || !(middle > 0) ? null : players * ((high - low) / middle) ** 2;
  return { level: MODEL_LEVEL, risk, effect, what, enough, playersNeeded };
}
