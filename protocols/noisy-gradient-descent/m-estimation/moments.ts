import { refusal } from '../../../src/check/number.ts';
import { addSquare, packedLength } from '../../../src/inference/packed-symmetric.ts';
import { huberScore, mallowsWeight } from '../../../src/risk/huber.ts';
import { fillGradient, fillHessianFactor, type OnlineDatum } from '../../../src/risk/regression/gradient.ts';
import type { ScaleModel } from '../../../src/risk/regression/model.ts';
import type { BoundedModel } from './model.ts';

const { abs, sqrt } = Math;

/** A record as a curator holds it: features without the intercept, and a response. */
export type CentralRecord = OnlineDatum;

/**
 * Refuses anything but n records. What each holds is checked where it is read.
 *
 * @throws TypeError or RangeError; no message contains a value of a record.
 */
export function checkRecords(records: readonly CentralRecord[], count: number): void {
  if (!Array.isArray(records)) throw new TypeError('"records" expected an array of records');
  if (records.length !== count) throw new RangeError(refusal('records', `${count} of them`, records.length));
}

/**
 * (1/n)·Σ Ψ(z_i, θ), into `target`. One pass.
 *
 * @throws TypeError or RangeError for a record outside the domain, without its values.
 */
export function meanScore(
  { scores, dimension }: BoundedModel,
  records: readonly CentralRecord[],
  theta: Float64Array,
  target: Float64Array,
): void {
  const score = new Float64Array(dimension);
  target.fill(0);
  for (const record of records) {
    fillGradient(scores, theta, record, score);
    for (let i = 0; i < dimension; i++) target[i] += score[i];
  }
  const scale = 1 / records.length;
  for (let i = 0; i < dimension; i++) target[i] *= scale;
}

/**
 * (1/n)·Σ Ψ·Ψᵀ, a packed lower triangle: the middle of the sandwich.
 *
 * @throws TypeError or RangeError as {@link meanScore}.
 */
export function scoreMoment(
  { scores, dimension }: BoundedModel,
  records: readonly CentralRecord[],
  theta: Float64Array,
): Float64Array {
  const packed = new Float64Array(packedLength(dimension));
  const score = new Float64Array(dimension);
  const scale = 1 / records.length;
  for (const record of records) {
    fillGradient(scores, theta, record, score);
    addSquare(packed, score, scale);
  }
  return packed;
}

/**
 * (1/n)·Σ a·aᵀ, a packed lower triangle: the Hessian of the mean loss.
 *
 * @throws TypeError or RangeError as {@link meanScore}.
 */
export function curvatureMoment(
  { scores, dimension }: BoundedModel,
  records: readonly CentralRecord[],
  theta: Float64Array,
): Float64Array {
  const packed = new Float64Array(packedLength(dimension));
  const factor = new Float64Array(dimension);
  const scale = 1 / records.length;
  for (const record of records) {
    if (scores.form === 'index') fillHessianFactor(scores, theta, record, factor);
    else fillScaleFactor(scores, theta, record, factor);
    addSquare(packed, factor, scale);
  }
  return packed;
}

// √(w(x)/σ)·1(|u| < c)·(x, u). The gradient is taken first for its checks of the record and of σ.
function fillScaleFactor(model: ScaleModel, theta: Float64Array, record: CentralRecord, target: Float64Array): void {
  fillGradient(model, theta, record, target);
  const { width, threshold, intercept } = model;
  const { features, response } = record;
  const from = intercept ? 1 : 0;
  const scale = theta[width];
  let squared = from;
  let inner = intercept ? theta[0] : 0;
  for (let i = 0; i < features.length; i++) {
    squared += features[i] * features[i];
    inner += theta[from + i] * features[i];
  }
  const residual = (response - inner) / scale;
  const inside = abs(residual) < threshold;
  const factor = inside ? sqrt(mallowsWeight(squared) / scale) : 0;
  if (intercept) target[0] = factor;
  for (let i = 0; i < features.length; i++) target[from + i] = factor * features[i];
  target[width] = factor * huberScore(residual, threshold);
}
