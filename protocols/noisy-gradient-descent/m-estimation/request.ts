import { checkFinite, checkNonNegative, checkPositive, refusal } from '../../../src/check/number.ts';
import type { Release } from '../../../src/privacy/totals.ts';
import { gaussianRelease } from '../../../src/privacy/totals.ts';
import { type MatrixCalibration, squareSensitivity } from './matrix-noise.ts';
import type { BoundedModel, BoundedModelRequest } from './model.ts';

const { sqrt } = Math;

/** What both noisy algorithms are asked for. */
export interface NoisyFitRequest {
  /** μ > 0: the Gaussian guarantee of everything that is released together. */
  readonly mu: number;
  /** n, public: neighbouring data differ in one record, not in their number. */
  readonly records: number;
  /** What is fitted. */
  readonly model: BoundedModelRequest;
  /** θ⁽⁰⁾, public; zeros by default, and σ = 1 (or its lower bound, if that is larger) for a joint scale. */
  readonly start?: readonly number[];
  /** K; the least that the theorem asks for by default. */
  readonly steps?: number;
  /**
   * Whether a private sandwich is released for confidence regions as well; true by default. Without it the algorithm has all
   * of μ.
   */
  readonly regions?: boolean;
  /** How μ² is shared out with regions; .5, .2 and .3 by default. */
  readonly split?: BudgetSplit;
  /** Eigenvalues of a released Hessian below it are raised to it; τ₁/2 by default. With 0 such a Hessian is refused. */
  readonly hessianFloor?: number;
  /** How noise on matrices is calibrated; `exact` by default. */
  readonly matrixCalibration?: MatrixCalibration;
  /** τ₁ of the theorems, a public belief that costs no privacy: curvature around the minimiser; 10 % of τ₂ by default. */
  readonly strongConvexity?: number;
  /**
   * τ₂, the largest curvature, likewise: gradient steps are 1/τ₂ by default. B̄ by default, which always holds, but for a joint
   * scale far from its lower bound is far too large.
   */
  readonly smoothness?: number;
  /** r > 0: how far around the minimiser τ₁ holds. Without it the condition on n asks only for noise below B. */
  readonly radius?: number;
  /** Goes on where K or n are below what the theorem asks for. The guarantee holds all the same. */
  readonly force?: boolean;
}

/** Shares of μ², positive and at most 1 together. */
export interface BudgetSplit {
  /** For all steps of the algorithm. */
  readonly optimization: number;
  /** For the Hessian at the last iterate. */
  readonly hessian: number;
  /** For the second moment of scores there. */
  readonly scores: number;
}

/** The split where nothing else is asked for: the second moment has the larger sensitivity of the two matrices. */
export const DEFAULT_SPLIT: BudgetSplit = { optimization: 0.5, hessian: 0.2, scores: 0.3 };

/** Standard deviations of the noise on the two matrices of the sandwich. */
export interface SandwichNoise {
  readonly hessian: number;
  readonly scores: number;
}

/** μ of the algorithm, and the noise of the sandwich where there is one. */
export interface SharedBudget {
  /** μ of all steps together. */
  readonly optimization: number;
  readonly sandwich?: SandwichNoise;
}

/** A little less, so that rounding never makes the composition of parts exceed the whole. */
const WITHIN = 1 - 2 ** -48;

/**
 * How a budget is shared out: μ·√share to every part.
 *
 * @throws TypeError or RangeError for shares that are not positive or more than 1 together.
 */
export function shareBudget(
  mu: number,
  records: number,
  model: BoundedModel,
  request: Pick<NoisyFitRequest, 'regions' | 'split'>,
  hessianSensitivity: (bound: number) => number,
): SharedBudget {
  const whole = WITHIN * checkPositive('mu', mu);
  const { regions = true, split = DEFAULT_SPLIT } = request;
  if (typeof regions !== 'boolean') throw new TypeError(refusal('regions', 'true or false', regions));
  if (!regions) {
    if (request.split !== undefined) throw new RangeError(refusal('split', 'nothing without regions', request.split));
    return { optimization: whole };
  }
  const optimization = checkPositive('split.optimization', split.optimization);
  const hessian = checkPositive('split.hessian', split.hessian);
  const scores = checkPositive('split.scores', split.scores);
  const total = optimization + hessian + scores;
  if (!(total <= 1 + 2 ** -50)) throw new RangeError(refusal('split', 'shares of at most 1 together', total));
  const { hessianBound, scoreBound } = model;
  return {
    optimization: whole * sqrt(optimization),
    sandwich: {
      hessian: hessianSensitivity(hessianBound) / (records * whole * sqrt(hessian)),
      scores: hessianSensitivity(scoreBound * scoreBound) / (records * whole * sqrt(scores)),
    },
  };
}

/** The releases of a sandwich, with what they exactly cost. */
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
 * @throws TypeError or RangeError for another length, an entry that is not finite, or a scale below its bound.
 */
export function startOf(model: BoundedModel, start: readonly number[] | undefined): Float64Array {
  const { dimension, leastScale } = model;
  const theta = new Float64Array(dimension);
  if (start === undefined) {
    if (leastScale !== undefined) theta[dimension - 1] = Math.max(1, leastScale);
    return theta;
  }
  if (!Array.isArray(start)) throw new TypeError(refusal('start', 'an array of numbers', start));
  if (start.length !== dimension) throw new RangeError(refusal('start', `${dimension} numbers`, start.length));
  for (let i = 0; i < dimension; i++) theta[i] = checkFinite(`start[${i}]`, start[i]);
  if (leastScale !== undefined && !(theta[dimension - 1] >= leastScale)) {
    throw new RangeError(refusal(`start[${dimension - 1}]`, `a scale >= ${leastScale}`, theta[dimension - 1]));
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
export function curvaturesOf({ hessianBound }: BoundedModel, request: Partial<Curvatures>): Curvatures {
  const smoothness = checkPositive('smoothness', request.smoothness ?? hessianBound);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity ?? 0.1 * smoothness);
  if (!(strongConvexity <= smoothness)) {
    throw new RangeError(refusal('strongConvexity', `a number <= ${smoothness}, the smoothness`, strongConvexity));
  }
  const hessianFloor = checkNonNegative('hessianFloor', request.hessianFloor ?? strongConvexity / 2);
  return { strongConvexity, smoothness, hessianFloor };
}

/** Back to σ ≥ its lower bound after a noisy step; the iterate was released, so that this costs nothing. */
export function keepScale({ dimension, leastScale }: BoundedModel, theta: Float64Array): void {
  const last = dimension - 1;
  if (leastScale !== undefined && theta[last] < leastScale) theta[last] = leastScale;
}
