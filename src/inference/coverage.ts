import { refusal } from '../check/number.ts';
import type { ConfidenceInterval } from './interval.ts';
import { checkVector } from './vector.ts';

const { max, sqrt } = Math;

/** How the intervals of a study did on one value. */
export interface Coverage {
  /** Number of intervals. */
  readonly count: number;
  /** The share that held the true value. */
  readonly share: number;
  /** Standard error of the share, √(share(1 − share)/count). */
  readonly shareError: number;
  /** Mean of high − low. */
  readonly length: number;
  /** Standard error of the mean length; 0 for one interval. */
  readonly lengthError: number;
}

/**
 * Coverage and length, value by value, of the intervals of many replications.
 *
 * Shape: `replications[r][j]` is the interval for `truth[j]` in replication r; one result for each j.
 * @throws RangeError for no replications, another number of intervals, or an interval that is not one (NaN, low above high).
 * @theorem online-inference Table 1
 */
export function coverage(
  replications: readonly (readonly ConfidenceInterval[])[],
  truth: ArrayLike<number>,
): readonly Coverage[] {
  checkVector('truth', truth, truth.length);
  const count = replications.length;
  if (count === 0) throw new RangeError(refusal('replications', 'at least one', 'none'));
  for (const intervals of replications) {
    if (intervals.length !== truth.length) {
      throw new RangeError(refusal('intervals', `${truth.length} in each replication`, intervals.length));
    }
  }
  return Array.from(truth, (value, j) => {
    let covered = 0;
    let sum = 0;
    let squares = 0;
    for (const intervals of replications) {
      const { low, high } = intervals[j];
      if (!(low <= high)) throw new RangeError(refusal('interval', 'low <= high', `[${low}, ${high}]`));
      if (low <= value && value <= high) covered++;
      sum += high - low;
    }
    const length = sum / count;
    for (const intervals of replications) squares += (intervals[j].high - intervals[j].low - length) ** 2;
    const share = covered / count;
    return {
      count,
      share,
      shareError: sqrt((share * (1 - share)) / count),
      length,
      lengthError: sqrt(squares / max(1, count - 1) / count),
    };
  });
}
