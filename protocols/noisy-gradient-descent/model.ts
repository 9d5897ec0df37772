import { checkInteger, checkPositive, checkWord, RefusedKind, RefusedValue, refusal } from '../../src/check/refusal.ts';
import { addSquare, packedLength } from '../../src/inference/block-sums.ts';
import { lossByName, responseLossByName } from '../../src/risk/named-loss.ts';
import {
  fillGradient,
  fillHessianFactor,
  fillWeightFactor,
  type OnlineDatum,
  type WeightedModel,
} from '../../src/risk/regression/gradient.ts';
import { type IndexModel, type ModelRequest, onlineModel, type ScaleModel } from '../../src/risk/regression/model.ts';
import { huberScore, MALLOWS_CURVATURE, mallowsWeight } from '../../src/risk/response-loss.ts';

const { abs, ceil, log, max, SQRT2, sqrt } = Math;

/** The losses whose scores Ψ and Hessian factors a are bounded under Mallows weights: see `ModelRequest` for each. */
const BOUNDED_KINDS = ['huber', 'huber-scale', 'logistic', 'expectile', 'quantile', 'margin', 'response'] as const;

/** The request for a model, as plain data. */
export interface BoundedModelRequest extends Omit<ModelRequest, 'kind' | 'clip' | 'classes'> {
  readonly kind: (typeof BOUNDED_KINDS)[number];
  /** For `huber-scale`: a public bound > 0 below σ. Iterates stay there, and it bounds B̄. Units: of the response. */
  readonly leastScale?: number;
}

/** A model with bounded scores and a Hessian (1/n)·Σ a·aᵀ with bounded factors. Plain data. */
export interface BoundedModel {
  /** The model of the scores, which also fixes the domain of records. */
  readonly scores: IndexModel | ScaleModel;
  /** p, the number of parameters. */
  readonly dimension: number;
  /** B: sup ‖Ψ(z, θ)‖₂ over all records and parameters. */
  readonly scoreBound: number;
  /** sup ‖Ψ(z, θ) − Ψ(z′, θ)‖₂ over any two records: 2B, or less if a smaller bound is known. */
  readonly scoreSensitivity: number;
  /** B̄: sup ‖a(z, θ)‖₂², so that no eigenvalue of the Hessian is above it. */
  readonly hessianBound: number;
  /** The lower bound of σ, for a joint scale. */
  readonly leastScale?: number;
}

/**
 * The model of a request, with the bounds for the calibration of noise.
 *
 * - `huber` and the other losses of one inner product: B = √2·sup|f′|, B̄ = 2·sup f″, since w(x)‖x‖ ≤ √2 and w(x)‖x‖² ≤ 2.
 * - `huber-scale`: the loss w(x)·(σρ_c(u) + ½κσ) of (β, σ) with u = (y − ⟨β, x⟩)/σ has the Hessian a·aᵀ with
 *   a = √(w(x)/σ)·1(|u| < c)·(x, u), so that B̄ = (2 + c²)/σ_min.
 *
 * Source: slides of Avella-Medina (2023), linear regression; Avella-Medina, Bradshaw, Loh (2023).
 * @throws TypeError or RangeError naming the field; RangeError for a loss without a finite B or B̄, naming which.
 * @theorem slides M-estimators
 * @theorem slides M-estimators: properties, influence function
 * @theorem slides Example: linear regression
 * @theorem slides Noisy Newton, Condition
 */
export function boundedModel(request: BoundedModelRequest): BoundedModel {
  if (request === null || typeof request !== 'object') throw new RefusedKind('model', 'an object', request);
  const kind = checkWord('model.kind', request.kind, BOUNDED_KINDS);
  if ('clip' in request && request.clip !== undefined) {
    throw new RefusedValue('model.clip', 'nothing: clipped scores have no bound B̄ of a Hessian', request.clip);
  }
  refuseUnbounded(request);
  const { leastScale } = request;
  const scores = onlineModel(request);
  if (scores.form === 'multinomial') throw new RefusedValue('model.kind', BOUNDED_KINDS.join(', '), kind);
  const bounds = {
    dimension: scores.dimension,
    scoreBound: scores.gradientBound,
    scoreSensitivity: scores.sensitivity,
  };
  if (scores.form === 'scale') {
    const least = checkPositive('model.leastScale', leastScale);
    const hessianBound = (MALLOWS_CURVATURE + scores.threshold * scores.threshold) / least;
    return { scores, ...bounds, hessianBound, leastScale: least };
  }
  if (leastScale !== undefined) {
    throw new RefusedValue('model.leastScale', `nothing for ${kind}, which has no joint scale`, leastScale);
  }
  const { hessianBound } = scores;
  if (hessianBound === undefined) throw new RefusedValue(missing('B̄ of its Hessian, sup f″', kind));
  return { scores, ...bounds, hessianBound };
}

/** Refuses named losses whose slope or curvature has no bound. */
function refuseUnbounded(request: BoundedModelRequest): void {
  const { kind } = request;
  if (kind !== 'margin' && kind !== 'response') return;
  const loss: string = request.loss ?? '';
  if (kind === 'margin') {
    const { lipschitz, smoothness } = lossByName(loss);
    if (!(lipschitz < Infinity)) throw new RefusedValue(missing('B of its score, sup |f′| over the whole line', loss));
    if (!(smoothness < Infinity)) throw new RefusedValue(missing('B̄ of its Hessian, sup f″ over the whole line', loss));
  } else {
    // The squared loss has an unbounded slope, and the absolute loss has a kink.
    const { kinked } = responseLossByName(loss);
    const bound = kinked ? 'B̄ of its Hessian, sup f″' : 'B of its score, sup |f′| over all responses';
    throw new RefusedValue(missing(bound, loss));
  }
}

function missing(bound: string, got: string): string {
  return refusal('model.loss', `a loss with a finite bound ${bound}`, got);
}

/** A record as a curator holds it: features without the intercept, and a response. */
export type CentralRecord = OnlineDatum;

/** Refuses anything other than n records. The content of each record is checked where it is read. No message has its values. */
export function checkRecords(records: readonly CentralRecord[], count: number): void {
  if (!Array.isArray(records)) throw new RefusedKind('"records" expected an array of records');
  if (records.length !== count) throw new RefusedValue('records', `${count} of them`, records.length);
}

/**
 * (1/n)·Σ Ψ(z_i, θ), into `target`. One pass.
 * @throws TypeError or RangeError for a record outside the domain; the message has no values.
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
 * @throws TypeError or RangeError as {@link meanScore}.
 */
export function scoreMoment(model: BoundedModel, records: readonly CentralRecord[], theta: Float64Array): Float64Array {
  return factorMoment(model, records, (record, score) => fillGradient(model.scores, theta, record, score));
}

/**
 * (1/n)·Σ a·aᵀ, a packed lower triangle: the Hessian of the mean loss.
 * @throws TypeError or RangeError as {@link meanScore}.
 */
export function curvatureMoment(
  model: BoundedModel,
  records: readonly CentralRecord[],
  theta: Float64Array,
): Float64Array {
  const { scores } = model;
  return factorMoment(model, records, (record, factor) => {
    if (scores.form === 'index') fillHessianFactor(scores, theta, record, factor);
    else fillScaleFactor(scores, theta, record, factor);
  });
}

/**
 * (1/n)·Σ m·mᵀ with the factors of `fillWeightFactor`, a packed lower triangle: the curvature of the parabola that lies above the mean
 * loss and touches it at θ. Data that differ in one record move it by as much as the Hessian, √2·B̄/n.
 */
export function weightMoment(
  model: BoundedModel,
  records: readonly CentralRecord[],
  theta: Float64Array,
): Float64Array {
  const scores = weightedScores(model);
  return factorMoment(model, records, (record, factor) => fillWeightFactor(scores, theta, record, factor));
}

/** The scores of a model whose weights are known; all but `huber` and `logistic` are refused. */
export function weightedScores({ scores }: BoundedModel): WeightedModel {
  const { form, kind } = scores;
  if (form === 'index' && (kind === 'huber' || kind === 'logistic')) return scores as WeightedModel;
  throw new RefusedValue('model.kind', 'huber or logistic, whose weights are derived', kind);
}

function factorMoment(
  { dimension }: BoundedModel,
  records: readonly CentralRecord[],
  fill: (record: CentralRecord, factor: Float64Array) => void,
): Float64Array {
  const packed = new Float64Array(packedLength(dimension));
  const factor = new Float64Array(dimension);
  const scale = 1 / records.length;
  for (const record of records) {
    fill(record, factor);
    addSquare(packed, factor, scale);
  }
  return packed;
}

// √(w(x)/σ)·1(|u| < c)·(x, u). The gradient is computed first because it checks the record and σ.
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

/** Probability that at least one step has more noise than the condition on n allows. */
export const NOISE_FAILURE = 0.05;

/**
 * The least number of steps of noisy gradient descent: K = ⌈½·log n/(−log(1 − ητ₁))⌉. After them the distance to the
 * minimiser is 1/√n of the distance at the start. K ≥ C·log n with C explicit.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy gradient descent; the constant is that of its contraction.
 * @theorem slides Theorem, noisy gradient descent, condition on K
 */
export function leastGradientSteps(records: number, step: number, strongConvexity: number): number {
  checkInteger('records', records, 1);
  const gain = checkPositive('step', step) * checkPositive('strongConvexity', strongConvexity);
  if (!(gain <= 1)) throw new RefusedValue('step · strongConvexity', 'a number <= 1', gain);
  return gain === 1 ? 1 : max(1, ceil((0.5 * log(records)) / -Math.log1p(-gain)));
}

/**
 * The least number of steps of noisy Newton from a start that is close: K = ⌈log log n⌉, since each step doubles the
 * number of correct digits. At least 2, so that one step starts where the Hessian is near its limit.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy Newton.
 * @theorem slides Theorem, noisy Newton, conditions
 */
export function leastNewtonSteps(records: number): number {
  return max(2, ceil(log(max(1, log(checkInteger('records', records, 1))))));
}

/** K steps with noise on a gradient, or on a Hessian, at μ together. */
interface NoisyCondition extends Record<'dimension' | 'steps' | 'mu', number> {
  /** sup ‖Ψ − Ψ′‖₂; for a Hessian that to which the noise is calibrated, √2·B̄, or 2B̄ as printed. */
  readonly sensitivity: number;
}

/** The least n for which K noisy steps stay below `largest`: Δ√K·length/(nμ) ≤ largest, `length` in deviations. */
function least(condition: NoisyCondition, name: string, largest: number, length: number): number {
  const mu = checkPositive('mu', condition.mu);
  const sensitivity = checkPositive('sensitivity', condition.sensitivity);
  return ceil((sensitivity * sqrt(condition.steps) * length) / (mu * checkPositive(name, largest)));
}

/**
 * The least n for which no gradient noise of K steps is longer than the analysis allows, except with probability
 * {@link NOISE_FAILURE}: Δ√K·(√p + √(2·log(K/.05)))/(nμ) ≤ `largestNoise`, which is τ₁·r, or B if no radius r is given.
 *
 * Law: P(‖Z‖ > √p + t) ≤ exp(−t²/2) for a standard normal Z of p coordinates, and at most K times that for K such
 * vectors.
 *
 * Source: Avella-Medina, Bradshaw, Loh (2023), sample size conditions of the theorems on both algorithms.
 * @theorem slides Theorem, noisy gradient descent, condition on K
 */
export function leastRecords(condition: NoisyCondition & { readonly largestNoise: number }): number {
  const { dimension, steps, largestNoise } = condition;
  return least(condition, 'largestNoise', largestNoise, sqrt(dimension) + sqrt(2 * log(steps / NOISE_FAILURE)));
}

/**
 * The least n for which the expected norm of the noise on a Hessian is below τ₁, so that it does not reverse a step:
 * 2√p·Δ√K/(nμ) ≤ τ₁.
 *
 * Law: the norm of a symmetric p × p matrix with independent standard normal entries is near 2√p.
 *
 * Source: Wigner (1958) for the norm; Avella-Medina, Bradshaw, Loh (2023) for a condition of this kind.
 * @theorem slides Theorem, noisy Newton, conditions
 */
export function leastHessianRecords(condition: NoisyCondition & { readonly strongConvexity: number }): number {
  return least(condition, 'strongConvexity', condition.strongConvexity, 2 * sqrt(condition.dimension));
}

/**
 * sup ‖vech(a·aᵀ − b·bᵀ)‖₂ over ‖a‖², ‖b‖² ≤ bound: √2·bound, reached by multiples of two coordinate axes. vech lists the distinct
 * entries; their norm is at most the Frobenius norm, and there ‖aaᵀ − bbᵀ‖² = ‖a‖⁴ + ‖b‖⁴ − 2⟨a, b⟩² ≤ 2·bound².
 */
export function squareSensitivity(bound: number): number {
  return SQRT2 * checkPositive('bound', bound);
}
