import {
  checkFinite,
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../src/check/refusal.ts';
import type { PlainRequest, PublicParameters } from '../../src/core/contract.ts';
import type { Grade, Json } from '../../src/core/digest.ts';
import { agreementOf } from '../../src/core/digest.ts';
import type { Precision } from '../../src/core/frame.ts';
import type { SequentialStep } from '../../src/core/sequential.ts';
import { type HessianRelease, hessianRelease } from '../../src/inference/hessian-release.ts';
import type { AverageWeights } from '../../src/inference/iterate-average.ts';
import { LEAST_SCALE, type ModelRequest, type OnlineModel } from '../../src/risk/regression/model.ts';
import type { BudgetRequest, OnlineNoise } from './noise.ts';

/** What a server may keep for intervals besides random scaling, which it always keeps: see `OnlineState`. */
export const INFERENCES = ['batch means', 'disjoint batch means', 'plug-in'] as const;

/** One of {@link INFERENCES}. */
export type Inference = (typeof INFERENCES)[number];

/** What a server does with a report of an earlier step. Every behaviour except a refusal has to be requested. */
export const STALE_POLICIES = ['refuse', 'accept late'] as const;

/** One of {@link STALE_POLICIES}. */
export type StalePolicy = (typeof STALE_POLICIES)[number];

/** How the iterates are averaged, if not all alike: an average that forgets the start. */
export type AverageRequest =
  /** The last iterates: this share of the path, in (0, 1]; ½ by default. */
  | { readonly kind: 'suffix'; readonly share?: number }
  /** Weights that grow like i^η, from 0 to 100; η = 3 by default. */
  | { readonly kind: 'polynomial'; readonly power?: number };

/** The fields common to the requests of all variants, as plain data. */
export interface StreamRequest {
  /** What is fitted, and how gradients are bounded. */
  readonly model: ModelRequest;
  /** γ > 0 of the step size γ·i^(−α); 0.5 by default. */
  readonly rate?: number;
  /** α in (0, 1]; 0.51 by default. At 1 there is no limit theorem for averages, and no batch means. */
  readonly decay?: number;
  /** θ₀; zeros by default, and 1 for the scale of a joint model. */
  readonly start?: readonly number[];
  /** The number of first steps that the average and the intervals leave out; 0 by default. */
  readonly burnIn?: number;
  /** The average that estimates; all iterates after the burn-in alike, if it is left out. */
  readonly average?: AverageRequest;
  /** The number of players who answer each step; 1 by default. */
  readonly batch?: number;
  /** What the server does with reports of an earlier step; `refuse` by default. */
  readonly stale?: StalePolicy;
  /** What is kept for intervals besides random scaling; batch means and plug-in by default. */
  readonly inference?: readonly Inference[];
  /** c of the batches in the method of batch means; 1 by default. */
  readonly batchScale?: number;
  /** The kind of noise; `simulation` by default. */
  readonly grade?: Grade;
}

/** Requests pure ε. */
export interface PureRequest extends StreamRequest {
  readonly epsilon: number;
}

/** Requests (ε, δ). */
export interface ApproximateRequest extends StreamRequest {
  readonly epsilon: number;
  readonly delta: number;
}

/** Requests μ-Gaussian differential privacy, with the same μ for all players or by a public rule. */
export interface GdpRequest extends StreamRequest {
  readonly mu?: number;
  readonly budgets?: BudgetRequest;
  /**
   * μ_A of a second release of every player, its Hessian, for plug-in intervals; √(μ² + μ_A²) in all. No second release
   * by default.
   */
  readonly hessianMu?: number;
}

/** Everything that players and server of a stream agree on before it starts. */
export interface OnlinePlan extends PublicParameters {
  readonly grade: Grade;
  readonly model: OnlineModel;
  readonly noise: OnlineNoise;
  /** The release of Hessians, after the gradient in every report; absent if there is none. */
  readonly hessian?: HessianRelease;
  /** γ. */
  readonly rate: number;
  /** α. */
  readonly decay: number;
  /** θ₀. */
  readonly start: Float64Array;
  readonly burnIn: number;
  /** The weights of an average that forgets the start; absent if all iterates count alike. */
  readonly average?: AverageWeights;
  readonly batch: number;
  readonly stale: StalePolicy;
  readonly inference: readonly Inference[];
  readonly batchScale: number;
  /** The number of entries of a report that stand for the gradient, and that of the whole report. */
  readonly gradientLength: number;
  readonly length: number;
  readonly precision: Precision;
}

/** What the player of a step receives. */
export interface OnlineStep extends SequentialStep<OnlinePlan> {
  /** The place of this player in the stream, from 1; it determines μ if budgets differ. */
  readonly place: number;
}

// The protocol's name and the version of its wire format and of the laws of all variants.
const FAMILY = { protocol: 'online-sgd', version: 1 } as const;

/** The parts of a plan that a variant decides, besides the request. */
export interface PlanParts {
  readonly variant: string;
  readonly grade: Grade;
  readonly model: OnlineModel;
  readonly noise: OnlineNoise;
  readonly hessian?: HessianRelease;
}

/**
 * The plan of a request.
 *
 * @throws TypeError or RangeError naming the field: γ ≤ 0, α outside (0, 1], a start of another length …
 */
export function onlinePlan(parts: PlanParts, request: StreamRequest): OnlinePlan {
  const { model, noise, variant, grade, hessian } = parts;
  const { rate = 0.5, decay = 0.51, burnIn = 0, batch = 1, stale = 'refuse', batchScale = 1 } = request;
  const stream = {
    rate: checkPositive('rate', rate),
    decay: checkDecay(decay),
    start: startOf(model, request.start),
    burnIn: checkInteger('burnIn', burnIn, 0),
    ...(request.average === undefined ? {} : { average: averageOf(request.average) }),
    batch: checkInteger('batch', batch, 1, 2 ** 30),
    stale: checkWord('stale', stale, STALE_POLICIES),
    inference: inferencesOf(request),
    batchScale: checkPositive('batchScale', batchScale),
  };
  return {
    ...FAMILY,
    // After all checks: a number that JSON cannot carry is refused by name.
    ...agreementOf(FAMILY, plainRequest(variant, request)),
    variant,
    grade,
    model,
    noise,
    ...(hessian === undefined ? {} : { hessian }),
    ...stream,
    gradientLength: noise.length,
    length: noise.length + (hessian?.mechanism.dimension ?? 0),
    precision: noise.precision,
  };
}

/** α in (0, 1]. */
function checkDecay(decay: unknown): number {
  if (typeof decay !== 'number') throw new RefusedKind('decay', 'a number in (0, 1]', decay);
  if (!(decay > 0 && decay <= 1)) throw new RefusedValue('decay', 'a number in (0, 1]', decay);
  return decay;
}

function startOf(model: OnlineModel, start: readonly number[] | undefined): Float64Array {
  const { dimension } = model;
  const theta = new Float64Array(dimension);
  if (start === undefined) {
    if (model.form === 'scale') theta[dimension - 1] = 1;
    return theta;
  }
  if (start === null || typeof start !== 'object') throw new RefusedKind('start', `${dimension} numbers`, start);
  if (start.length !== dimension) throw new RefusedValue('start', `${dimension} numbers`, start.length);
  // Adding 0 turns −0 into 0, which JSON can carry.
  for (let i = 0; i < dimension; i++) theta[i] = checkFinite(`start[${i}]`, start[i]) + 0;
  if (model.form === 'scale' && theta[dimension - 1] < LEAST_SCALE) {
    throw new RefusedValue(`start[${dimension - 1}]`, `a scale >= ${LEAST_SCALE}`, theta[dimension - 1]);
  }
  return theta;
}

function averageOf(asked: AverageRequest): AverageWeights {
  if (asked === null || typeof asked !== 'object') {
    throw new RefusedKind('average', 'an object with a "kind"', asked);
  }
  if (checkWord('average.kind', asked.kind, ['suffix', 'polynomial']) === 'suffix') {
    const { share = 0.5 } = asked as Extract<AverageRequest, { kind: 'suffix' }>;
    if (checkPositive('average.share', share) > 1) {
      throw new RefusedValue('average.share', 'a number in (0, 1]', share);
    }
    return { kind: 'suffix', share };
  }
  const { power = 3 } = asked as Extract<AverageRequest, { kind: 'polynomial' }>;
  if (checkNonNegative('average.power', power) > 100) {
    throw new RefusedValue('average.power', 'a number from 0 to 100', power);
  }
  return { kind: 'polynomial', power };
}

function inferencesOf(request: StreamRequest): readonly Inference[] {
  const asked = request.inference ?? (request.decay === 1 ? ['plug-in'] : ['batch means', 'plug-in']);
  if (!Array.isArray(asked)) throw new RefusedKind('inference', 'an array of words', asked);
  const kept = asked.map((word, i) => checkWord(`inference[${i}]`, word, INFERENCES));
  if (request.decay === 1 && kept.some((word) => word !== 'plug-in')) {
    throw new RefusedValue('inference', 'no batch means: their batches are for a decay < 1', 'batch means');
  }
  return INFERENCES.filter((word) => kept.includes(word));
}

/** A request without the fields that were left out; includes the variant. */
function plainRequest(variant: string, request: StreamRequest): PlainRequest {
  const defined = (value: object): { readonly [name: string]: Json } =>
    Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
  const { average } = request;
  const forgetting = average === undefined ? {} : { average: defined(average) };
  const { bounds } = request.model;
  const model = { ...defined(request.model), ...(bounds === undefined ? {} : { bounds: defined(bounds) }) };
  return { ...defined(request), ...forgetting, model, variant };
}

/**
 * The release of Hessians at μ_A, if the model has a bounded Hessian of the form m·mᵀ.
 *
 * @throws RangeError for another model, or a μ that is not finite and > 0.
 */
export function hessianOf(model: OnlineModel, mu: number): HessianRelease {
  if (model.form !== 'index' || model.hessianBound === undefined) {
    throw new RefusedValue('hessianMu', 'nothing for a model without a bounded Hessian m·mᵀ', mu);
  }
  return hessianRelease({ dimension: model.dimension, bound: model.hessianBound, mu: checkPositive('hessianMu', mu) });
}
