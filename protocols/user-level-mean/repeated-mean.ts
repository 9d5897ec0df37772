import { checkInteger, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { MeanEstimate } from './shape.ts';

const { hypot, sqrt } = Math;

/** How far estimates are from the truth, in the unit of the samples. */
export interface MeanErrors {
  /** Root mean squared ℓ₂ error. */
  readonly error: number;
  /** ℓ₂ norm of the mean estimate less the truth; with its sign in one dimension. The bias itself is noisy. */
  readonly bias: number;
  /** Root mean squared ℓ₂ distance of estimates from their mean, as of a sample; null for one estimate. */
  readonly deviation: number | null;
  /** Root mean squared length of the standard errors that the estimates report. */
  readonly claimedError: number;
}

/**
 * The errors of estimates of one truth.
 *
 * @throws RangeError without an estimate, or for one of another dimension.
 */
export function meanErrors(estimates: readonly MeanEstimate[], truth: ArrayLike<number>): MeanErrors {
  const count = checkInteger('estimates.length', estimates.length, 1);
  const { length: dimension } = truth;
  const middle = new Float64Array(dimension);
  let squares = 0;
  let claimed = 0;
  for (const { mean, standardError } of estimates) {
    if (mean.length !== dimension) throw new RefusedValue(refusal('mean', `${dimension} numbers`, mean.length));
    for (let j = 0; j < dimension; j++) {
      middle[j] += mean[j] / count;
      squares += (mean[j] - truth[j]) ** 2;
      claimed += standardError[j] ** 2;
    }
  }
  let around = 0;
  for (const { mean } of estimates) for (let j = 0; j < dimension; j++) around += (mean[j] - middle[j]) ** 2;
  const off = middle.map((value, j) => value - truth[j]);
  return {
    error: sqrt(squares / count),
    bias: dimension === 1 ? off[0] : hypot(...off),
    deviation: count > 1 ? sqrt(around / (count - 1)) : null,
    claimedError: sqrt(claimed / count),
  };
}
