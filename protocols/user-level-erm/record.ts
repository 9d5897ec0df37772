import { clipBall, clipNumber, dropTiny, fieldOf, lengthOf } from '../../src/check/datum.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import { huberScore, mallowsWeight } from '../../src/risk/response-loss.ts';
import { onlyNumbers } from '../user-level-mean/local-mean.ts';
import { checkIterate, LARGEST, MARGIN_LOSSES, type Objective, TOLERANCE } from './objective.ts';

const { abs, max, sqrt } = Math;

/** One player's private data: all its records. Any two sets of records of one player are neighbours. */
export interface ErmDatum {
  /** m × d features, record after record. */
  readonly features: ArrayLike<number>;
  /** m responses, or labels from −1 to 1. m ≥ 1 is the player's own number: every player has the same weight. */
  readonly responses: ArrayLike<number>;
}

/**
 * The records that a device plays, always a copy and never an error: features are shortened to norm F, and responses
 * are clipped to the bound. Missing values and values that are not numbers become 0; features beyond the last response
 * are dropped. If there is no record, or there are more than 2²⁴ features, the result is one record of zeros.
 */
export function clipRecords({ dimension, featureBound, responseBound }: Objective, datum: unknown): ErmDatum {
  const features = fieldOf(datum, 'features');
  const responses = fieldOf(datum, 'responses');
  const count = max(1, lengthOf(responses, dimension));
  const clipped = {
    features: new Float64Array(count * dimension),
    responses: Float64Array.from({ length: count }, (_, i) => clipNumber(fieldOf(responses, i), responseBound)),
  };
  for (let at = 0; at < clipped.features.length; at += dimension) {
    clipped.features.set(clipBall(features, dimension, featureBound, at), at);
  }
  return clipped;
}

/**
 * Writes the mean gradient of a player's records at θ into `target`: d numbers of norm at most B. One pass; θ is
 * checked first, and then every record.
 * @throws RangeError for an iterate beyond the ball, for any records; TypeError or RangeError for no records, or a
 * record outside the domain, without its values.
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
    // NaN fails these comparisons too; values that are not numbers are identified only after a failure.
    good = good && squared <= inside && abs(y) <= responseBound && typeof y === 'number';
    let slope: number;
    if (margin !== undefined) slope = y * margin.derivative(y * inner);
    else if (robust) slope = -huberScore((y - inner) / scale, threshold) * mallowsWeight(squared);
    else slope = inner - y;
    slope = dropTiny(slope);
    for (let i = 0; i < dimension; i++) target[i] += slope * features[at + i];
  }
  if (!good || !onlyNumbers(features)) refuse(objective, datum);
  for (let i = 0; i < dimension; i++) target[i] /= count;
  shorten(target, objective);
}

/** A mean of bounded gradients may exceed their bound by rounding; a refusal would reveal facts about the records. */
function shorten(target: Float64Array, { dimension, gradientBound }: Objective): void {
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += target[i] * target[i];
  if (squared <= gradientBound * gradientBound) return;
  const factor = (gradientBound / sqrt(squared)) * (1 - (dimension + 4) * 2 ** -52);
  for (let i = 0; i < dimension; i++) target[i] *= factor;
}

function recordsOf(datum: ErmDatum, dimension: number): number {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { features, responses }');
  for (const name of ['features', 'responses'] as const) {
    if (typeof fieldOf(datum[name], 'length') !== 'number')
      throw new RefusedKind(`"${name}" expected an array of numbers`);
  }
  const { features, responses } = datum;
  if (!(responses.length >= 1)) throw new RefusedValue('"responses" expected at least one record');
  if (features.length !== responses.length * dimension) {
    throw new RefusedValue(`"features" expected ${dimension} numbers for each response`);
  }
  return responses.length;
}

/** Throws an error that says what is wrong with records, without their values. */
function refuse({ loss, featureBound, responseBound }: Objective, { features, responses }: ErmDatum): never {
  if (!onlyNumbers(features)) throw new RefusedKind('"features" expected an array of numbers');
  if (!onlyNumbers(responses)) throw new RefusedKind('"responses" expected an array of numbers');
  for (let i = 0; i < responses.length; i++) {
    if (!(abs(responses[i]) <= responseBound)) {
      throw new RefusedValue(`"responses" expected finite numbers from ${-responseBound} to ${responseBound}`);
    }
  }
  const bound = loss === 'huber' ? LARGEST : featureBound;
  throw new RefusedValue(`"features" expected finite numbers with an l2 norm of at most ${bound} in each record`);
}
