import { checkPositive } from '../check/refusal.ts';
import { type Ends, MODEL_LEVEL } from '../inference/model-interval.ts';

/** What the noise of the reports leaves open about an estimate, as the server knows it: from reports alone. */
export interface Uncertainty {
  /** The level of every interval; null where it is twice the forecast error to both sides, and no level is claimed. */
  readonly level: number | null;
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
 * that half its length is a third of where its middle is now, n·(3·half/middle)². A middle that was found among noise is mostly too high:
 * the lower end is then above 0 even where a third of it was noise, and the next collection errs by as much.
 */
export function uncertaintyOf(
  players: number,
  {
    risk,
    effect,
    what,
    level = MODEL_LEVEL,
  }: Pick<Uncertainty, 'risk' | 'effect' | 'what'> & Partial<Pick<Uncertainty, 'level'>>,
): Uncertainty {
  checkPositive('players', players);
  const [low, high] = effect;
  const enough = low > 0;
  const middle = (low + high) / 2;
  const playersNeeded = enough || !(middle > 0) ? null : players * ((1.5 * (high - low)) / middle) ** 2;
  return { level, risk, effect, what, enough, playersNeeded };
}

/** An estimated number, and half the length of its own interval. */
export interface Coefficient {
  readonly name: string;
  readonly value: number;
  readonly half: number;
}

/**
 * The uncertainty of an estimate of several numbers with an interval each: that of the number which is furthest from 0 beside its
 * interval. So that choosing it costs nothing, its interval is widened to the level 1 − .05/d of each of d numbers (Bonferroni), by the
 * ratio of critical values; `critical` gives them, and `level` is that of the intervals as they are.
 */
export function clearestCoefficient(
  players: number,
  coefficients: readonly Coefficient[],
  { level, critical }: { readonly level: number; readonly critical: (level: number) => number },
): Uncertainty {
  const widening = critical(1 - (1 - MODEL_LEVEL) / coefficients.length) / critical(level);
  const clearer = (a: Coefficient, b: Coefficient): Coefficient =>
    Math.abs(b.value) * a.half > Math.abs(a.value) * b.half ? b : a;
  const { name, value, half } = coefficients.reduce(clearer);
  const [size, reach] = [Math.abs(value), widening * half];
  const whose =
    coefficients.length === 1
      ? name
      : `${name}, the clearest of ${coefficients.length} numbers (with a wider interval, because it was chosen),`;
  const what = `${whose} is away from 0 by`;
  return uncertaintyOf(players, { risk: null, effect: [size - reach, size + reach], what });
}
