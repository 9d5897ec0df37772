import { checkBudget } from '../../src/check/budget.ts';
import { checkPositive, refusal } from '../../src/check/number.ts';
import type { Grade } from '../../src/core/grade.ts';
import { integerNoise } from '../../src/core/integer-noise.ts';
import type { DiscreteGaussianMechanism } from '../../src/mechanism/discrete-gaussian.ts';
import { K_CLOSEST_WORDS, type KClosest, kClosest } from '../../src/mechanism/k-closest.ts';
import { type PrivUnitG, privUnitG } from '../../src/mechanism/priv-unit-gaussian.ts';
import { analyticGaussianSigma } from '../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp, pure } from '../../src/privacy/guarantee.ts';
import { nextAbove, nextBelow, quotientAbove } from '../../src/privacy/rounding.ts';
import type { OnlineModel } from '../../src/risk/regression/model.ts';
import { type BudgetRequest, type Budgets, budgetsOf, largestMu, smallestMu } from './budgets.ts';

const { log, max, min, SQRT2, sqrt } = Math;

/** Independent normal noise on each coordinate of the gradient: σ, or sensitivity/μ by place where budgets differ. */
export interface GaussianNoise {
  readonly law: 'gaussian';
  /** σ, of the player with the smallest budget where they differ. */
  readonly sigma: number;
  /** Who has which μ; absent where all have the same. */
  readonly budgets?: Budgets;
  /** What one report guarantees, whoever sends it. */
  readonly guarantee: Guarantee;
  /** What a paper prints for it. */
  readonly claimed?: Guarantee;
}

/** Independent Laplace noise on each coordinate. */
export interface LaplaceNoise {
  readonly law: 'laplace';
  readonly scale: number;
  /** The ℓ₁ sensitivity that the scale is calibrated to, √p times the ℓ₂ one. */
  readonly absoluteSensitivity: number;
  readonly guarantee: Guarantee;
}

/** A pure randomizer of Ψ/B₀, completed to the unit sphere by one coordinate. */
export interface UnitNoise {
  readonly law: 'unit';
  readonly mechanism: PrivUnitG | KClosest;
  readonly guarantee: Guarantee;
}

/** Whole-number noise on the grid point of Ψ/B₀. */
export interface GridNoise {
  readonly law: 'grid';
  readonly mechanism: DiscreteGaussianMechanism;
  readonly guarantee: Guarantee;
}

/** No noise: for studies of what privacy costs, and no guarantee. */
export interface NoNoise {
  readonly law: 'none';
}

/** What is done to a player's gradient. */
export type OnlineNoise = GaussianNoise | LaplaceNoise | UnitNoise | GridNoise | NoNoise;

/** An (ε, δ) budget and a grade. */
export interface NoiseBudget {
  readonly epsilon: number;
  readonly delta: number;
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
export function laplaceNoise(model: OnlineModel, epsilon: number): LaplaceNoise {
  checkPositive('epsilon', epsilon);
  const absoluteSensitivity = sqrt(model.dimension) * model.sensitivity;
  return { law: 'laplace', scale: absoluteSensitivity / epsilon, absoluteSensitivity, guarantee: pure(epsilon) };
}

/**
 * Gaussian noise calibrated to (ε, δ) exactly; whole numbers on a grid for the grade `deployment`.
 *
 * @throws TypeError or RangeError unless ε > 0 and 0 < δ < 1.
 */
export function gaussianNoise(model: OnlineModel, request: NoiseBudget, grade: Grade): GaussianNoise | GridNoise {
  const { epsilon, delta } = checkBudget(request);
  const { dimension, sensitivity, gradientBound } = model;
  if (grade === 'deployment') {
    const asked = { epsilon, delta, dimension, sensitivity: min(2, sensitivity / gradientBound) };
    const mechanism = integerNoise(asked);
    return { law: 'grid', mechanism, guarantee: mechanism.guarantee };
  }
  const sigma = analyticGaussianSigma({ epsilon, delta, sensitivity });
  const claimed = approximate({ epsilon, delta });
  return { law: 'gaussian', sigma, guarantee: gdp(quotientAbove(sensitivity, sigma)), claimed };
}

/**
 * Gaussian noise of standard deviation Δ₂/μ, 2B₀/μ for most models: μ-Gaussian differential privacy, for each player at a μ of its
 * own where budgets are given.
 *
 * @throws TypeError or RangeError for a μ that is not finite and > 0, or for both or none of μ and budgets.
 */
export function gdpNoise(
  model: OnlineModel,
  request: { readonly mu?: number; readonly budgets?: BudgetRequest },
): GaussianNoise {
  const { mu } = request;
  if ((mu === undefined) === (request.budgets === undefined)) {
    throw new RangeError(refusal('mu', 'either one number or "budgets"', mu));
  }
  if (request.budgets === undefined) {
    const sigma = model.sensitivity / checkPositive('mu', mu);
    return { law: 'gaussian', sigma, guarantee: gdp(quotientAbove(model.sensitivity, sigma)) };
  }
  const budgets = budgetsOf(request.budgets);
  const sigma = model.sensitivity / smallestMu(budgets);
  return { law: 'gaussian', sigma, budgets, guarantee: gdp(largestSpent(model.sensitivity, budgets)) };
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
export function printedGaussianNoise(model: OnlineModel, request: NoiseBudget): GaussianNoise {
  const { epsilon, delta } = checkBudget(request);
  const sigma = model.gradientBound * sqrt((8 * log(1.25 / delta)) / epsilon);
  return {
    law: 'gaussian',
    sigma,
    guarantee: gdp(quotientAbove(model.sensitivity, sigma)),
    claimed: approximate({ epsilon, delta }),
  };
}

/**
 * Example 3 of the non-asymptotic paper as printed: variance B₀²·4/μ, where μ-Gaussian privacy needs μ². For μ < 1 too little.
 *
 * @throws TypeError or RangeError unless μ is finite and > 0.
 * @theorem online-rates Example 3
 */
export function printedGdpNoise(model: OnlineModel, mu: number): GaussianNoise {
  checkPositive('mu', mu);
  const sigma = model.gradientBound * sqrt(4 / mu);
  return { law: 'gaussian', sigma, guarantee: gdp(quotientAbove(model.sensitivity, sigma)), claimed: gdp(mu) };
}

/**
 * The best pure randomizer of Ψ/B₀, whose norm is hidden by one more coordinate: PrivUnitG, k-closest encoding for `deployment`.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500.
 */
export function unitNoise(model: OnlineModel, epsilon: number, grade: Grade): UnitNoise {
  const dimension = model.dimension + 1;
  const mechanism = grade === 'deployment' ? kClosest({ epsilon, dimension }) : privUnitG({ epsilon, dimension });
  return { law: 'unit', mechanism, guarantee: mechanism.guarantee };
}

/** Entries of the report of a gradient. */
export function noiseLength(model: OnlineModel, noise: OnlineNoise): number {
  if (noise.law !== 'unit') return model.dimension;
  return noise.mechanism.name === 'k-closest' ? K_CLOSEST_WORDS : noise.mechanism.dimension;
}

/** Standard deviation of one coordinate of what a report stands for, in units of the gradient; 0 without noise. */
export function noiseDeviation(model: OnlineModel, noise: OnlineNoise): number {
  switch (noise.law) {
    case 'none':
      return 0;
    case 'gaussian':
      return noise.sigma;
    case 'laplace':
      return SQRT2 * noise.scale;
    case 'unit':
      return model.gradientBound * sqrt(noise.mechanism.coordinateVariance);
    case 'grid':
      return model.gradientBound * sqrt(max(0, noise.mechanism.coordinateVariance));
  }
}
