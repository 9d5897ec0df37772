import { checkInteger, checkOpenUnit } from '../check/number.ts';
import { inverseIncompleteBeta } from '../numeric/beta.ts';

const { max, min, sqrt } = Math;

/**
 * The Clopper–Pearson lower bound of a probability: below it with probability at most `failure`, whatever the truth.
 *
 * Source: Clopper, Pearson (1934), The use of confidence or fiducial limits, Biometrika 26.
 *
 * @throws TypeError or RangeError unless 0 ≤ successes ≤ trials, both whole, and 0 < failure < 1.
 */
export function probabilityBelow(successes: number, trials: number, failure: number): number {
  checkCounts(successes, trials, failure);
  return successes === 0 ? 0 : inverseIncompleteBeta(failure, successes, trials - successes + 1);
}

/**
 * The Clopper–Pearson upper bound of a probability: above it with probability at most `failure`, whatever the truth.
 *
 * @throws TypeError or RangeError as {@link probabilityBelow}.
 */
export function probabilityAbove(successes: number, trials: number, failure: number): number {
  checkCounts(successes, trials, failure);
  // The quantile of the complement keeps its digits when the bound is near 1, and is exact enough when it is small.
  return successes === trials ? 1 : inverseIncompleteBeta(1 - failure, successes + 1, trials - successes);
}

function checkCounts(successes: number, trials: number, failure: number): void {
  checkInteger('trials', trials, 1);
  checkInteger('successes', successes, 0, trials);
  checkOpenUnit('failure', failure);
}

/**
 * A quick interval of `deviations` standard deviations on both sides, for choosing among thousands of events on a pilot
 * share. No claim rests on it.
 *
 * Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
 */
export function wilsonBound(successes: number, trials: number, deviations: number, side: -1 | 1): number {
  const share = successes / trials;
  const square = (deviations * deviations) / trials;
  const half = deviations * sqrt((share * (1 - share) + square / 4) / trials);
  return max(0, min(1, (share + square / 2 + side * half) / (1 + square)));
}
