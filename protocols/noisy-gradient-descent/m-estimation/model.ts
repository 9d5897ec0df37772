import { checkPositive, checkWord, refusal } from '../../../src/check/number.ts';
import { MALLOWS_CURVATURE } from '../../../src/risk/huber.ts';
import { lossByName, responseLossByName } from '../../../src/risk/named-loss.ts';
import {
  type IndexModel,
  type ModelRequest,
  onlineModel,
  type ScaleModel,
} from '../../../src/risk/regression/model.ts';

/** The losses whose scores Ψ and Hessian factors a are bounded under Mallows weights: see `ModelRequest` for each. */
export const BOUNDED_KINDS = [
  'huber',
  'huber-scale',
  'logistic',
  'expectile',
  'quantile',
  'margin',
  'response',
] as const;

/** One of {@link BOUNDED_KINDS}. */
export type BoundedKind = (typeof BOUNDED_KINDS)[number];

/** What is fitted, as plain data. */
export interface BoundedModelRequest extends Omit<ModelRequest, 'kind' | 'clip' | 'classes'> {
  readonly kind: BoundedKind;
  /** For `huber-scale`: a public lower bound > 0 of σ. Iterates stay above it, and B̄ is bounded by it. Units: of the response. */
  readonly leastScale?: number;
}

/** A model with bounded scores and a Hessian (1/n)·Σ a·aᵀ with bounded factors. Plain data. */
export interface BoundedModel {
  /** Scores, and which records they are of. */
  readonly scores: IndexModel | ScaleModel;
  /** p, the number of parameters. */
  readonly dimension: number;
  /** B: sup ‖Ψ(z, θ)‖₂ over all records and parameters. */
  readonly scoreBound: number;
  /** sup ‖Ψ(z, θ) − Ψ(z′, θ)‖₂ over any two records: 2B, or less where more is known. */
  readonly scoreSensitivity: number;
  /** B̄: sup ‖a(z, θ)‖₂², so that no eigenvalue of the Hessian is above it. */
  readonly hessianBound: number;
  /** The lower bound of σ, for a joint scale. */
  readonly leastScale?: number;
}

/**
 * The model of a request, with the bounds that noise is calibrated to.
 *
 * - `huber` and the other losses of one inner product: B = √2·sup|f′|, B̄ = 2·sup f″, since w(x)‖x‖ ≤ √2 and w(x)‖x‖² ≤ 2.
 * - `huber-scale`: the loss w(x)·(σρ_c(u) + ½κσ) of (β, σ) with u = (y − ⟨β, x⟩)/σ has the Hessian a·aᵀ with
 *   a = √(w(x)/σ)·1(|u| < c)·(x, u), so that B̄ = (2 + c²)/σ_min.
 *
 * Source: slides of Avella-Medina (2023), linear regression; Avella-Medina, Bradshaw, Loh (2023).
 *
 * @throws TypeError or RangeError naming the field; RangeError for a loss without a finite B or B̄, naming which.
 * @theorem slides M-estimators
 * @theorem slides M-estimators: properties, influence function
 * @theorem slides Example: linear regression
 * @theorem slides Noisy Newton, Condition
 */
export function boundedModel(request: BoundedModelRequest): BoundedModel {
  if (request === null || typeof request !== 'object') throw new TypeError(refusal('model', 'an object', request));
  const kind = checkWord('model.kind', request.kind, BOUNDED_KINDS);
  if ('clip' in request && request.clip !== undefined) {
    throw new RangeError(refusal('model.clip', 'nothing: clipped scores have no bound B̄ of a Hessian', request.clip));
  }
  refuseUnbounded(request);
  const { leastScale, ...rest } = request;
  const scores = onlineModel(rest);
  if (scores.form === 'multinomial') throw new RangeError(refusal('model.kind', BOUNDED_KINDS.join(', '), kind));
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
    throw new RangeError(refusal('model.leastScale', `nothing for ${kind}, which has no joint scale`, leastScale));
  }
  const { hessianBound } = scores;
  if (hessianBound === undefined) throw new RangeError(missing('B̄ of its Hessian, sup f″', kind));
  return { scores, ...bounds, hessianBound };
}

/** Losses by name may have a slope or a curvature without a bound. */
function refuseUnbounded({ kind, loss: name }: BoundedModelRequest): void {
  const loss: string = name ?? '';
  if (kind === 'margin') {
    const { lipschitz, smoothness } = lossByName(loss);
    if (!(lipschitz < Infinity)) throw new RangeError(missing('B of its score, sup |f′| over the whole line', loss));
    if (!(smoothness < Infinity)) throw new RangeError(missing('B̄ of its Hessian, sup f″ over the whole line', loss));
  } else if (kind === 'response') {
    // The squared loss has a slope without bound, and the absolute loss a kink.
    const { kinked } = responseLossByName(loss);
    const bound = kinked ? 'B̄ of its Hessian, sup f″' : 'B of its score, sup |f′| over all responses';
    throw new RangeError(missing(bound, loss));
  }
}

function missing(bound: string, got: string): string {
  return refusal('model.loss', `a loss with a finite bound ${bound}`, got);
}
