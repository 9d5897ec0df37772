import { checkPositive } from '../check/number.ts';

/** What to expect from a variant's reports, before any are collected. */
export interface Forecast {
  /** sup |P − f′| on [−R, R] of the polynomial the server would use: systematic, the same for every n. */
  readonly bias: number;
  /** Standard deviation of the gradient at ‖w‖ = R, all coordinates together, in the mean over all players. */
  readonly noise: number;
  /** Expected excess risk of the model on the reference population. */
  readonly excessRisk: number;
  /** Its standard deviation from one collection to the next. */
  readonly deviation: number;
  /** Excess risk that no number of players removes: that of the same variant without noise. */
  readonly floor: number;
  /** Degree of the polynomial the server would choose. */
  readonly degree: number;
}

/** With so many players every noise is negligible next to the floor. */
const MOST_PLAYERS = 1e30;

/**
 * The least number of players for which a forecast excess risk is at most `target`, to about 10 %; Infinity when no
 * number of players reaches it. The excess risk must fall with the number of players.
 *
 * @example
 * ```ts
 * import { playersUntil } from 'ldpkit/simulate';
 * console.log(Math.round(playersUntil(0.01, (players) => 1 / Math.sqrt(players)) / 100) * 100); // 10000
 * ```
 */
export function playersUntil(target: number, excessRisk: (players: number) => number): number {
  checkPositive('target', target);
  if (!(excessRisk(MOST_PLAYERS) <= target)) return Infinity;
  // First a bracket in large steps, since an evaluation is expensive, then halving.
  let high = 4;
  let low = 0;
  for (let leap = 1; excessRisk(10 ** high) > target; leap *= 2) {
    low = high;
    high += leap;
  }
  // Downwards as well, to the first number that is not enough.
  for (let leap = 1; low === 0 && high > 0; leap *= 2) {
    const fewer = Math.max(0, high - leap);
    low = fewer;
    if (excessRisk(10 ** fewer) > target) break;
    [low, high] = [0, fewer];
  }
  while (high - low > 0.04) {
    const middle = (low + high) / 2;
    if (excessRisk(10 ** middle) <= target) high = middle;
    else low = middle;
  }
  return 10 ** high;
}
