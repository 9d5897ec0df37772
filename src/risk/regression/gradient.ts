import { createScratch, reserve } from '../../check/datum.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { huberScaleScore, huberScore, mallowsWeight, type ResponseLoss } from '../response-loss.ts';
import {
  type IndexModel,
  type LossDescription,
  type MultinomialModel,
  type OnlineModel,
  responseLossOf,
  type ScaleModel,
} from './model.ts';
import {
  checkRecord,
  checkShape,
  isResponse,
  type OnlineDatum,
  refuseFeature,
  refuseNorm,
  refuseResponse,
} from './record.ts';

const { abs, exp, max, min, sign, sqrt } = Math;

export type { OnlineDatum } from './record.ts';

/** Largest accepted |θ_j| of an iterate: ⟨θ, x⟩ is then finite for records whose squares do not overflow. */
export const LARGEST_COEFFICIENT = 1e100;

/**
 * Ψ(θ, z): the bounded gradient of one record's loss, written into the first p entries of `target`. Allocates nothing.
 *
 * Guarantee: ‖Ψ‖ ≤ B₀ up to rounding, for every record of the domain and every iterate that is not refused. For a
 * record of the domain, the refusal of an iterate does not depend on the values of the record.
 * @throws RangeError, before the datum is read, for an iterate of wrong length, with an entry that is not finite or
 * beyond 1e100, or with a scale ≤ 0; TypeError or RangeError, without values, for a record outside the
 * domain.
 */
export function fillGradient(model: OnlineModel, theta: Float64Array, datum: OnlineDatum, target: Float64Array): void {
  if (model.form === 'index') {
    if (fillGradientFactor(model, theta, datum, target)) spread(model, datum, target);
    return;
  }
  checkIterate(model, theta);
  if (model.form === 'scale') fillScale(model, theta, datum, target);
  else fillMultinomial(model, theta, datum, target);
}

/** Replaces the factor in the first entry by factor·x. */
function spread({ intercept }: IndexModel, { features }: OnlineDatum, target: Float64Array): void {
  const factor = target[0];
  const from = intercept ? 1 : 0;
  for (let i = 0; i < features.length; i++) target[from + i] = factor * features[i];
}

/** Refuses an iterate of wrong length, or one with values that are not accepted. */
export function checkIterate(model: OnlineModel, theta: Float64Array): void {
  const { dimension } = model;
  if (theta.length !== dimension) throw new RefusedValue('iterate', `${dimension} numbers`, theta.length);
  // A constant of a module is looked up and checked at every use, a local one is not.
  const largest = LARGEST_COEFFICIENT;
  let i = 0;
  for (; i + 1 < dimension; i += 2) {
    if (!(abs(theta[i]) <= largest)) refuseIterate(theta[i]);
    if (!(abs(theta[i + 1]) <= largest)) refuseIterate(theta[i + 1]);
  }
  if (i < dimension && !(abs(theta[i]) <= largest)) refuseIterate(theta[i]);
  if (model.form === 'scale' && !(theta[model.width] > 0)) {
    throw new RefusedValue('iterate', 'a scale > 0 as its last entry', theta[model.width]);
  }
}

function refuseIterate(entry: number): never {
  const expected = `numbers at which the gradient is finite, none beyond ${LARGEST_COEFFICIENT}`;
  throw new RefusedValue('iterate', expected, entry);
}

// The loss of the last requested model: a stream has only one.
let last: { readonly description: LossDescription; readonly loss: ResponseLoss } | undefined;

function lossOf({ loss: description }: IndexModel): ResponseLoss {
  if (last === undefined || last.description !== description) last = { description, loss: responseLossOf(description) };
  return last.loss;
}

/** f′ at an inner product and a response. */
export function slopeOf(model: IndexModel, inner: number, response: number): number {
  const { loss } = model;
  // The loss of both papers, inlined for speed: a test compares it with its derivative in src/risk.
  return loss.kind === 'huber'
    ? -huberScore(loss.scale === 1 ? response - inner : (response - inner) / loss.scale, loss.threshold)
    : lossOf(model).derivative(inner, response);
}

// The weight of a record with ‖x‖² ≤ 2, and 2/‖x‖² of the last one.
const weights = /* @__PURE__ */ createScratch(2);

/**
 * Ψ(θ, z) of a model whose gradient has the direction of the record: the factor f for which Ψ = f·x, written into the
 * first entry of `target`, or all of Ψ where f and x are no doubles whose product it is; returns whether it is the
 * factor. Then the caller multiplies, where it has something to add to the products. Allocates nothing.
 */
// The hot path: norm, inner product and the checks of a record in one pass over the features, two at a time: there are
// few, and one turn of the loop costs as much as a feature. The score is written out, since a number that a function takes
// or returns may have to be allocated.
export function fillGradientFactor(
  model: IndexModel,
  theta: Float64Array,
  datum: OnlineDatum,
  target: Float64Array,
): boolean {
  checkIterate(model, theta);
  checkShape(model, datum);
  const { features, response } = datum;
  const { intercept, clip, loss } = model;
  const { length } = features;
  const from = intercept ? 1 : 0;
  let squared = from;
  let inner = from === 1 ? theta[0] : 0;
  let i = 0;
  for (; i + 1 < length; i += 2) {
    const x = features[i];
    const other = features[i + 1];
    if (typeof x !== 'number' || typeof other !== 'number') refuseFeature(model);
    squared += x * x;
    squared += other * other;
    inner += theta[from + i] * x;
    inner += theta[from + i + 1] * other;
  }
  if (i < length) {
    const x = features[i];
    if (typeof x !== 'number') refuseFeature(model);
    squared += x * x;
    inner += theta[from + i] * x;
  }
  if (!(squared < Infinity)) refuseNorm();
  if (!isResponse(model, response)) refuseResponse(model);
  let factor: number;
  if (loss.kind === 'huber') {
    const { threshold, scale } = loss;
    factor = -max(-threshold, min(threshold, scale === 1 ? response - inner : (response - inner) / scale));
  } else factor = lossOf(model).derivative(inner, response);
  if (clip === undefined) {
    // Without a branch: which of the two it is cannot be foreseen.
    const { values } = weights;
    values[0] = 1;
    values[1] = 2 / squared;
    factor *= values[Number(squared > 2)];
  } else {
    if (squared < LEAST_SQUARE) {
      fillFarIndex(model, clip, theta, datum, target);
      return false;
    }
    const norm = abs(factor) * sqrt(squared);
    // A slope so large that it or the norm overflows is still clipped, because its direction is known.
    if (norm > clip) factor = (factor < 0 ? -clip : clip) / sqrt(squared);
    if (factor - factor !== 0) {
      fillFarIndex(model, clip, theta, datum, target);
      return false;
    }
  }
  target[0] = factor;
  return true;
}

// Below this, squares of entries that matter may underflow to 0.
const LEAST_SQUARE = 1e-280;

// The same with clipping, in units of the largest entry. A slope may be infinite here, with its correct sign.
function fillFarIndex(
  model: IndexModel,
  clip: number,
  theta: Float64Array,
  datum: OnlineDatum,
  target: Float64Array,
): void {
  const unit = largestEntry(model, datum) || 1;
  const { features, response } = datum;
  const slope = lossOf(model).derivative(innerProduct(model, theta, 0, features, unit), response);
  const finite = abs(slope) < Infinity;
  writeScaled(model, finite ? slope : sign(slope), features, unit, target, 0);
  clipTo(target, model.dimension, finite ? unit : Infinity, clip);
}

function fillScale(model: ScaleModel, theta: Float64Array, datum: OnlineDatum, target: Float64Array): void {
  const { width, dimension, threshold, constant, clip } = model;
  const scale = theta[width];
  const unit = unitOf(largestEntry(model, datum));
  const { features, response } = datum;
  // A residual beyond the largest double is infinite, and its score is the threshold.
  const score = huberScore((response - innerProduct(model, theta, 0, features, unit)) / scale, threshold);
  const along = huberScaleScore(score, constant);
  if (clip === undefined) {
    const squared = scaledSquare(model, features, unit);
    writeScaled(model, -score * weightedUnit(squared, unit), features, unit, target, 0);
    target[width] = along * mallowsWeight(squared * unit * unit);
    return;
  }
  // The unit is at least 1, so that no entry overflows.
  const long = max(1, unit);
  writeScaled(model, -score * (unit / long), features, unit, target, 0);
  target[width] = along / long;
  clipTo(target, dimension, long, clip);
}

// Scratch memory for the probabilities, kept between calls; every call overwrites it.
const scratch = /* @__PURE__ */ createScratch(16);

function fillMultinomial(model: MultinomialModel, theta: Float64Array, datum: OnlineDatum, target: Float64Array): void {
  const unit = unitOf(largestEntry(model, datum));
  const { classes, width, dimension, clip } = model;
  const { features, response } = datum;
  const shares = reserve(scratch, classes);
  let largest = 0;
  shares[0] = 0;
  for (let k = 1; k < classes; k++) {
    // These bounds change no finite score that matters; the difference of two infinite scores would be NaN.
    shares[k] = max(-1e300, min(1e300, innerProduct(model, theta, (k - 1) * width, features, unit)));
    largest = max(largest, shares[k]);
  }
  let total = 0;
  for (let k = 0; k < classes; k++) total += shares[k] = exp(shares[k] - largest);
  const factor = clip === undefined ? weightedUnit(scaledSquare(model, features, unit), unit) : 1;
  for (let k = 1; k < classes; k++) {
    const share = shares[k] / total - (response === k ? 1 : 0);
    writeScaled(model, share * factor, features, unit, target, (k - 1) * width);
  }
  if (clip !== undefined) clipTo(target, dimension, unit, clip);
}

/**
 * Writes m, for which m·mᵀ is the Hessian of one record's weighted loss, into the first p entries of `target`:
 * √(f″(⟨θ, x⟩, y)·w(x))·x.
 * @throws as {@link fillGradient}.
 */
export function fillHessianFactor(
  model: IndexModel,
  theta: Float64Array,
  datum: OnlineDatum,
  target: Float64Array,
): void {
  fillFactor(model, theta, datum, target, lossOf(model).secondDerivative);
}

/** A model whose loss lies below parabolas of known curvature. */
export type WeightedModel = IndexModel & { readonly loss: { readonly kind: 'huber' | 'logistic' } };

/**
 * Writes m, for which m·mᵀ is the curvature of the parabola that lies above the loss of one record and touches it at θ:
 * √(v·w(x))·x with v = ψ_c(r/σ)/r for Huber's loss and the residual r = y − ⟨θ, x⟩, and v = tanh(t/2)/(2t) for the
 * logistic loss and t = ⟨θ, x⟩. Its norm has the bound of {@link fillHessianFactor}, and unlike there no record has the
 * factor 0.
 * Source: Huber 1981, Robust statistics, Section 7.8, modified weights; Jaakkola and Jordan 2000, Bayesian parameter
 * estimation via variational methods, Section 3.
 */
export function fillWeightFactor(
  model: WeightedModel,
  theta: Float64Array,
  datum: OnlineDatum,
  target: Float64Array,
): void {
  fillFactor(model, theta, datum, target, weightOf(model.loss));
}

function weightOf(loss: WeightedModel['loss']): (inner: number, response: number) => number {
  if (loss.kind === 'logistic') return logisticWeight;
  const { threshold, scale } = loss;
  return (inner, response) => {
    const size = abs(response - inner);
    return size <= threshold * scale ? 1 / scale : threshold / size;
  };
}

/** tanh(t/2)/(2t), and its series where it is 0/0. */
function logisticWeight(inner: number): number {
  const square = inner * inner;
  return square < 1e-8 ? 0.25 - square / 48 : Math.tanh(inner / 2) / (2 * inner);
}

function fillFactor(
  model: IndexModel,
  theta: Float64Array,
  datum: OnlineDatum,
  target: Float64Array,
  curvatureOf: (inner: number, response: number) => number,
): void {
  const unit = unitOf(largestEntry(model, datum));
  const { features, response } = datum;
  const squared = scaledSquare(model, features, unit);
  const curvature = curvatureOf(innerProduct(model, theta, 0, features, unit), response);
  // Losses whose Hessians are released have a bounded curvature: this is for others, on unprotected records.
  if (!(curvature < Infinity)) throw new RefusedValue('"iterate" expected numbers at which the Hessian is finite');
  let factor = sqrt(curvature * mallowsWeight(squared));
  if (unit !== 1) factor = sqrt(curvature) * (unit > 1 ? sqrt(2 / squared) : unit);
  writeScaled(model, factor, features, unit, target, 0);
}

/** Refuses data that are not a record of the model; returns max |x_j|, the intercept included. */
function largestEntry(model: OnlineModel, datum: OnlineDatum): number {
  checkRecord(model, datum);
  const { features } = datum;
  let largest = model.intercept ? 1 : 0;
  for (let i = 0; i < features.length; i++) largest = max(largest, abs(features[i]));
  return largest;
}

/** The unit for computing with a record: 1, or its largest entry if squares could overflow or underflow. */
function unitOf(largest: number): number {
  return largest === 0 || (largest > 1e-140 && largest < 1e140) ? 1 : largest;
}

function scaledSquare({ intercept }: OnlineModel, x: ArrayLike<number>, unit: number): number {
  let squared = intercept ? 1 / unit / unit : 0;
  for (let i = 0; i < x.length; i++) {
    const entry = x[i] / unit;
    squared += entry * entry;
  }
  return squared;
}

/** ⟨θ, x⟩ with the coefficients of θ that begin at `from`; infinite if beyond the largest double, and never NaN. */
function innerProduct(
  { intercept }: OnlineModel,
  theta: Float64Array,
  from: number,
  x: ArrayLike<number>,
  unit: number,
): number {
  let inner = 0;
  let at = from;
  if (intercept) inner = theta[at++] / unit;
  for (let i = 0; i < x.length; i++) inner += theta[at++] * (x[i] / unit);
  return inner * unit;
}

/** Writes factor·x/unit to the place where the coefficients begin. */
function writeScaled(
  { intercept }: OnlineModel,
  factor: number,
  x: ArrayLike<number>,
  unit: number,
  target: Float64Array,
  from: number,
): void {
  let at = from;
  if (intercept) target[at++] = factor / unit;
  for (let i = 0; i < x.length; i++) target[at++] = factor * (x[i] / unit);
}

/** w(x)·unit, the factor by which x/unit becomes w(x)·x. */
function weightedUnit(squared: number, unit: number): number {
  return unit > 1 ? 2 / squared / unit : unit * mallowsWeight(squared * unit * unit);
}

/**
 * Replaces v by unit·v, clipped to a norm (up to rounding, for small and large entries of v). An infinite unit stands for
 * a vector too long for doubles; its direction is known.
 */
function clipTo(v: Float64Array, length: number, unit: number, bound: number): void {
  let largest = 0;
  for (let i = 0; i < length; i++) largest = max(largest, abs(v[i]));
  if (largest === 0) return;
  let squared = 0;
  for (let i = 0; i < length; i++) {
    const entry = v[i] / largest;
    squared += entry * entry;
  }
  const root = sqrt(squared);
  if (largest * unit * root <= bound) {
    for (let i = 0; i < length; i++) v[i] *= unit;
  } else {
    for (let i = 0; i < length; i++) v[i] = (v[i] / largest) * (bound / root);
  }
}
