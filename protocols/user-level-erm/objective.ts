import { clipBall, clipNumber, entryOf, fieldOf, lengthOf } from '../../src/check/datum.ts';
import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { huberHingeLoss, squaredHingeLoss } from '../../src/risk/hinge.ts';
import {
  HUBER_THRESHOLD,
  huberScore,
  huberScoreBound,
  MALLOWS_CURVATURE,
  mallowsWeight,
} from '../../src/risk/huber.ts';
import { logisticLoss } from '../../src/risk/logistic.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';

const { abs, max, sqrt } = Math;

/**
 * Losses whose gradient is bounded and Lipschitz. Of a margin, for labels: `logistic`, `squared-hinge`, `huber-hinge`. Of a
 * response: `squared` for features in a ball and responses in [−1, 1], `huber` with Mallows weights for any numbers.
 */
export type ErmLoss = 'logistic' | 'squared-hinge' | 'huber-hinge' | 'squared' | 'huber';

/** The losses a plan may be made for. */
export const LOSSES = ['logistic', 'squared-hinge', 'huber-hinge', 'squared', 'huber'] as const;

/** What is asked of an objective: see `ErmRequest`. */
export interface ObjectiveRequest {
  readonly loss: ErmLoss;
  readonly radius: number;
  readonly featureBound?: number;
  readonly threshold?: number;
  readonly scale?: number;
}

/** What players compute the gradient of. Plain data. */
export interface Objective {
  /** The loss of a record. */
  readonly loss: ErmLoss;
  /** d. */
  readonly dimension: number;
  /** R: gradients are only asked for at ‖θ‖ ≤ R. */
  readonly radius: number;
  /** F, the largest norm of features that is taken. */
  readonly featureBound: number;
  /** The largest response that is taken. */
  readonly responseBound: number;
  /** c of `huber`. */
  readonly threshold: number;
  /** σ of `huber`. */
  readonly scale: number;
  /** B: the gradient of the loss of one record has at most this ℓ₂ norm. */
  readonly gradientBound: number;
  /** τ₂: the gradient of the loss of one record is at most so Lipschitz. */
  readonly smoothness: number;
}

/** One player's private data: all its records. Any two sets of records of one player are neighbours. */
export interface ErmDatum {
  /** m × d features, record after record. */
  readonly features: ArrayLike<number>;
  /** m responses, or labels from −1 to 1. m ≥ 1 is what the player holds: every player weighs the same. */
  readonly responses: ArrayLike<number>;
}

const MARGIN_LOSSES: { readonly [loss in ErmLoss]?: MarginLoss } = {
  logistic: logisticLoss(),
  'squared-hinge': squaredHingeLoss(),
  'huber-hinge': huberHingeLoss(),
};

/** What `huber` takes: anything whose square a double holds. */
const LARGEST = 1e150;

/** Features that were divided by their own norm are above the bound by rounding; nothing beyond that is accepted. */
const TOLERANCE = 1 + 1e-12;

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
    if (request[name] !== undefined) throw new RangeError(refusal(name, `nothing for the loss ${loss}`, request[name]));
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
 * Refuses an iterate that players of this objective are never asked about.
 *
 * @throws RangeError for another length, for an entry that is not finite, or beyond the ball of radius R.
 */
export function checkIterate({ dimension, radius }: Objective, theta: Float64Array): void {
  if (theta.length !== dimension) throw new RangeError(refusal('theta', `${dimension} numbers`, theta.length));
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += theta[i] * theta[i];
  // A projection may end outside by its rounding. One comparison covers NaN and the infinities.
  const norm = sqrt(squared);
  if (!(norm <= radius * TOLERANCE)) throw new RangeError(refusal('theta', `an l2 norm of at most ${radius}`, norm));
}

/**
 * The records that a device plays: features shortened to norm F, responses moved within the largest; zeros for what is missing or
 * no number, features beyond the last response left out, and one record of zeros where there is none. Total, and a copy.
 */
export function clipRecords({ dimension, featureBound, responseBound }: Objective, datum: unknown): ErmDatum {
  const features = fieldOf(datum, 'features');
  const responses = fieldOf(datum, 'responses');
  const count = max(1, lengthOf(responses));
  const clipped = {
    features: new Float64Array(count * dimension),
    responses: Float64Array.from({ length: count }, (_, i) => clipNumber(entryOf(responses, i), responseBound)),
  };
  for (let at = 0; at < clipped.features.length; at += dimension) {
    clipped.features.set(clipBall(features, dimension, featureBound, at), at);
  }
  return clipped;
}

/**
 * The mean gradient of a player's records at θ, into `target`: d numbers of norm at most B. One pass; every record is checked, and
 * θ before any of them.
 *
 * @throws RangeError for an iterate beyond the ball, whatever the records; TypeError or RangeError for no records, or one outside the domain, without its values.
 * @theorem slides Empirical Risk Minimization
 */
export function fillGradient(objective: Objective, theta: Float64Array, datum: ErmDatum, target: Float64Array): void {
  const { loss, dimension, featureBound, responseBound, threshold, scale } = objective;
  checkIterate(objective, theta);
  const count = recordsOf(datum, dimension);
  const { features, responses } = datum;
  const margin = MARGIN_LOSSES[loss];
  const robust = loss === 'huber';
  const inside = featureBound * featureBound * TOLERANCE;
  for (let i = 0; i < dimension; i++) target[i] = 0;
  let good = true;
  for (let record = 0, at = 0; record < count; record++, at += dimension) {
    const y = responses[record];
    let inner = 0;
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      const x = features[at + i];
      inner += theta[i] * x;
      squared += x * x;
    }
    // Comparisons that NaN fails as well; values that are not numbers are distinguished where something is wrong.
    good = good && squared <= inside && abs(y) <= responseBound && typeof y === 'number';
    let slope: number;
    if (margin !== undefined) slope = y * margin.derivative(y * inner);
    else if (robust) slope = -huberScore((y - inner) / scale, threshold) * mallowsWeight(squared);
    else slope = inner - y;
    for (let i = 0; i < dimension; i++) target[i] += slope * features[at + i];
  }
  if (!good || !onlyNumbers(features)) refuse(objective, datum);
  for (let i = 0; i < dimension; i++) target[i] /= count;
  shorten(target, objective);
}

/** A mean of bounded gradients may be above their bound by rounding: whoever refused it would tell of the records. */
function shorten(target: Float64Array, { dimension, gradientBound }: Objective): void {
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += target[i] * target[i];
  if (squared <= gradientBound * gradientBound) return;
  const factor = (gradientBound / sqrt(squared)) * (1 - (dimension + 4) * 2 ** -52);
  for (let i = 0; i < dimension; i++) target[i] *= factor;
}

/** The number of records of a player, checked. */
function recordsOf(datum: ErmDatum, dimension: number): number {
  if (datum === null || typeof datum !== 'object') throw new TypeError('"datum" expected { features, responses }');
  const { features, responses } = datum;
  if (!isArray(features)) throw new TypeError('"features" expected an array of numbers');
  if (!isArray(responses)) throw new TypeError('"responses" expected an array of numbers');
  if (!(responses.length >= 1)) throw new RangeError('"responses" expected at least one record');
  if (features.length !== responses.length * dimension) {
    throw new RangeError(`"features" expected ${dimension} numbers for each response`);
  }
  return responses.length;
}

function isArray(value: unknown): boolean {
  return value !== null && typeof value === 'object' && typeof (value as ArrayLike<number>).length === 'number';
}

/** Typed arrays hold nothing but numbers; in any other the text '1' would pass for 1. */
function onlyNumbers(values: ArrayLike<number>): boolean {
  if (values instanceof Float64Array || values instanceof Float32Array) return true;
  for (let i = 0; i < values.length; i++) if (typeof values[i] !== 'number') return false;
  return true;
}

/** Says what is wrong with records, without their values. */
function refuse({ loss, featureBound, responseBound }: Objective, { features, responses }: ErmDatum): never {
  if (!onlyNumbers(features)) throw new TypeError('"features" expected an array of numbers');
  if (!onlyNumbers(responses)) throw new TypeError('"responses" expected an array of numbers');
  for (let i = 0; i < responses.length; i++) {
    if (!(abs(responses[i]) <= responseBound)) {
      throw new RangeError(`"responses" expected finite numbers from ${-responseBound} to ${responseBound}`);
    }
  }
  const bound = loss === 'huber' ? LARGEST : featureBound;
  throw new RangeError(`"features" expected finite numbers with an l2 norm of at most ${bound} in each record`);
}
