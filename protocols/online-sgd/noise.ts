import { type Budget, checkBudget } from '../../src/check/budget.ts';
import { checkPositive, refusal } from '../../src/check/number.ts';
import { choosePrecision, type Precision } from '../../src/core/frame.ts';
import type { Grade } from '../../src/core/grade.ts';
import { integerNoise } from '../../src/core/integer-noise.ts';
import type { DiscreteGaussianMechanism } from '../../src/mechanism/discrete-gaussian.ts';
import { K_CLOSEST_WORDS, type KClosest, kClosest } from '../../src/mechanism/k-closest.ts';
import { type PrivUnitG, privUnitG } from '../../src/mechanism/priv-unit-gaussian.ts';
import { analyticGaussianSigma } from '../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp, pure } from '../../src/privacy/guarantee.ts';
import { nextAbove, nextBelow, quotientAbove } from '../../src/privacy/rounding.ts';
import type { OnlineModel } from '../../src/risk/regression/model.ts';
import { type BudgetRequest, type Budgets, budgetsOf, largestMu, meanInverseSquare, smallestMu } from './budgets.ts';

const { log, max, min, SQRT2, sqrt } = Math;

/** What noise of every law says of itself, computed once. Plain data, all of it public. */
interface AnyNoise {
  /** Entries of the report of a gradient. */
  readonly length: number;
  /** How they travel. */
  readonly precision: Precision;
  /** What one unit of what is randomized is in units of the gradient: B₀ where that is Ψ/B₀. */
  readonly unit: number;
  /** Standard deviation of one coordinate of what a report stands for, of the player with the most noise. Units: of the gradient. */
  readonly deviation: number;
  /** The variance of one coordinate, in the mean over players. */
  readonly variance: number;
  /** What one report guarantees, whoever sends it; absent where nothing is. */
  readonly guarantee?: Guarantee;
  /** What a paper prints for it, where that is something else. */
  readonly claimed?: Guarantee;
}

/** Independent normal noise on each coordinate of the gradient: σ, or sensitivity/μ by place where budgets differ. */
export interface GaussianNoise extends AnyNoise {
  readonly law: 'gaussian';
  /** σ, of the player with the smallest budget where they differ. */
  readonly sigma: number;
  /** Who has which μ; absent where all have the same. */
  readonly budgets?: Budgets;
}

/** Independent Laplace noise on each coordinate. */
export interface LaplaceNoise extends AnyNoise {
  readonly law: 'laplace';
  readonly scale: number;
  /** The ℓ₁ sensitivity that the scale is calibrated to, √p times the ℓ₂ one. */
  readonly absoluteSensitivity: number;
  readonly guarantee: Guarantee;
}

/** A pure randomizer of Ψ/B₀, completed to the unit sphere by one coordinate. */
export interface UnitNoise extends AnyNoise {
  readonly law: 'unit';
  readonly mechanism: PrivUnitG | KClosest;
}

/** Whole-number noise on the grid point of Ψ/B₀. */
export interface GridNoise extends AnyNoise {
  readonly law: 'grid';
  readonly mechanism: DiscreteGaussianMechanism;
}

/** No noise: for studies of what privacy costs, and no guarantee. */
export interface NoNoise extends AnyNoise {
  readonly law: 'none';
}

/** What is done to a player's gradient. */
export type OnlineNoise = GaussianNoise | LaplaceNoise | UnitNoise | GridNoise | NoNoise;

/** μ of all players, or of each by a public rule. */
interface GaussianBudget {
  readonly mu?: number;
  readonly budgets?: BudgetRequest;
}

/** Values stay within 8 standard deviations of the gradients for all but 1 in 10¹⁵. Both in units of the values. */
function floats(deviation: number, largest: number): Precision {
  return choosePrecision(deviation, largest + 8 * deviation);
}

/** What is the same for all noise that is added to the gradient itself. */
function added(model: OnlineModel, deviation: number) {
  const precision = floats(deviation, model.gradientBound);
  return { length: model.dimension, precision, unit: 1, deviation, variance: deviation * deviation } as const;
}

function normalNoise(model: OnlineModel, sigma: number, claims: Pick<AnyNoise, 'guarantee' | 'claimed'> = {}) {
  const guarantee = gdp(quotientAbove(model.sensitivity, sigma));
  return { law: 'gaussian', sigma, ...added(model, sigma), guarantee, ...claims } as const;
}

/** The gradient as it is. */
export function noNoise(model: OnlineModel): NoNoise {
  return { law: 'none', ...added(model, 0) };
}

/**
 * Laplace noise of scale √p·Δ₂/ε, where Δ₂ is the ℓ₂ sensitivity: pure ε.
 *
 * Source: non-asymptotic paper, example 1.
 *
 * @throws TypeError or RangeError unless ε is finite and > 0.
 * @theorem online-rates Definition 3
 * @theorem online-rates Example 1
 */
export function laplaceNoise(model: OnlineModel, request: Pick<Budget, 'epsilon'>): LaplaceNoise {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const absoluteSensitivity = sqrt(model.dimension) * model.sensitivity;
  const scale = absoluteSensitivity / epsilon;
  const spread = { ...added(model, SQRT2 * scale), variance: 2 * scale * scale };
  return { law: 'laplace', scale, absoluteSensitivity, ...spread, guarantee: pure(epsilon) };
}

/**
 * Gaussian noise calibrated to (ε, δ) exactly; whole numbers on a grid for the grade `deployment`.
 *
 * @throws TypeError or RangeError unless ε > 0 and 0 < δ < 1.
 */
export function gaussianNoise(model: OnlineModel, request: Budget, grade: Grade): GaussianNoise | GridNoise {
  const { epsilon, delta } = checkBudget(request);
  const { dimension, sensitivity, gradientBound } = model;
  if (grade === 'deployment') {
    const mechanism = integerNoise({ epsilon, delta, dimension, sensitivity: min(2, sensitivity / gradientBound) });
    const { guarantee, coordinateVariance } = mechanism;
    const deviation = gradientBound * sqrt(max(0, coordinateVariance));
    const spread = { deviation, variance: gradientBound ** 2 * coordinateVariance };
    return { law: 'grid', mechanism, length: dimension, precision: 'int32', unit: gradientBound, ...spread, guarantee };
  }
  const sigma = analyticGaussianSigma({ epsilon, delta, sensitivity });
  return normalNoise(model, sigma, { guarantee: approximate({ epsilon, delta }) });
}

/**
 * Gaussian noise of standard deviation Δ₂/μ, 2B₀/μ for most models: μ-Gaussian differential privacy, for each player at a μ of its
 * own where budgets are given.
 *
 * @throws TypeError or RangeError for a μ that is not finite and > 0, or for both or none of μ and budgets.
 */
export function gdpNoise(model: OnlineModel, { mu, budgets: asked }: GaussianBudget): GaussianNoise {
  if ((mu === undefined) === (asked === undefined)) {
    throw new RangeError(refusal('mu', 'either one number or "budgets"', mu));
  }
  const { sensitivity } = model;
  if (asked === undefined) return normalNoise(model, sensitivity / checkPositive('mu', mu));
  const budgets = budgetsOf(asked);
  const guarantee = gdp(largestSpent(sensitivity, budgets));
  const noise = normalNoise(model, sensitivity / smallestMu(budgets), { guarantee });
  return { ...noise, budgets, variance: sensitivity ** 2 * meanInverseSquare(budgets) };
}

/** The largest Δ/σ of any player, whose own σ is Δ/μ in doubles. */
function largestSpent(sensitivity: number, budgets: Budgets): number {
  const largest = largestMu(budgets);
  if (budgets.rule === 'list') {
    return budgets.mus.reduce((most, mu) => max(most, quotientAbove(sensitivity, sensitivity / mu)), largest);
  }
  // All are below `high` by more than the rounding of a quotient, unless the range is that narrow.
  const narrow = budgets.low + (budgets.high - budgets.low) * (1 - 2 ** -33) >= nextBelow(largest);
  return narrow ? nextAbove(largest) : largest;
}

/**
 * Example 2 of the non-asymptotic paper as printed: variance B₀²·8·log(1.25/δ)/ε, where (ε, δ) needs ε². For ε < 1 too little.
 *
 * @throws TypeError or RangeError unless ε > 0 and 0 < δ < 1.
 * @theorem online-rates Example 2
 */
export function printedGaussianNoise(model: OnlineModel, request: Budget): GaussianNoise {
  const { epsilon, delta } = checkBudget(request);
  const sigma = model.gradientBound * sqrt((8 * log(1.25 / delta)) / epsilon);
  return normalNoise(model, sigma, { claimed: approximate({ epsilon, delta }) });
}

/**
 * Example 3 of the non-asymptotic paper as printed: variance B₀²·4/μ, where μ-Gaussian privacy needs μ². For μ < 1 too little.
 *
 * @throws TypeError or RangeError unless μ is finite and > 0.
 * @theorem online-rates Example 3
 */
export function printedGdpNoise(model: OnlineModel, request: GaussianBudget): GaussianNoise {
  const mu = checkPositive('mu', request.mu);
  return normalNoise(model, model.gradientBound * sqrt(4 / mu), { claimed: gdp(mu) });
}

/**
 * The best pure randomizer of Ψ/B₀, whose norm is hidden by one more coordinate: PrivUnitG, k-closest encoding for `deployment`.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500.
 */
export function unitNoise(model: OnlineModel, { epsilon }: Pick<Budget, 'epsilon'>, grade: Grade): UnitNoise {
  const asked = { epsilon, dimension: model.dimension + 1 };
  const mechanism = grade === 'deployment' ? kClosest(asked) : privUnitG(asked);
  const { coordinateVariance, guarantee } = mechanism;
  const { gradientBound: unit } = model;
  const deviation = unit * sqrt(coordinateVariance);
  const spread = { unit, deviation, variance: unit ** 2 * coordinateVariance, guarantee };
  if (mechanism.name === 'k-closest') {
    return { law: 'unit', mechanism, length: K_CLOSEST_WORDS, precision: 'uint32', ...spread };
  }
  return { law: 'unit', mechanism, length: mechanism.dimension, precision: floats(deviation / unit, 1), ...spread };
}
