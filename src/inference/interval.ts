import { checkInteger, refusal } from '../check/number.ts';
import { type ContrastRequest, contrastMoments } from './contrast.ts';
import { normalCriticalValue, randomScalingCriticalValue } from './critical-value.ts';
import { averageIterate, type RandomScaling, randomScalingMatrix } from './random-scaling.ts';

/** A closed confidence interval. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
}

/** What intervals are asked for. */
export interface IntervalRequest extends ContrastRequest {
  /** The probability, strictly between 0 and 1, with which each interval holds its value. */
  readonly level: number;
}

/**
 * Random scaling intervals θ̄ ± c·√(V/n), one for every coordinate, or for every contrast Rθ when contrasts are given. Each
 * holds its own value with the asked probability; all at once is what `randomScalingEllipsoid` is for.
 *
 * Source: Xie, Shi, Jiang, Kong and He, Online differentially private inference in SGD, Corollary 4.
 *
 * @throws RangeError for a level outside (0, 1), contrasts of another length, or a V that is singular in the direction of one
 * of them (a path that is too short, or that never moved there).
 * @theorem online-inference Corollary 4
 * @theorem online-inference Figure 2
 * @theorem online-inference Table 1
 * @theorem online-inference Figure 3
 */
export function randomScalingIntervals(state: RandomScaling, request: IntervalRequest): readonly ConfidenceInterval[] {
  const factor = randomScalingCriticalValue(request.level);
  const { steps, dimension } = state;
  if (steps < 2) throw new RangeError(refusal('steps', 'at least 2', steps));
  return around(averageIterate(state), randomScalingMatrix(state), dimension, steps, factor, request);
}

/**
 * Intervals θ̄ ± z·√(Σ/n) with an estimate Σ of the covariance of √n(θ̄ − θ₀): by plug-in or batch means.
 *
 * Shape: `covariance` is p × p row-major and symmetric, `mean` of length p.
 * @throws RangeError for a level outside (0, 1), no steps, sizes that do not agree, or a Σ without a positive variance in
 * the direction of a contrast.
 * @theorem online-inference Corollary 2
 * @theorem online-inference Figure 2
 * @theorem online-inference Table 1
 */
export function normalIntervals(
  mean: Float64Array,
  covariance: Float64Array,
  steps: number,
  request: IntervalRequest,
): readonly ConfidenceInterval[] {
  const factor = normalCriticalValue(request.level);
  checkInteger('steps', steps, 1);
  return around(mean, covariance, mean.length, steps, factor, request);
}

function around(
  mean: Float64Array,
  matrix: Float64Array,
  dimension: number,
  steps: number,
  factor: number,
  request: ContrastRequest,
): readonly ConfidenceInterval[] {
  const { centre, scatter, count } = contrastMoments(mean, matrix, dimension, request);
  return Array.from(centre, (middle, i) => {
    const half = factor * Math.sqrt(scatter[i * count + i] / steps);
    return { low: middle - half, high: middle + half };
  });
}
