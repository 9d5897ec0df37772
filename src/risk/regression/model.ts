import {
  checkBoolean,
  checkInteger,
  checkNormBound,
  checkOpenUnit,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../check/refusal.ts';
import type { MarginLoss } from '../margin-loss.ts';
import {
  binaryLogisticLoss,
  LOSS_NAMES,
  type LossName,
  lossByName,
  RESPONSE_LOSS_NAMES,
  type ResponseLossName,
  responseLossByName,
} from '../named-loss.ts';
import {
  checkRecordBounds,
  expectileLoss,
  HUBER_THRESHOLD,
  huberLoss,
  huberScaleConstant,
  jointHuberBounds,
  largestSlope,
  MALLOWS_CURVATURE,
  MALLOWS_NORM,
  type RecordBounds,
  type ResponseLoss,
  recordNorm,
  smoothedQuantileLoss,
} from '../response-loss.ts';

const { SQRT2, max } = Math;

export const MOST_FEATURES = 10_000;

/** The request for a model, as plain data. */
export interface ModelRequest {
  /**
   * What is fitted. `huber`: linear regression, σ known. `huber-scale`: coefficients and σ together. `logistic`: y ∈ {0, 1}.
   * `multinomial`: y ∈ {0, …, K − 1}. `expectile` and `quantile`: robust expectiles, smoothed quantiles. `margin` and `response`: a
   * loss by name, of y·⟨θ, x⟩ with y ∈ {−1, 1} or of ⟨θ, x⟩ and y.
   */
  readonly kind: ModelKind;
  readonly features: number;
  /** Whether a first feature that is always 1 is put before them; true by default. */
  readonly intercept?: boolean;
  /**
   * Clips the full gradient to this norm, from 1e-100 to 1e300. Without it features have Mallows weights min(1,
   * 2/‖x‖²). They bound the gradient and, unlike clipping, do not move the minimiser.
   *
   * `bounds`: the least norm that cuts nothing within the public `bounds`, so that clipping does not move the minimiser
   * either: the largest slope of the loss times the largest norm of a record. Where Mallows weights have a smaller
   * bound, they are taken instead.
   */
  readonly clip?: number | 'bounds';
  /** What is public about records and coefficients, for the clip `bounds`. */
  readonly bounds?: RecordBounds;
  /** c of `huber`, `huber-scale` and `expectile`; 1.345 by default. */
  readonly threshold?: number;
  /** σ > 0 of `huber` and `expectile`; 1 by default. */
  readonly scale?: number;
  /** τ of `expectile` and `quantile`. */
  readonly tau?: number;
  /** h of `quantile`. */
  readonly bandwidth?: number;
  readonly classes?: number;
  /** Name of the loss of `margin` and `response`. */
  readonly loss?: LossName | ResponseLossName;
}

/** The kinds of models. */
export const MODEL_KINDS = [
  'huber',
  'huber-scale',
  'logistic',
  'multinomial',
  'expectile',
  'quantile',
  'margin',
  'response',
] as const;

/** One of {@link MODEL_KINDS}. */
export type ModelKind = (typeof MODEL_KINDS)[number];

/** The common part of every model: its kind, its size and the largest norm of a gradient. */
interface Bounded {
  readonly kind: ModelKind;
  readonly features: number;
  readonly intercept: boolean;
  /** q, features and intercept together. */
  readonly width: number;
  /** p, the number of parameters. */
  readonly dimension: number;
  readonly responses: ResponseKind;
  /** The norm to which gradients are clipped; undefined under Mallows weights. */
  readonly clip: number | undefined;
  /** B₀: sup of the ℓ₂ norm of a gradient. */
  readonly gradientBound: number;
  /** sup of the ℓ₂ distance of two gradients at one parameter, at most 2B₀. */
  readonly sensitivity: number;
}

/** The kinds of models with one inner product. */
type IndexKind = Exclude<ModelKind, 'huber-scale' | 'multinomial'>;

/** A model whose gradient is f′(⟨θ, x⟩, y)·w(x)·x, or the clipped gradient without the weight. */
export interface IndexModel extends Bounded {
  readonly form: 'index';
  /** Which loss, as plain data: see `responseLossOf`. */
  readonly loss: LossDescription;
  /** B₁ with ‖m‖² ≤ B₁ for the Hessian m·mᵀ; undefined if there is no such bound, for example under clipping. */
  readonly hessianBound: number | undefined;
}

/** Linear regression for (β, σ), σ the last parameter. */
export interface ScaleModel extends Bounded {
  readonly form: 'scale';
  readonly threshold: number;
  readonly constant: number;
}

/** Multinomial logistic regression: a block of q coefficients for each class except the first. */
export interface MultinomialModel extends Bounded {
  readonly form: 'multinomial';
  readonly classes: number;
}

/** A model with bounded gradients. */
export type OnlineModel = IndexModel | ScaleModel | MultinomialModel;

/** The least scale of a joint model, in units of the response: a noisy step may violate σ > 0, and is projected back. */
export const LEAST_SCALE = 0.01;

/**
 * The model of a request, with the bounds for the calibration of noise.
 * @throws TypeError or RangeError naming the field; RangeError for a loss with an unbounded derivative that is not clipped.
 * @theorem online-inference (2.1)
 * @theorem online-inference Condition 1
 * @theorem online-inference Example 1
 * @theorem online-inference Example 2
 * @theorem online-inference Example 3
 * @theorem online-rates Condition 1
 * @theorem online-rates Remark 1
 */
export function onlineModel(request: ModelRequest): OnlineModel {
  if (request === null || typeof request !== 'object') throw new RefusedKind('model', 'an object', request);
  const kind = checkWord('model.kind', request.kind, MODEL_KINDS);
  const features = checkInteger('model.features', request.features, 1, MOST_FEATURES);
  const { intercept = true } = request;
  checkBoolean('model.intercept', intercept);
  const bounds = boundsOf(request);
  const given =
    bounds !== undefined || request.clip === undefined ? undefined : checkNormBound('model.clip', request.clip);
  const width = features + (intercept ? 1 : 0);
  const norm = bounds === undefined ? Infinity : recordNorm(bounds, intercept);
  const common = { kind, features, intercept, width, clip: given };
  if (kind === 'huber-scale') {
    if (bounds === undefined) return scaleModel(common, request);
    throw new RefusedValue('model.clip', 'a number for huber-scale', request.clip);
  }
  if (kind === 'multinomial') return multinomialModel(common, request, norm);
  const { loss, lipschitz, smoothness, responses } = indexLoss(kind, request);
  const clip =
    bounds === undefined
      ? given
      : clipWithin(
          norm,
          largestSlope({ loss: responseLossOf(loss), lipschitz, ...LABELS[responses] }, bounds, norm),
          lipschitz,
        );
  const shared = { ...common, clip };
  if (clip === undefined && lipschitz === Infinity) {
    throw new RefusedValue('model.clip', `a norm to clip to, since gradients of ${kind} are unbounded`, clip);
  }
  const gradientBound = clip ?? checkNormBound('model.gradientBound', MALLOWS_NORM * lipschitz);
  return {
    ...shared,
    form: 'index',
    dimension: width,
    responses,
    loss,
    gradientBound,
    sensitivity: 2 * gradientBound,
    hessianBound: clip === undefined && smoothness < Infinity ? MALLOWS_CURVATURE * smoothness : undefined,
  };
}

/** The responses that are labels. */
const LABELS: { readonly [kind in ResponseKind]: { readonly labels?: readonly number[] } } = {
  number: {},
  class: {},
  binary: { labels: [0, 1] },
  sign: { labels: [-1, 1] },
};

function boundsOf({ clip, bounds }: ModelRequest): RecordBounds | undefined {
  if (clip === 'bounds') return checkRecordBounds(bounds);
  if (bounds === undefined) return undefined;
  throw new RefusedValue('model.bounds', 'nothing unless the clip is bounds', 'bounds');
}

/**
 * The clip that cuts no gradient of a record of this norm, of slopes up to `slope`; undefined where Mallows weights,
 * which hold for all records, bound gradients by less.
 */
function clipWithin(norm: number, slope: number, lipschitz: number): number | undefined {
  const bound = checkNormBound('model.gradientBound', slope * norm);
  return MALLOWS_NORM * lipschitz <= bound ? undefined : bound;
}

type SharedFields = Pick<Bounded, 'kind' | 'features' | 'intercept' | 'width' | 'clip'>;

function scaleModel(shared: SharedFields, request: ModelRequest): ScaleModel {
  const threshold = checkPositive('model.threshold', request.threshold ?? HUBER_THRESHOLD);
  const { norm, sensitivity } = jointHuberBounds(threshold);
  const { clip, width } = shared;
  const gradientBound = clip ?? checkNormBound('model.gradientBound', norm);
  const constant = huberScaleConstant(threshold);
  // Scores are squared: if the square overflows, a clip could not keep the direction.
  if (!Number.isFinite(constant)) {
    throw new RefusedValue('model.threshold', 'a number whose square a double holds', threshold);
  }
  return {
    ...shared,
    form: 'scale',
    dimension: width + 1,
    responses: 'number',
    threshold,
    constant,
    gradientBound,
    sensitivity: clip === undefined ? sensitivity : 2 * clip,
  };
}

function multinomialModel(common: SharedFields, request: ModelRequest, norm: number): MultinomialModel {
  const classes = checkInteger('model.classes', request.classes, 2, 1000);
  const { width } = common;
  // ‖π − e_y‖ over all classes except the first is at most 1 with two classes, and below √2 with more.
  const slope = classes === 2 ? 1 : SQRT2;
  const clip = norm === Infinity ? common.clip : clipWithin(norm, slope, slope);
  const gradientBound = clip ?? MALLOWS_NORM * slope;
  return {
    ...common,
    clip,
    form: 'multinomial',
    dimension: width * (classes - 1),
    responses: 'class',
    classes,
    gradientBound,
    sensitivity: 2 * gradientBound,
  };
}

function indexLoss(kind: IndexKind, request: ModelRequest): BoundedLoss {
  switch (kind) {
    case 'huber': {
      const { threshold = HUBER_THRESHOLD, scale = 1 } = request;
      return boundedLoss({ kind, threshold, scale }, threshold, 'number');
    }
    case 'expectile': {
      const { threshold = HUBER_THRESHOLD, scale = 1 } = request;
      const tau = checkOpenUnit('model.tau', request.tau);
      const lipschitz = checkPositive('threshold', threshold) * max(tau, 1 - tau);
      return boundedLoss({ kind, threshold, scale, tau }, lipschitz, 'number');
    }
    case 'quantile': {
      const tau = checkOpenUnit('model.tau', request.tau);
      const bandwidth = checkPositive('model.bandwidth', request.bandwidth);
      return boundedLoss({ kind, tau, bandwidth }, max(tau, 1 - tau), 'number');
    }
    case 'logistic':
      return boundedLoss({ kind }, 1, 'binary');
    case 'margin': {
      const name = checkWord('model.loss', request.loss, LOSS_NAMES);
      return boundedLoss({ kind, name }, lossByName(name).lipschitz, 'sign');
    }
    case 'response': {
      const name = checkWord('model.loss', request.loss, RESPONSE_LOSS_NAMES);
      // Only the absolute loss has a bounded slope for unbounded responses.
      return boundedLoss({ kind, name }, responseLossByName(name).kinked ? 1 : Infinity, 'number');
    }
  }
}

/** The responses that a model accepts: any number, 0 or 1, −1 or 1, or the number of a class. */
export type ResponseKind = 'number' | 'binary' | 'sign' | 'class';

/** A loss of an inner product and a response, as plain data. */
export type LossDescription =
  | { readonly kind: 'huber'; readonly threshold: number; readonly scale: number }
  | { readonly kind: 'expectile'; readonly threshold: number; readonly scale: number; readonly tau: number }
  | { readonly kind: 'quantile'; readonly tau: number; readonly bandwidth: number }
  | { readonly kind: 'logistic' }
  | { readonly kind: 'margin'; readonly name: LossName }
  | { readonly kind: 'response'; readonly name: ResponseLossName };

interface BoundedLoss {
  readonly loss: LossDescription;
  /** sup |f′| over all responses and inner products. */
  readonly lipschitz: number;
  readonly smoothness: number;
  readonly responses: ResponseKind;
}

/** A description with its bounds; the caller gives the bound of the slope. */
function boundedLoss(loss: LossDescription, lipschitz: number, responses: ResponseKind): BoundedLoss {
  const { smoothness } = responseLossOf(loss).constantsOn();
  // For a margin the interval is the whole line.
  const everywhere = loss.kind === 'margin' ? lossByName(loss.name).smoothness : smoothness;
  return { loss, lipschitz, smoothness: everywhere, responses };
}

export function responseLossOf(loss: LossDescription): ResponseLoss {
  switch (loss.kind) {
    case 'huber':
      return huberLoss(loss);
    case 'expectile':
      return expectileLoss(loss);
    case 'quantile':
      return smoothedQuantileLoss(loss);
    case 'logistic':
      return binaryLogisticLoss();
    case 'margin':
      return ofMargin(lossByName(loss.name));
    case 'response':
      return responseLossByName(loss.name);
  }
}

/** A loss of a margin as one of an inner product and a response −1 or 1. */
function ofMargin(loss: MarginLoss): ResponseLoss {
  return {
    name: loss.name,
    value: (inner, y) => loss.value(y * inner),
    derivative: (inner, y) => y * loss.derivative(y * inner),
    secondDerivative: (inner, y) => loss.secondDerivative(y * inner),
    constantsOn: (radius = 1) => ({
      lipschitz: loss.lipschitz,
      smoothness: loss.smoothnessOn?.(radius) ?? loss.smoothness,
    }),
    kinked: loss.kinks.length > 0,
  };
}
