import type { ConfidenceInterval } from '../../src/inference/interval.ts';

const { max, sqrt } = Math;

/** How the intervals of many runs did on one value. */
interface Coverage {
  readonly count: number;
  /** The share that held the true value, and its standard error √(share(1 − share)/count). */
  readonly share: number;
  readonly shareError: number;
  /** Mean of high − low, and its standard error. */
  readonly length: number;
  readonly lengthError: number;
}

/** Coverage and length, value by value: `replications[r][j]` is the interval for `truth[j]` in run r. */
export function coverage(
  replications: readonly (readonly ConfidenceInterval[])[],
  truth: ArrayLike<number>,
): readonly Coverage[] {
  const count = replications.length;
  return Array.from(truth, (value, j) => {
    const found = replications.map((intervals) => intervals[j]);
    const lengths = found.map(({ low, high }) => high - low);
    const length = lengths.reduce((sum, one) => sum + one, 0) / count;
    const squares = lengths.reduce((sum, one) => sum + (one - length) ** 2, 0);
    const share = found.filter(({ low, high }) => low <= value && value <= high).length / count;
    return {
      count,
      share,
      shareError: sqrt((share * (1 - share)) / count),
      length,
      lengthError: sqrt(squares / max(1, count - 1) / count),
    };
  });
}
