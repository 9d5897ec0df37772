import {
  checkBoolean,
  checkFinite,
  checkInteger,
  checkMuRange,
  checkNonNegative,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../src/check/refusal.ts';
import { checkGrade, type Grade, readWhole } from '../../src/core/request.ts';
import {
  type BoundedModel,
  type BoundedModelRequest,
  boundedModel,
  leastGradientSteps,
  leastRecords,
  squareSensitivity,
} from './model.ts';

const { sqrt } = Math;

/** The request for noisy gradient descent. */
export interface NoisyGradientDescentRequest extends NoisyFitRequest {
  /** η, at most 1/τ₂; 1/τ₂ by default. */
  readonly step?: number;
}

/** Everything that is decided before a record is read. Plain data. */
export interface NoisyGradientDescentPlan extends NoisyFitPlan {
  readonly protocol: 'noisy-gradient-descent';
  readonly variant: 'descent';
  /** η. */
  readonly step: number;
  /** Standard deviation of the noise on every coordinate of a gradient, Δ√K/(nμ_o). */
  readonly noise: number;
}

/**
 * The plan of noisy gradient descent θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − η·((1/n)·Σ Ψ(z_i, θ⁽ᵏ⁾) + (2B√K/(nμ))·Z_k), Z_k standard normal, with regions
 * by default. 2B is the sensitivity of the sum; if a smaller one is known (for a joint scale), that one is used.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * Source: slides of Avella-Medina (2023), noisy gradient descent; Avella-Medina, Bradshaw, Loh (2023).
 * @throws TypeError or RangeError naming the field: a μ outside 1e-9 to 1e100, K ≤ 0, a loss without bounds, η above 1/τ₂; RangeError for a K or an n
 * below what the theorem requires, unless forced.
 * @theorem slides Noisy gradient descent
 */
export function descent(request: NoisyGradientDescentRequest): NoisyGradientDescentPlan {
  return readPlan('descent', request, descentOf);
}

/** The plan of a request, of which a field that its algorithm or its model does not read is refused: it would change nothing. */
export function readPlan<Asked extends NoisyFitRequest & { readonly grade?: Grade }, Plan>(
  variant: string,
  asked: Asked,
  make: (given: Asked) => Plan,
): Plan {
  const whole = (given: Asked): Plan => {
    checkGrade(given.grade, variant, false);
    return make(given);
  };
  return readWhole('request', asked, whole, { others: ['variant'], inside: true });
}

function descentOf(request: NoisyGradientDescentRequest): NoisyGradientDescentPlan {
  const shared = sharedPlan(
    request,
    (records, strongConvexity, smoothness) => leastGradientSteps(records, stepOf(request, smoothness), strongConvexity),
    1e6,
  );
  const { plan, optimization, smoothness } = shared;
  const { model, records, steps } = plan;
  const step = stepOf(request, smoothness);
  shared.checkRecords(optimization);
  const noise = (model.scoreSensitivity * Math.sqrt(steps)) / (records * optimization);
  return { protocol: 'noisy-gradient-descent', variant: 'descent', ...plan, step, noise };
}

function stepOf(request: NoisyGradientDescentRequest, smoothness: number): number {
  const step = checkPositive('step', request.step ?? 1 / smoothness);
  if (!(step <= 1 / smoothness)) {
    throw new RefusedValue('step', `a number <= ${1 / smoothness}, which is 1/smoothness`, step);
  }
  return step;
}

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
  /** Whether a private sandwich is released too, for confidence regions (default); else the algorithm has all of μ. */
  readonly regions?: boolean;
  /** How μ² is divided with regions; .5, .2 and .3 by default. */
  readonly split?: BudgetSplit;
  /** Eigenvalues of a released Hessian below it are raised to it; τ₁/2 by default. With 0 such a Hessian is refused. */
  readonly hessianFloor?: number;
  /** How noise on matrices is calibrated; `exact` by default. */
  readonly matrixCalibration?: MatrixCalibration;
  /** τ₁ of the theorems, a public belief at no privacy cost: curvature near the minimiser; 10 % of τ₂ by default. */
  readonly strongConvexity?: number;
  /**
   * τ₂, the largest curvature, also a public belief; gradient steps are 1/τ₂ by default. The default is B̄. It always
   * holds, but it is far too large for a joint scale far from its lower bound.
   */
  readonly smoothness?: number;
  /** r > 0: radius around the minimiser in which τ₁ holds. Without it the condition on n asks for noise below B. */
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

const DEFAULT_SPLIT: BudgetSplit = { optimization: 0.5, hessian: 0.2, scores: 0.3 };

/** Standard deviations of the noise on the two matrices of the sandwich. */
export interface SandwichNoise {
  readonly hessian: number;
  readonly scores: number;
}

/** A factor a little below 1, so that rounding never makes the composition of parts exceed the total. */
const WITHIN = 1 - 2 ** -48;

/** How a budget is divided: μ·√share for every part. */
function shareBudget(
  mu: number,
  records: number,
  { hessianBound, scoreBound }: BoundedModel,
  request: Pick<NoisyFitRequest, 'regions' | 'split'>,
  hessianSensitivity: (bound: number) => number,
): Pick<SharedPlan, 'optimization'> & Pick<NoisyFitPlan, 'sandwich'> {
  const whole = WITHIN * mu;
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
  return {
    optimization: whole * sqrt(optimization),
    sandwich: {
      hessian: hessianSensitivity(hessianBound) / (records * whole * sqrt(hessian)),
      scores: hessianSensitivity(scoreBound * scoreBound) / (records * whole * sqrt(scores)),
    },
  };
}

/** What both algorithms decide before they read a record. Plain data. */
export interface NoisyFitPlan
  extends Required<Pick<NoisyFitRequest, 'mu' | 'records' | 'steps' | 'strongConvexity' | 'hessianFloor'>> {
  readonly model: BoundedModel;
  readonly start: Float64Array;
  /** The noise on the matrices of the sandwich; absent without regions. */
  readonly sandwich?: SandwichNoise;
}

/** The part of a plan that all algorithms share, and further values that follow from a request. */
interface SharedPlan {
  readonly plan: NoisyFitPlan;
  /** τ₂. */
  readonly smoothness: number;
  /** μ of all steps together. */
  readonly optimization: number;
  /** The sensitivity for the calibration of noise on a matrix of factors with ‖a‖² ≤ bound. */
  calibrated(bound: number): number;
  /** Unless forced, refuses an n below `further`, and one for which noise on all K gradients (at μ) breaks the analysis. */
  checkRecords(mu: number, further?: number): void;
}

/**
 * The shared part of a plan, every field refused by name. `leastSteps` gives the number that the theorem requires, and a K below it is
 * refused unless forced; `most` is the largest sensible number, `usual` the default.
 */
export function sharedPlan(
  request: NoisyFitRequest,
  leastSteps: (records: number, strongConvexity: number, smoothness: number) => number,
  most: number,
  usual?: number,
): SharedPlan {
  const { matrixCalibration = 'exact', force = false } = request;
  checkBoolean('force', force);
  const mu = checkMuRange(request.mu);
  const records = checkInteger('records', request.records, 1);
  const model = boundedModel(request.model);
  const smoothness = checkPositive('smoothness', request.smoothness ?? model.hessianBound);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity ?? 0.1 * smoothness);
  if (!(strongConvexity <= smoothness)) {
    throw new RefusedValue('strongConvexity', `a number <= ${smoothness}, the smoothness`, strongConvexity);
  }
  const hessianFloor = checkNonNegative('hessianFloor', request.hessianFloor ?? strongConvexity / 2);
  const least = leastSteps(records, strongConvexity, smoothness);
  const steps = checkInteger('steps', request.steps ?? usual ?? least, 1, most);
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

/** θ⁽⁰⁾ of a request. */
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

/** How noise on a matrix is calibrated: to the exact sensitivity √2·B̄/n, or to the printed 2B̄/n. */
type MatrixCalibration = 'exact' | 'printed';

/**
 * The sensitivity that a calibration uses: {@link squareSensitivity}, or the printed 2·bound, which gives √2 times the needed noise.
 *
 * Source: slides of Avella-Medina (2023), noisy Newton, for the printed one.
 */
export function calibratedSensitivity(bound: number, calibration: MatrixCalibration): number {
  checkWord('matrixCalibration', calibration, ['exact', 'printed']);
  return calibration === 'printed' ? 2 * checkPositive('bound', bound) : squareSensitivity(bound);
}
