import {
  checkBoolean,
  checkFinite,
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../../src/check/refusal.ts';
import type { PlainRequest, PublicParameters } from '../../../src/core/contract.ts';
import { digestOf, type Json } from '../../../src/core/digest.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import { fillNormal, type Random } from '../../../src/random/random.ts';
import { type BoundedModel, type BoundedModelRequest, boundedModel, leastRecords } from './model.ts';

const { sqrt, SQRT2 } = Math;

/** The request for both noisy algorithms. */
export interface NoisyFitRequest {
  /** μ > 0: the Gaussian guarantee of everything that is released together. */
  readonly mu: number;
  /** n, public: neighbouring data differ in one record, not in the number of records. */
  readonly records: number;
  /** What is fitted. */
  readonly model: BoundedModelRequest;
  /** θ⁽⁰⁾, public; zeros by default, and σ = 1 (or its lower bound, if that is larger) for a joint scale. */
  readonly start?: readonly number[];
  /** K; by default the least that the theorem requires. */
  readonly steps?: number;
  /**
   * Whether a private sandwich is also released, for confidence regions; true by default. Without it the algorithm has
   * all of μ.
   */
  readonly regions?: boolean;
  /** How μ² is divided with regions; .5, .2 and .3 by default. */
  readonly split?: BudgetSplit;
  /** Eigenvalues of a released Hessian below it are raised to it; τ₁/2 by default. With 0 such a Hessian is refused. */
  readonly hessianFloor?: number;
  /** How noise on matrices is calibrated; `exact` by default. */
  readonly matrixCalibration?: MatrixCalibration;
  /** τ₁ of the theorems, a public belief that costs no privacy: curvature around the minimiser; 10 % of τ₂ by default. */
  readonly strongConvexity?: number;
  /**
   * τ₂, the largest curvature, also a public belief; gradient steps are 1/τ₂ by default. The default is B̄. It always
   * holds, but it is far too large for a joint scale far from its lower bound.
   */
  readonly smoothness?: number;
  /**
   * r > 0: the radius around the minimiser in which τ₁ holds. Without it the condition on n requires only noise below
   * B.
   */
  readonly radius?: number;
  /** Continues even if K or n is below what the theorem requires. The guarantee still holds. */
  readonly force?: boolean;
}

/** Shares of μ²: positive, with a sum of at most 1. */
interface BudgetSplit {
  /** For all steps of the algorithm. */
  readonly optimization: number;
  /** For the Hessian at the last iterate. */
  readonly hessian: number;
  /** For the second moment of scores at the last iterate. */
  readonly scores: number;
}

/** The default split: the second moment has the larger sensitivity of the two matrices. */
const DEFAULT_SPLIT: BudgetSplit = { optimization: 0.5, hessian: 0.2, scores: 0.3 };

/** Standard deviations of the noise on the two matrices of the sandwich. */
export interface SandwichNoise {
  readonly hessian: number;
  readonly scores: number;
}

/** μ of the algorithm, and the noise of the sandwich if there is one. */
interface SharedBudget {
  /** μ of all steps together. */
  readonly optimization: number;
  readonly sandwich?: SandwichNoise;
}

/** A factor a little below 1, so that rounding never makes the composition of parts exceed the total. */
const WITHIN = 1 - 2 ** -48;

/**
 * How a budget is divided: μ·√share for every part.
 *
 * @throws TypeError or RangeError for shares that are not positive or whose sum is above 1.
 */
function shareBudget(
  mu: number,
  records: number,
  model: BoundedModel,
  request: Pick<NoisyFitRequest, 'regions' | 'split'>,
  hessianSensitivity: (bound: number) => number,
): SharedBudget {
  const whole = WITHIN * checkPositive('mu', mu);
  const { regions = true, split = DEFAULT_SPLIT } = request;
  checkBoolean('regions', regions);
  if (!regions) {
    if (request.split !== undefined) throw new RefusedValue('split', 'nothing without regions', request.split);
    return { optimization: whole };
  }
  const optimization = checkPositive('split.optimization', split.optimization);
  const hessian = checkPositive('split.hessian', split.hessian);
  const scores = checkPositive('split.scores', split.scores);
  const total = optimization + hessian + scores;
  if (!(total <= 1 + 2 ** -50)) throw new RefusedValue('split', 'shares of at most 1 together', total);
  const { hessianBound, scoreBound } = model;
  return {
    optimization: whole * sqrt(optimization),
    sandwich: {
      hessian: hessianSensitivity(hessianBound) / (records * whole * sqrt(hessian)),
      scores: hessianSensitivity(scoreBound * scoreBound) / (records * whole * sqrt(scores)),
    },
  };
}

/** What both algorithms decide before they read a record. Plain data. */
export interface NoisyFitPlan {
  readonly mu: number;
  /** n. */
  readonly records: number;
  readonly model: BoundedModel;
  readonly start: Float64Array;
  /** K. */
  readonly steps: number;
  /** τ₁. */
  readonly strongConvexity: number;
  readonly hessianFloor: number;
  /** The noise on the matrices of the sandwich; absent without regions. */
  readonly sandwich?: SandwichNoise;
}

/** The part of a plan that both algorithms share, and further values that follow from a request. */
export interface SharedPlan {
  readonly plan: NoisyFitPlan;
  /** τ₂. */
  readonly smoothness: number;
  /** μ of all steps together. */
  readonly optimization: number;
  /** The sensitivity for the calibration of noise on a matrix of factors with ‖a‖² ≤ bound. */
  calibrated(bound: number): number;
  /**
   * Unless forced, refuses an n below `further`, and an n for which noise on all K gradients (together at μ) breaks the
   * analysis.
   *
   * @throws RangeError.
   */
  checkRecords(mu: number, further?: number): void;
}

/**
 * The shared part of a plan. `leastSteps` gives the number that the theorem requires, from n and the curvatures; `most`
 * is the largest sensible number.
 *
 * @throws TypeError or RangeError naming the field: μ ≤ 0, K ≤ 0, a loss without bounds; RangeError for a K below what
 * the theorem requires, unless forced.
 */
export function sharedPlan(
  request: NoisyFitRequest,
  leastSteps: (records: number, curvatures: Curvatures) => number,
  most: number,
): SharedPlan {
  if (request === null || typeof request !== 'object') throw new RefusedKind('request', 'an object', request);
  const { matrixCalibration = 'exact', force = false } = request;
  const mu = checkPositive('mu', request.mu);
  const records = checkInteger('records', request.records, 1);
  const model = boundedModel(request.model);
  const curvatures = curvaturesOf(model, request);
  const { strongConvexity, smoothness, hessianFloor } = curvatures;
  const least = leastSteps(records, curvatures);
  const steps = checkInteger('steps', request.steps ?? least, 1, most);
  const calibrated = (bound: number): number => calibratedSensitivity(bound, matrixCalibration);
  const { optimization, sandwich } = shareBudget(mu, records, model, request, calibrated);
  const refuse = (name: string, value: number, enough: number): void => {
    if (force || value >= enough) return;
    throw new RefusedValue(name, `at least ${enough}, what the theorem asks for, or force: true`, value);
  };
  refuse('steps', steps, least);
  const start = startOf(model, request.start);
  const shared = { mu, records, model, start, steps, strongConvexity, hessianFloor };
  return {
    plan: { ...shared, ...(sandwich === undefined ? {} : { sandwich }) },
    smoothness,
    optimization,
    calibrated,
    checkRecords(gradientMu, further = 1) {
      const { dimension, scoreBound, scoreSensitivity: sensitivity } = model;
      const radius = request.radius === undefined ? undefined : checkPositive('radius', request.radius);
      const largestNoise = radius === undefined ? scoreBound : radius * strongConvexity;
      const condition = { dimension, steps, mu: gradientMu, sensitivity, largestNoise };
      refuse('records', records, Math.max(leastRecords(condition), further));
    },
  };
}

/** The releases of a sandwich, with their exact cost. */
export function sandwichReleases(
  { hessianBound, scoreBound }: BoundedModel,
  records: number,
  noise: SandwichNoise | undefined,
): readonly Release[] {
  if (noise === undefined) return [];
  return [
    gaussianRelease({
      what: 'Hessian at the last iterate',
      count: 1,
      sensitivity: squareSensitivity(hessianBound) / records,
      sigma: noise.hessian,
    }),
    gaussianRelease({
      what: 'second moment of scores at the last iterate',
      count: 1,
      sensitivity: squareSensitivity(scoreBound * scoreBound) / records,
      sigma: noise.scores,
    }),
  ];
}

/**
 * θ⁽⁰⁾ of a request.
 *
 * @throws TypeError or RangeError for a wrong length, an entry that is not finite, or a scale below its bound.
 */
function startOf(model: BoundedModel, start: readonly number[] | undefined): Float64Array {
  const { dimension, leastScale } = model;
  const theta = new Float64Array(dimension);
  if (start === undefined) {
    if (leastScale !== undefined) theta[dimension - 1] = Math.max(1, leastScale);
    return theta;
  }
  if (!Array.isArray(start)) throw new RefusedKind('start', 'an array of numbers', start);
  if (start.length !== dimension) throw new RefusedValue('start', `${dimension} numbers`, start.length);
  for (let i = 0; i < dimension; i++) theta[i] = checkFinite(`start[${i}]`, start[i]);
  if (leastScale !== undefined && !(theta[dimension - 1] >= leastScale)) {
    throw new RefusedValue(`start[${dimension - 1}]`, `a scale >= ${leastScale}`, theta[dimension - 1]);
  }
  return theta;
}

/** τ₁, τ₂ and the floor of eigenvalues of a request. */
export interface Curvatures {
  readonly strongConvexity: number;
  readonly smoothness: number;
  /** 0 means that a Hessian which is not positive definite is refused. */
  readonly hessianFloor: number;
}

/**
 * The curvatures of a request.
 *
 * @throws TypeError or RangeError unless 0 < τ₁ ≤ τ₂ and the floor is ≥ 0.
 */
function curvaturesOf({ hessianBound }: BoundedModel, request: Partial<Curvatures>): Curvatures {
  const smoothness = checkPositive('smoothness', request.smoothness ?? hessianBound);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity ?? 0.1 * smoothness);
  if (!(strongConvexity <= smoothness)) {
    throw new RefusedValue('strongConvexity', `a number <= ${smoothness}, the smoothness`, strongConvexity);
  }
  const hessianFloor = checkNonNegative('hessianFloor', request.hessianFloor ?? strongConvexity / 2);
  return { strongConvexity, smoothness, hessianFloor };
}

/** Moves σ back to its lower bound after a noisy step. The iterate was released, so this costs no privacy. */
export function keepScale({ dimension, leastScale }: BoundedModel, theta: Float64Array): void {
  const last = dimension - 1;
  if (leastScale !== undefined && theta[last] < leastScale) theta[last] = leastScale;
}

/** How noise on a matrix is calibrated: to the exact sensitivity √2·B̄/n, or to the printed 2B̄/n. */
const MATRIX_CALIBRATIONS = ['exact', 'printed'] as const;

/** One of {@link MATRIX_CALIBRATIONS}. */
type MatrixCalibration = (typeof MATRIX_CALIBRATIONS)[number];

/**
 * sup ‖vech(a·aᵀ − b·bᵀ)‖₂ over ‖a‖², ‖b‖² ≤ bound: √2·bound, reached by multiples of two coordinate axes. vech lists
 * the distinct entries; their norm is at most the Frobenius norm, and there ‖aaᵀ − bbᵀ‖² = ‖a‖⁴ + ‖b‖⁴ − 2⟨a,
 * b⟩² ≤ 2·bound².
 *
 * @throws TypeError or RangeError unless the bound is finite and > 0.
 */
export function squareSensitivity(bound: number): number {
  return SQRT2 * checkPositive('bound', bound);
}

/**
 * The sensitivity that a calibration uses: {@link squareSensitivity}, or the printed 2·bound, which gives √2 times the
 * needed noise.
 *
 * Source: slides of Avella-Medina (2023), noisy Newton, for the printed one.
 *
 * @throws TypeError or RangeError for a bound that is not finite and > 0, or an unknown calibration.
 */
export function calibratedSensitivity(bound: number, calibration: MatrixCalibration): number {
  checkWord('matrixCalibration', calibration, MATRIX_CALIBRATIONS);
  return calibration === 'printed' ? 2 * checkPositive('bound', bound) : squareSensitivity(bound);
}

/**
 * The symmetric-matrix mechanism: adds independent N(0, σ²) to each of the p(p + 1)/2 distinct entries of a packed symmetric
 * matrix. Simulation-grade normals.
 */
export function addSymmetricNoise(packed: Float64Array, sigma: number, random: Random): void {
  const noise = new Float64Array(packed.length);
  fillNormal(noise, random);
  for (let k = 0; k < packed.length; k++) packed[k] += sigma * noise[k];
}

/** The version of the laws of both noisy algorithms. */
const VERSION = 1;

/** The shared part of the two plans that a digest needs; all other entries of a plan are numbers. */
interface AnyPlan {
  readonly protocol: string;
  readonly variant: string;
  readonly model: BoundedModel;
  readonly start: Float64Array;
}

/**
 * A plan with the fields to which certificates bind it: a version, and the digest of all its numbers and of the
 * requested model.
 *
 * @throws RangeError for a model with a number that JSON cannot carry.
 */
export function named<Plan extends AnyPlan>(plan: Plan, request: PlainRequest): Plan & PublicParameters {
  const { model: _, start, ...numbers } = plan;
  const bound = { ...numbers, version: VERSION, model: request.model, start: Array.from(start) };
  return { ...plan, version: VERSION, digest: digestOf(bound as unknown as Json), request };
}
