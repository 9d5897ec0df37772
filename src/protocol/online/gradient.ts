import { refusal } from '../../check/number.ts';
import { huberScore, mallowsWeight } from '../../risk/huber.ts';
import { huberScaleScore } from '../../risk/huber-scale.ts';
import type { ResponseLoss } from '../../risk/response-loss.ts';
import { type LossDescription, responseLossOf } from './loss.ts';
import type { IndexModel, MultinomialModel, OnlineModel, ScaleModel } from './model.ts';
import {
  checkRecord,
  checkShape,
  isResponse,
  type OnlineDatum,
  refuseFeature,
  refuseNorm,
  refuseResponse,
} from './record.ts';

export type { OnlineDatum } from './record.ts';

const { abs, exp, max, sqrt } = Math;

/**
 * Ψ(θ, z): the bounded gradient of one record's loss, into the first p entries of `target`. Allocates nothing.
 *
 * Guarantee: ‖Ψ‖ ≤ B₀ up to rounding, for every record and every finite θ.
 *
 * @throws TypeError or RangeError for a record outside the domain, without its values; RangeError for an iterate of another
 * length, or one where the gradient is not finite.
 */
export function fillGradient(model: OnlineModel, theta: Float64Array, datum: OnlineDatum, target: Float64Array): void {
  if (theta.length !== model.dimension) {
    throw new RangeError(refusal('iterate', `${model.dimension} numbers`, theta.length));
  }
  if (model.form === 'index') fillIndex(model, theta, datum, target);
  else if (model.form === 'scale') fillScale(model, theta, datum, checkRecord(model, datum), target);
  else fillMultinomial(model, theta, datum, checkRecord(model, datum), target);
}

/** ⟨θ, x⟩ with the coefficients of θ that begin at `from`. */
function innerProduct({ intercept }: OnlineModel, theta: Float64Array, from: number, x: ArrayLike<number>): number {
  let inner = 0;
  let at = from;
  if (intercept) inner = theta[at++];
  for (let i = 0; i < x.length; i++) inner += theta[at++] * x[i];
  return inner;
}

/** Writes factor·x to where the coefficients begin. */
function writeScaled(
  { intercept }: OnlineModel,
  factor: number,
  x: ArrayLike<number>,
  target: Float64Array,
  from: number,
): void {
  let at = from;
  if (intercept) target[at++] = factor;
  for (let i = 0; i < x.length; i++) target[at++] = factor * x[i];
}

// A factor that is not finite comes from the iterate: the record was checked before.
function checkFactor(factor: number): number {
  if (factor - factor !== 0) throw new RangeError('"iterate" expected numbers at which the gradient is finite');
  return factor;
}

// The loss of the model that was asked for last: a stream has one.
let last: { readonly description: LossDescription; readonly loss: ResponseLoss } | undefined;

function lossOf({ loss: description }: IndexModel): ResponseLoss {
  if (last === undefined || last.description !== description) last = { description, loss: responseLossOf(description) };
  return last.loss;
}

// The hot one: norm and inner product in one pass over the features, and the checks of a record beside it.
function fillIndex(model: IndexModel, theta: Float64Array, datum: OnlineDatum, target: Float64Array): void {
  checkShape(model, datum);
  const { features, response } = datum;
  const { intercept, clip } = model;
  const { length } = features;
  const from = intercept ? 1 : 0;
  let squared = from;
  let inner = intercept ? theta[0] : 0;
  for (let i = 0; i < length; i++) {
    const x = features[i];
    if (typeof x !== 'number') refuseFeature(model);
    squared += x * x;
    inner += theta[from + i] * x;
  }
  if (!(squared < Infinity)) refuseNorm();
  if (!isResponse(model, response)) refuseResponse(model);
  const { loss } = model;
  // The loss of both papers without a call: a test holds it against its derivative in src/risk.
  let factor =
    loss.kind === 'huber'
      ? -huberScore((response - inner) / loss.scale, loss.threshold)
      : lossOf(model).derivative(inner, response);
  // The record is finite, so that this comes from the iterate.
  if (factor - factor !== 0) checkFactor(factor);
  if (clip === undefined) factor *= squared > 2 ? 2 / squared : 1;
  else {
    const norm = abs(factor) * sqrt(squared);
    // A slope so large that the norm overflows is clipped all the same: its direction is known.
    if (norm > clip) factor = (factor < 0 ? -clip : clip) / sqrt(squared);
  }
  if (intercept) target[0] = factor;
  for (let i = 0; i < length; i++) target[from + i] = factor * features[i];
}

function fillScale(
  model: ScaleModel,
  theta: Float64Array,
  datum: OnlineDatum,
  squared: number,
  target: Float64Array,
): void {
  const { width, threshold, constant, clip } = model;
  const { features, response } = datum;
  const scale = theta[width];
  if (!(scale > 0)) throw new RangeError(refusal('iterate', 'a scale > 0 as its last entry', scale));
  const score = huberScore(checkFactor((response - innerProduct(model, theta, 0, features)) / scale), threshold);
  const weight = clip === undefined ? mallowsWeight(squared) : 1;
  const along = huberScaleScore(score, constant);
  let factor = weight;
  if (clip !== undefined) {
    const norm = sqrt(score * score * squared + along * along);
    if (norm > clip) factor = clip / norm;
  }
  writeScaled(model, -score * factor, features, target, 0);
  target[width] = along * factor;
}

// Scratch of the probabilities, kept between calls and overwritten by each.
let shares = new Float64Array(16);

function fillMultinomial(
  model: MultinomialModel,
  theta: Float64Array,
  datum: OnlineDatum,
  squared: number,
  target: Float64Array,
): void {
  const { classes, width, clip } = model;
  const { features, response } = datum;
  if (shares.length < classes) shares = new Float64Array(classes);
  let largest = 0;
  shares[0] = 0;
  for (let k = 1; k < classes; k++) {
    shares[k] = checkFactor(innerProduct(model, theta, (k - 1) * width, features));
    largest = max(largest, shares[k]);
  }
  let total = 0;
  for (let k = 0; k < classes; k++) total += shares[k] = exp(shares[k] - largest);
  let norm = 0;
  for (let k = 1; k < classes; k++) {
    shares[k] = shares[k] / total - (response === k ? 1 : 0);
    norm += shares[k] * shares[k];
  }
  norm = sqrt(norm * squared);
  let factor = clip === undefined ? mallowsWeight(squared) : 1;
  if (clip !== undefined && norm > clip) factor = clip / norm;
  for (let k = 1; k < classes; k++) writeScaled(model, shares[k] * factor, features, target, (k - 1) * width);
}

/**
 * m with m·mᵀ the Hessian of one record's weighted loss, into the first p entries of `target`: √(f″(⟨θ, x⟩, y)·w(x))·x.
 *
 * @throws as {@link fillGradient}.
 */
export function fillHessianFactor(
  model: IndexModel,
  theta: Float64Array,
  datum: OnlineDatum,
  target: Float64Array,
): void {
  const squared = checkRecord(model, datum);
  const inner = innerProduct(model, theta, 0, datum.features);
  const curvature = lossOf(model).secondDerivative(inner, datum.response) * mallowsWeight(squared);
  writeScaled(model, sqrt(checkFactor(curvature)), datum.features, target, 0);
}
