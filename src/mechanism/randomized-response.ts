import { checkInteger } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import { uniformInteger } from '../random/uniform.ts';
import { COIN_UNITS, exactCoin, twoLevels } from './exact-coin.ts';
import { checkEpsilonRange } from './unit-mechanism.ts';

/** Public constants of a mechanism whose report is m of the k categories. Plain data. */
export interface CategoryMechanism extends CategoryRequest {
  /** p·2⁵³, a whole number: with probability p the report has the true category. */
  readonly keep: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
  /** ε that is spent, log of p(k − m)/((1 − p)m), rounded up; never above the requested ε. */
  readonly exactEpsilon: number;
  /** p, the probability that a report counts for the true category. */
  readonly hit: number;
  /** q = (m − p)/(k − 1), the probability that it counts for a given other category. */
  readonly stray: number;
  /** p − q. */
  readonly gap: number;
  /** E of the squared ℓ₂ error of the estimate from one report: (p(1 − p) + (k − 1)q(1 − q))/(p − q)². */
  readonly squaredError: number;
}

/** Public constants of k-ary randomized response, whose report is one category: m = 1. */
export interface RandomizedResponse extends CategoryMechanism {
  readonly name: 'randomized response';
}

/**
 * k-ary randomized response: the category itself with probability p = e^ε/(e^ε + k − 1), each other one with
 * (1 − p)/(k − 1).
 *
 * Guarantee: pure ε, p a whole number over 2⁵³ that is drawn exactly and rounded so that p(k − 1)/(1 − p) ≤ e^ε holds
 * between whole numbers.
 *
 * Source: Warner (1965), Randomized response, JASA; Kairouz, Bonawitz, Ramage (2016), Discrete distribution estimation
 * under local privacy, ICML.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500 and there are 2 to 2²⁰ categories.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { randomizedResponse, randomizeResponse } from 'ldpkit/mechanism';
 * const mechanism = randomizedResponse({ epsilon: 1, categories: 4 });
 * const random = seededRandom('a simulation');
 * console.log(Array.from({ length: 8 }, () => randomizeResponse(mechanism, 2, random)).join(' ')); // 3 2 2 1 3 2 0 2
 * ```
 */
export function randomizedResponse(request: CategoryRequest): RandomizedResponse {
  const { epsilon, categories } = checkCategoryRequest(request);
  const { keep, exactEpsilon, contrast } = twoLevels(epsilon, 1, categories - 1);
  const hit = keep / COIN_UNITS;
  const stray = (COIN_UNITS - keep) / COIN_UNITS / (categories - 1);
  const spread = hit * (1 - hit) + (categories - 1) * stray * (1 - stray);
  return {
    name: 'randomized response',
    epsilon,
    categories,
    keep,
    guarantee: pure(epsilon),
    exactEpsilon,
    hit,
    stray,
    gap: contrast,
    squaredError: spread / (contrast * contrast),
  };
}

/**
 * One report of a category, a number from 0 to k − 1.
 *
 * Law: see {@link randomizedResponse}.
 *
 * @throws TypeError or RangeError for anything but a category, without its value.
 */
export function randomizeResponse(mechanism: RandomizedResponse, category: number, random: Random): number {
  const { categories, keep } = mechanism;
  checkCategory(category, categories);
  if (exactCoin(keep, random)) return category;
  const other = uniformInteger(categories - 1, random);
  return other < category ? other : other + 1;
}

/** What is requested of a randomizer of one of several categories under pure ε-local privacy. */
export interface CategoryRequest {
  /** ε of one report. */
  readonly epsilon: number;
  /** k, how many categories there are; they are the numbers 0 … k − 1. */
  readonly categories: number;
}

/**
 * The two fields of a request, checked.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500 and there are 2 to 2²⁰ categories.
 */
export function checkCategoryRequest(request: CategoryRequest): CategoryRequest {
  return {
    epsilon: checkEpsilonRange(request.epsilon, 500),
    categories: checkInteger('categories', request.categories, 2, 2 ** 20),
  };
}

/**
 * Refuses everything that is not a category from 0 to `categories` − 1. The value is private, so the message does not
 * contain it.
 *
 * @throws TypeError or RangeError.
 */
export function checkCategory(category: unknown, categories: number): void {
  const expected = `"category" expected a whole number from 0 to ${categories - 1}`;
  if (typeof category !== 'number') throw new RefusedKind(expected);
  if (!(Number.isInteger(category) && category >= 0 && category < categories)) throw new RefusedValue(expected);
}
