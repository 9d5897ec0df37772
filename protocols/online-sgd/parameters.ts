import {
  checkFinite,
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkRange,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../src/check/refusal.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { Precision } from '../../src/core/frame.ts';
import type { SequentialStep } from '../../src/core/interactive.ts';
import { agreementOf, checkGrade, type Grade, type Json, readWhole } from '../../src/core/request.ts';
import { type HessianRelease, hessianRelease } from '../../src/inference/hessian-release.ts';
import type { AverageWeights } from '../../src/inference/iterate-average.ts';
import { LARGEST_COEFFICIENT } from '../../src/risk/regression/gradient.ts';
import { LEAST_SCALE, type ModelRequest, type OnlineModel, onlineModel } from '../../src/risk/regression/model.ts';
import {
  type BudgetRequest,
  gaussianNoise,
  gdpNoise,
  laplaceNoise,
  noNoise,
  type OnlineNoise,
  printedGaussianNoise,
  printedGdpNoise,
  unitNoise,
} from './noise.ts';

/** How a variant's noise is made, whether it may be exact, and whether players may release Hessians too. */
interface Calibration {
  readonly deployable?: boolean;
  readonly hessians?: boolean;
  noise(model: OnlineModel, request: never, grade: Grade): OnlineNoise;
}

/** The variants of this protocol, best first. */
export const VARIANTS = [
  'privUnit',
  'gdp',
  'gaussian',
  'laplace',
  'printedGaussian',
  'printedGdp',
  'nonPrivate',
] as const;

/** Names of the variants of this protocol. */
export type Variant = (typeof VARIANTS)[number];

const CALIBRATIONS: { readonly [variant in Variant]: Calibration } = {
  privUnit: { deployable: true, noise: unitNoise },
  gdp: { hessians: true, noise: gdpNoise },
  gaussian: { deployable: true, noise: gaussianNoise },
  laplace: { noise: laplaceNoise },
  printedGaussian: { noise: printedGaussianNoise },
  printedGdp: { noise: printedGdpNoise },
  nonPrivate: { noise: noNoise },
};

/** The plan of a request, of which a field that its variant or its model does not read is refused: it would change nothing. */
function planOf(variant: Variant, asked: StreamRequest): OnlinePlan {
  return readWhole('request', asked, (request) => planFrom(variant, request, asked), { inside: true });
}

function planFrom(variant: Variant, request: StreamRequest, asked: StreamRequest): OnlinePlan {
  const { deployable = false, hessians = false, noise: noiseOf }: Calibration = CALIBRATIONS[variant];
  const grade = checkGrade(request.grade, variant, deployable);
  const model = onlineModel(request.model);
  const noise = noiseOf(model, request as never, grade);
  const hessianMu = hessians ? (request as GdpRequest).hessianMu : undefined;
  const hessian = hessianMu === undefined ? undefined : hessianOf(model, hessianMu);
  const { rate = 0.5, decay = 0.51, burnIn = 0, batch = 1, stale = 'refuse', batchScale = 1 } = request;
  const stream = {
    rate: checkRate(rate, noise),
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
    ...agreementOf(FAMILY, { ...defined(asked), variant }),
    ...{ variant, grade, model, noise, ...stream },
    ...(hessian === undefined ? {} : { hessian }),
    gradientLength: noise.length,
    length: noise.length + (hessian?.mechanism.dimension ?? 0),
    precision: noise.precision,
  };
}

/**
 * Gradients by the best pure randomizer of a unit vector, PrivUnitG, after one more coordinate has completed Ψ/B₀ to the sphere: pure ε
 * for each player. Recommended among all variants with pure reports.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG).
 */
export function privUnit(request: PureRequest): OnlinePlan {
  return planOf('privUnit', request);
}

/**
 * Gradients with Gaussian noise of standard deviation Δ/μ, 2B₀/μ for most models: the mechanism of both papers. With
 * `budgets` each player has its own μ, and with `hessianMu` each player also releases its Hessian.
 *
 * Guarantee: μ-Gaussian differential privacy, of the player with the largest μ; √(μ² + μ_A²) with a Hessian.
 *
 * Source: non-asymptotic paper, example 3, with the variance 4B₀²/μ² that holds; inference paper, Section 3.
 * @theorem online-inference (2.3)
 * @theorem online-inference Example 1
 * @theorem online-inference Example 2
 * @theorem online-inference Example 3
 * @theorem online-rates Example 3
 * @theorem online-rates Figure 2
 * @theorem online-rates Figure 4
 */
export function gdp(request: GdpRequest): OnlinePlan {
  return planOf('gdp', request);
}

/**
 * Gradients with Gaussian noise, calibrated exactly: (ε, δ) for each player; whole numbers on a grid for the grade `deployment`.
 *
 * Source: Balle, Wang 2018 (analytic Gaussian mechanism).
 * @theorem online-rates Example 2
 */
export function gaussian(request: ApproximateRequest): OnlinePlan {
  return planOf('gaussian', request);
}

/**
 * Gradients with Laplace noise of scale 2√p·B₀/ε on each coordinate: pure ε, as {@link privUnit} with far less noise.
 *
 * Source: non-asymptotic paper, example 1.
 * @theorem online-rates Example 1
 * @theorem online-rates Figure 4
 */
export function laplace(request: PureRequest): OnlinePlan {
  return planOf('laplace', request);
}

/**
 * Example 2 of the non-asymptotic paper exactly as printed: noise of variance B₀²·8·log(1.25/δ)/ε. A reference for comparison, not for use:
 * the certificate prints the claimed (ε, δ) beside the guarantee that holds; they differ for ε < 1.
 * @theorem online-rates Example 2
 */
export function printedGaussian(request: ApproximateRequest): OnlinePlan {
  return planOf('printedGaussian', request);
}

/**
 * Example 3 of the non-asymptotic paper exactly as printed: noise of variance B₀²·4/μ. A reference for comparison, not for use: the
 * certificate prints the claimed μ beside √μ, which holds; for μ < 1 that is more.
 * @theorem online-rates Example 3
 */
export function printedGdp(request: GdpRequest): OnlinePlan {
  return planOf('printedGdp', request);
}

/**
 * Gradients without noise, with which a study compares private variants. A request for a guarantee or a certificate is refused.
 * @theorem online-inference (2.2)
 * @theorem online-rates (3.1)
 */
export function nonPrivate(request: StreamRequest): OnlinePlan {
  return planOf('nonPrivate', request);
}

/** Every field of a variant's request, as plain data that a device can be sent. */
export type OnlineSgdRequest = { readonly variant: Variant } & StreamRequest;

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 * @throws TypeError or RangeError naming the field.
 */
export function onlineSgdPlan(request: OnlineSgdRequest): OnlinePlan {
  const { variant, ...asked } = request;
  return planOf(checkWord('variant', variant, VARIANTS), asked);
}

const INFERENCES = ['batch means', 'disjoint batch means', 'plug-in'] as const;

/** What a server may keep for intervals besides random scaling, which it always keeps: see `OnlineState`. */
export type Inference = (typeof INFERENCES)[number];

/** What a server does with a report of an earlier step. Every behaviour except a refusal has to be requested. */
const STALE_POLICIES = ['refuse', 'accept late'] as const;

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
  readonly stale?: (typeof STALE_POLICIES)[number];
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
export interface ApproximateRequest extends PureRequest {
  readonly delta: number;
}

/** Requests μ-Gaussian differential privacy, with the same μ for all players or by a public rule. */
export interface GdpRequest extends StreamRequest {
  readonly mu?: number;
  readonly budgets?: BudgetRequest;
  /** μ_A of a second release of every player, its Hessian, for plug-in intervals; √(μ² + μ_A²) in all. */
  readonly hessianMu?: number;
}

/** Everything that players and server of a stream agree on before it starts. */
export interface OnlinePlan
  extends PublicParameters,
    Required<Pick<StreamRequest, 'rate' | 'decay' | 'burnIn' | 'batch' | 'stale' | 'inference' | 'batchScale'>> {
  readonly grade: Grade;
  readonly model: OnlineModel;
  readonly noise: OnlineNoise;
  /** The release of Hessians, after the gradient in every report; absent if there is none. */
  readonly hessian?: HessianRelease;
  /** θ₀. */
  readonly start: Float64Array;
  /** The weights of an average that forgets the start; absent if all iterates count alike. */
  readonly average?: AverageWeights;
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

/** A step size with which the noise of a first report does not take an iterate to where no report can be made. */
function checkRate(given: unknown, { deviation }: OnlineNoise): number {
  const rate = checkPositive('rate', given);
  const most = LARGEST_COEFFICIENT / Math.max(1, deviation);
  if (rate <= most) return rate;
  throw new RefusedValue('rate', `a number <= ${most}, beyond which noise alone leaves no place to report at`, rate);
}

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
  if (!Array.isArray(start)) throw new RefusedKind('start', `${dimension} numbers`, start);
  if (start.length !== dimension) throw new RefusedValue('start', `${dimension} numbers`, start.length);
  for (let i = 0; i < dimension; i++) {
    // Adding 0 turns −0 into 0, which JSON can carry.
    theta[i] = checkFinite(`start[${i}]`, start[i]) + 0;
    checkRange(`start[${i}]`, theta[i], -LARGEST_COEFFICIENT, LARGEST_COEFFICIENT);
  }
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
  // Not map, which skips the holes of an array.
  const kept = Array.from(asked, (word, i) => checkWord(`inference[${i}]`, word, INFERENCES));
  if (request.decay === 1 && kept.some((word) => word !== 'plug-in')) {
    throw new RefusedValue('inference', 'no batch means: their batches are for a decay < 1', 'batch means');
  }
  return INFERENCES.filter((word) => kept.includes(word));
}

/** An object without what is undefined in it and in the objects within, as JSON carries it. */
function defined(value: object): { readonly [name: string]: Json } {
  const isObject = (entry: unknown): entry is object =>
    entry !== null && typeof entry === 'object' && !Array.isArray(entry);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([name, entry]) => [name, isObject(entry) ? defined(entry) : entry]));
}

/** The release of Hessians at μ_A, if the model has a bounded Hessian of the form m·mᵀ. */
function hessianOf(model: OnlineModel, mu: number): HessianRelease {
  checkPositive('hessianMu', mu);
  if (model.form !== 'index' || model.hessianBound === undefined) {
    throw new RefusedValue('hessianMu', 'nothing for a model without a bounded Hessian m·mᵀ', mu);
  }
  return hessianRelease({ dimension: model.dimension, bound: model.hessianBound, mu });
}
