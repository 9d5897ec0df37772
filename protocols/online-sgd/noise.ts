import {
  type Budget,
  checkBudget,
  checkMuRange,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../src/check/refusal.ts';
import { choosePrecision, type Precision } from '../../src/core/frame.ts';
import { digestOf, type Grade } from '../../src/core/request.ts';
import { type DiscreteGaussianMechanism, integerNoise } from '../../src/mechanism/discrete-gaussian.ts';
import { K_CLOSEST_WORDS, type KClosest, kClosest } from '../../src/mechanism/k-closest.ts';
import { type PrivUnitG, privUnitG } from '../../src/mechanism/unit-mechanism.ts';
import { analyticGaussianSigma } from '../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp, pure } from '../../src/privacy/guarantee.ts';
import { nextAbove, nextBelow, quotientAbove } from '../../src/privacy/rounding.ts';
import { deriveKey } from '../../src/random/threefry.ts';
import type { OnlineModel } from '../../src/risk/regression/model.ts';

const { SQRT2, log, max, min, sqrt } = Math;

/**
 * How a player's μ follows from its place in the stream. `list`: entry (place − 1) mod length. `uniform`: drawn between
 * `low` and `high` by public coins, a function of seed and place. Neither depends on a datum: such a budget would
 * reveal something about it.
 */
export type BudgetRequest =
  | Extract<Budgets, { readonly rule: 'list' }>
  | { readonly rule: 'uniform'; readonly low: number; readonly high: number; readonly seed?: string };

/** The budgets of all players, by a public rule. Plain data. */
export type Budgets =
  | { readonly rule: 'list'; readonly mus: readonly number[] }
  | { readonly rule: 'uniform'; readonly low: number; readonly high: number; readonly key: Int32Array };

/** The budgets of a request, refused by name unless every μ is from 1e-9 to 1e100, and low < high. */
export function budgetsOf(request: BudgetRequest): Budgets {
  if (request === null || typeof request !== 'object') throw new RefusedKind('budgets', 'an object', request);
  checkWord('budgets.rule', request.rule, ['list', 'uniform']);
  if (request.rule === 'list') {
    if (!Array.isArray(request.mus)) throw new RefusedKind('budgets.mus', 'an array of numbers', request.mus);
    if (request.mus.length === 0) throw new RefusedValue('budgets.mus', 'at least one number', 'none');
    // Not map, which skips the holes of an array.
    return { rule: 'list', mus: Array.from(request.mus, (mu, i) => checkMuRange(mu, `budgets.mus[${i}]`)) };
  }
  const low = checkMuRange(request.low, 'budgets.low');
  const high = checkMuRange(request.high, 'budgets.high');
  if (!(low < high)) throw new RefusedValue('budgets.high', `a number > ${low}`, high);
  const { seed = '' } = request;
  if (typeof seed !== 'string') throw new RefusedKind('budgets.seed', 'a text', seed);
  const digest = digestOf({ budgets: seed });
  const key = Int32Array.from([0, 8, 16, 24], (at) => Number.parseInt(digest.slice(at, at + 8), 16) | 0);
  return { rule: 'uniform', low, high, key };
}

// Scratch of the public coins.
const drawn = new Int32Array(4);

/** μ of the player at a place, from 1. */
export function muAt(budgets: Budgets, place: number): number {
  if (budgets.rule === 'list') return budgets.mus[(place - 1) % budgets.mus.length];
  deriveKey(budgets.key, place, drawn);
  return budgets.low + (budgets.high - budgets.low) * ((drawn[0] >>> 0) + 0.5) * 2 ** -32;
}

/** The largest μ of any player: the guarantee that holds for every player. */
export function largestMu(budgets: Budgets): number {
  return budgets.rule === 'list' ? budgets.mus.reduce((a, b) => max(a, b)) : budgets.high;
}

/** The smallest μ of any player; this player has the largest noise. */
export function smallestMu(budgets: Budgets): number {
  return budgets.rule === 'list' ? budgets.mus.reduce((a, b) => min(a, b)) : budgets.low;
}

/** E[1/μ²] over places: the noise of an average is proportional to it. For the uniform law it is 1/(low·high). */
export function meanInverseSquare(budgets: Budgets): number {
  if (budgets.rule === 'uniform') return 1 / (budgets.low * budgets.high);
  return budgets.mus.reduce((sum, mu) => sum + 1 / (mu * mu), 0) / budgets.mus.length;
}

/** The description that every law of noise has, computed once. Plain data, all of it public. */
interface AnyNoise {
  /** The number of entries of the report of a gradient, and the precision with which they are sent. */
  readonly length: number;
  readonly precision: Precision;
  /** One unit of the randomized vector, in units of the gradient: B₀ if the vector is Ψ/B₀. */
  readonly unit: number;
  /** Standard deviation of one coordinate of the gradient that a report stands for, for the player with the most noise. */
  readonly deviation: number;
  /** The variance of one coordinate, averaged over players. */
  readonly variance: number;
  /** The guarantee of one report of any player; absent if there is none. */
  readonly guarantee?: Guarantee;
  /** The guarantee that a paper prints for it, if that differs. */
  readonly claimed?: Guarantee;
}

/** Independent normal noise on each coordinate of the gradient: σ, or sensitivity/μ by place if budgets differ. */
export interface GaussianNoise extends AnyNoise {
  readonly law: 'gaussian';
  /** σ; if budgets differ, that of the player with the smallest budget. */
  readonly sigma: number;
  /** The μ of each player; absent if all players have the same μ. */
  readonly budgets?: Budgets;
}

/** Independent Laplace noise on each coordinate. */
export interface LaplaceNoise extends AnyNoise {
  readonly law: 'laplace';
  readonly scale: number;
  /** The ℓ₁ sensitivity to which the scale is calibrated: √p times the ℓ₂ sensitivity. */
  readonly absoluteSensitivity: number;
  readonly guarantee: Guarantee;
}

/** A pure randomizer of Ψ/B₀, after one more coordinate has completed Ψ/B₀ to the unit sphere. */
export interface UnitNoise extends AnyNoise {
  readonly law: 'unit';
  readonly mechanism: PrivUnitG | KClosest;
}

/** Whole-number noise on the grid point of Ψ/B₀. */
export interface GridNoise extends AnyNoise {
  readonly law: 'grid';
  readonly mechanism: DiscreteGaussianMechanism;
}

/** No noise: for studies of the cost of privacy; no guarantee. */
export interface NoNoise extends AnyNoise {
  readonly law: 'none';
}

/** The noise on a player's gradient. */
export type OnlineNoise = GaussianNoise | LaplaceNoise | UnitNoise | GridNoise | NoNoise;

type GaussianBudget = { readonly mu?: number; readonly budgets?: BudgetRequest };

/** Values stay within 8 deviations of the gradients except for 1 in 10¹⁵. Both arguments are in units of the values. */
function floats(deviation: number, largest: number): Precision {
  return choosePrecision(deviation, largest + 8 * deviation);
}

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
 * @theorem online-rates Definition 3
 * @theorem online-rates Example 1
 */
export function laplaceNoise(model: OnlineModel, request: Pick<Budget, 'epsilon'>): LaplaceNoise {
  const epsilon = checkMuRange(request.epsilon, 'epsilon');
  const absoluteSensitivity = sqrt(model.dimension) * model.sensitivity;
  const scale = absoluteSensitivity / epsilon;
  const spread = { ...added(model, SQRT2 * scale), variance: 2 * scale * scale };
  return { law: 'laplace', scale, absoluteSensitivity, ...spread, guarantee: pure(epsilon) };
}

/** Gaussian noise calibrated to (ε, δ) exactly; whole numbers on a grid for the grade `deployment`. */
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

/** Gaussian noise of standard deviation Δ₂/μ, 2B₀/μ for most models: μ-Gaussian differential privacy, by budgets each player's own. */
export function gdpNoise(model: OnlineModel, { mu, budgets: asked }: GaussianBudget): GaussianNoise {
  if ((mu === undefined) === (asked === undefined)) {
    throw new RefusedValue('mu', 'either one number or "budgets"', mu);
  }
  const { sensitivity } = model;
  if (asked === undefined) return normalNoise(model, sensitivity / checkMuRange(mu));
  const budgets = budgetsOf(asked);
  const guarantee = gdp(largestSpent(sensitivity, budgets));
  const noise = normalNoise(model, sensitivity / smallestMu(budgets), { guarantee });
  return { ...noise, budgets, variance: sensitivity ** 2 * meanInverseSquare(budgets) };
}

/** The largest Δ/σ of any player; a player's own σ is Δ/μ, rounded to a double. */
function largestSpent(sensitivity: number, budgets: Budgets): number {
  const largest = largestMu(budgets);
  if (budgets.rule === 'list') {
    return budgets.mus.reduce((most, mu) => max(most, quotientAbove(sensitivity, sensitivity / mu)), largest);
  }
  // The computed Δ/σ of all players stay below `high` in spite of the rounding of a quotient, unless the range is that narrow.
  const narrow = budgets.low + (budgets.high - budgets.low) * (1 - 2 ** -33) >= nextBelow(largest);
  return narrow ? nextAbove(largest) : largest;
}

/**
 * Example 2 of the non-asymptotic paper as printed: variance B₀²·8·log(1.25/δ)/ε, where (ε, δ) needs ε². Too small for ε < 1.
 * @theorem online-rates Example 2
 */
export function printedGaussianNoise(model: OnlineModel, request: Budget): GaussianNoise {
  const { epsilon, delta } = checkBudget(request);
  const sigma = model.gradientBound * sqrt((8 * log(1.25 / delta)) / epsilon);
  return normalNoise(model, sigma, { claimed: approximate({ epsilon, delta }) });
}

/**
 * Example 3 of the non-asymptotic paper as printed: variance B₀²·4/μ, where μ-Gaussian privacy needs μ². Too small for μ < 1.
 * @theorem online-rates Example 3
 */
export function printedGdpNoise(model: OnlineModel, request: GaussianBudget): GaussianNoise {
  const mu = checkMuRange(request.mu);
  return normalNoise(model, model.gradientBound * sqrt(4 / mu), { claimed: gdp(mu) });
}

/** The best pure randomizer of Ψ/B₀, with one more coordinate that hides its norm: PrivUnitG, or k-closest encoding for `deployment`. */
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
