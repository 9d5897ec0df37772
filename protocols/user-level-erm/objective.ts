import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { constantsOn, huberHingeLoss, type MarginLoss, squaredHingeLoss } from '../../src/risk/margin-loss.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import { HUBER_THRESHOLD, huberScoreBound, MALLOWS_CURVATURE } from '../../src/risk/response-loss.ts';

const { sqrt } = Math;

/**
 * Losses whose gradient is bounded and Lipschitz. Losses of a margin, for labels: `logistic`, `squared-hinge`,
 * `huber-hinge`. Losses of a response: `squared` for features in a ball and responses in [−1, 1], and `huber` with
 * Mallows weights for any numbers.
 */
export type ErmLoss = 'logistic' | 'squared-hinge' | 'huber-hinge' | 'squared' | 'huber';

/** The losses a plan may be made for. */
export const LOSSES = ['logistic', 'squared-hinge', 'huber-hinge', 'squared', 'huber'] as const;

/** The fields of a request for an objective: see `ErmRequest`. */
export interface ObjectiveRequest {
  readonly loss: ErmLoss;
  readonly radius: number;
  readonly featureBound?: number;
  readonly threshold?: number;
  readonly scale?: number;
}

/** The objective whose gradient players compute. Plain data. */
export interface Objective {
  /** The loss of a record. */
  readonly loss: ErmLoss;
  /** d. */
  readonly dimension: number;
  /** R: gradients are requested only at ‖θ‖ ≤ R. */
  readonly radius: number;
  /** F, the largest norm of features that is accepted. */
  readonly featureBound: number;
  /** The largest response that is accepted. */
  readonly responseBound: number;
  /** c of `huber`. */
  readonly threshold: number;
  /** σ of `huber`. */
  readonly scale: number;
  /** B: the gradient of the loss of one record has at most this ℓ₂ norm. */
  readonly gradientBound: number;
  /** τ₂: a Lipschitz constant of the gradient of the loss of one record. */
  readonly smoothness: number;
}

/** The losses of a margin, by name; the others are losses of a response. */
export const MARGIN_LOSSES: { readonly [loss in ErmLoss]?: MarginLoss } = {
  logistic: logisticLoss(),
  'squared-hinge': squaredHingeLoss(),
  'huber-hinge': huberHingeLoss(),
};

/** The largest number that `huber` accepts: its square is still a double. */
export const LARGEST = 1e150;

/** Features that were divided by their own norm may exceed the bound by rounding; nothing beyond that is accepted. */
export const TOLERANCE: number = 1 + 1e-12;

/**
 * The objective of a request, with the bounds that hold for every record.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem slides Empirical Risk Minimization
 */
export function objectiveOf(request: ObjectiveRequest, dimension: number): Objective {
  const loss = checkWord('loss', request.loss, LOSSES);
  const radius = checkPositive('radius', request.radius);
  const robust = loss === 'huber';
  for (const name of robust ? (['featureBound'] as const) : (['threshold', 'scale'] as const)) {
    if (request[name] !== undefined)
      throw new RefusedValue(refusal(name, `nothing for the loss ${loss}`, request[name]));
  }
  const featureBound = robust ? LARGEST : checkPositive('featureBound', request.featureBound ?? 1);
  const threshold = checkPositive('threshold', request.threshold ?? HUBER_THRESHOLD);
  const scale = checkPositive('scale', request.scale ?? 1);
  const responseBound = robust ? LARGEST : 1;
  const made = { loss, dimension, radius, featureBound, responseBound, threshold, scale };
  if (robust) {
    return { ...made, gradientBound: huberScoreBound(threshold), smoothness: MALLOWS_CURVATURE / scale };
  }
  const margin = MARGIN_LOSSES[loss];
  const range = radius * featureBound;
  // Margins stay within R·F, and so do predictions: a residual of the squared loss stays within R·F + 1.
  const { lipschitz, smoothness } =
    margin === undefined ? { lipschitz: range + 1, smoothness: 1 } : constantsOn(margin, range);
  return { ...made, gradientBound: lipschitz * featureBound, smoothness: smoothness * featureBound * featureBound };
}

/**
 * Refuses an iterate at which players of this objective are never asked.
 *
 * @throws RangeError for another length, for an entry that is not finite, or beyond the ball of radius R.
 */
export function checkIterate({ dimension, radius }: Objective, theta: Float64Array): void {
  if (theta.length !== dimension) throw new RefusedValue(refusal('theta', `${dimension} numbers`, theta.length));
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += theta[i] * theta[i];
  // A projection may end slightly outside because of rounding. One comparison covers NaN and the infinities too.
  const norm = sqrt(squared);
  if (!(norm <= radius * TOLERANCE)) throw new RefusedValue(refusal('theta', `an l2 norm of at most ${radius}`, norm));
}
