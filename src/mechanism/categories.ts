import { checkTarget, checkUnitInterval } from '../check/datum.ts';
import { checkEpsilonRange, checkInteger, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { type Random, uniformInteger } from '../random/random.ts';
import { COIN_UNITS, exactCoin, twoLevels } from './exact-coin.ts';

const { abs, exp, floor, max, min, round } = Math;

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

export function checkCategoryRequest(request: CategoryRequest): CategoryRequest {
  return {
    epsilon: checkEpsilonRange(request.epsilon, 500),
    categories: checkInteger('categories', request.categories, 2, 2 ** 20),
  };
}

/** Refuses what is no category from 0 to `categories` − 1. The value is private: the message does not contain it. */
export function checkCategory(category: unknown, categories: number): void {
  const expected = `"category" expected a whole number from 0 to ${categories - 1}`;
  if (typeof category !== 'number') throw new RefusedKind(expected);
  if (!(Number.isInteger(category) && category >= 0 && category < categories)) throw new RefusedValue(expected);
}

/** What is requested of {@link subsetSelection}. */
export interface SubsetRequest extends CategoryRequest {
  /** m, the categories in a report, from 1 to k − 1; by default the number of least error, about k/(1 + e^ε). */
  readonly subset?: number;
}

/** Public constants of subset selection. Plain data. */
export interface SubsetSelection extends CategoryMechanism {
  readonly name: 'subset selection';
  /** m, how many categories a report has. */
  readonly subset: number;
}

/**
 * Subset selection: the report is a set of m of the k categories. Its squared error is the least of all pure ε-locally
 * private mechanisms, up to lower-order terms.
 *
 * Law: with probability p = m·e^ε/(m·e^ε + k − m) the true category and a uniform choice of m − 1 others, otherwise a
 * uniform choice of m others.
 *
 * Guarantee: pure ε. A set with the true category has probability p/C(k − 1, m − 1), a set without it (1 − p)/C(k − 1,
 * m). The ratio p(k − m)/((1 − p)m) is at most e^ε between whole numbers; p and the choices are drawn exactly.
 *
 * Source: Ye, Barg (2018), Optimal schemes for discrete distribution estimation under locally differential privacy,
 * IEEE Trans. Inf. Theory; Wang et al. (2016), Mutual information optimally local private discrete distribution
 * estimation.
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500, there are 2 to 2²⁰ categories and m is from 1 to k − 1.
 *
 * @example
 * ```ts
 * import { subsetSelection } from 'ldpkit/mechanism';
 * // A report is 27 of 100 categories, the true one among them with probability 1/2.
 * const { subset, hit } = subsetSelection({ epsilon: 1, categories: 100 });
 * console.log(subset, hit.toFixed(3)); // 27 0.501
 * ```
 */
export function subsetSelection(request: SubsetRequest): SubsetSelection {
  const { epsilon, categories } = checkCategoryRequest(request);
  if (request.subset !== undefined) {
    return withSubset(epsilon, categories, checkInteger('subset', request.subset, 1, categories - 1));
  }
  // The error is least at one of the two whole numbers beside k/(1 + e^ε).
  const below = min(categories - 1, max(1, floor(categories / (1 + exp(epsilon)))));
  const smaller = withSubset(epsilon, categories, below);
  const larger = withSubset(epsilon, categories, min(categories - 1, below + 1));
  return smaller.squaredError <= larger.squaredError ? smaller : larger;
}

function withSubset(epsilon: number, categories: number, subset: number): SubsetSelection {
  const { keep, exactEpsilon, contrast } = twoLevels(epsilon, subset, categories - subset);
  const hit = keep / COIN_UNITS;
  // m − p as (m − 1) + (1 − p), which loses no digits when p is nearly 1.
  const miss = (COIN_UNITS - keep) / COIN_UNITS;
  const stray = (subset - 1 + miss) / (categories - 1);
  const gap = (contrast * (categories - subset)) / (categories - 1);
  const spread = hit * miss + (categories - 1) * stray * (1 - stray);
  return {
    name: 'subset selection',
    epsilon,
    categories,
    subset,
    keep,
    guarantee: pure(epsilon),
    exactEpsilon,
    hit,
    stray,
    gap,
    squaredError: spread / (gap * gap),
  };
}

/**
 * One report of a category: m categories in increasing order, into the first m entries of `target`.
 *
 * Law: see {@link subsetSelection}; goes through all k categories, each taken with its exact conditional probability.
 * @throws TypeError or RangeError for anything but a category, without its value; RangeError for a target that is too
 * short.
 */
export function randomizeSubset(
  mechanism: SubsetSelection,
  category: number,
  target: Uint32Array,
  random: Random,
): void {
  const { categories, subset, keep } = mechanism;
  checkCategory(category, categories);
  checkTarget(target, subset);
  const kept = exactCoin(keep, random);
  // `wanted` other categories must still be taken from the `left` categories that were not visited yet.
  let wanted = kept ? subset - 1 : subset;
  let left = categories - 1;
  let taken = 0;
  for (let other = 0; other < categories; other++) {
    if (other === category) {
      if (kept) target[taken++] = other;
    } else if (uniformInteger(left--, random) < wanted) {
      target[taken++] = other;
      wanted--;
    }
  }
}

/** Public constants of the one-bit report of a number in [−1, 1]. Plain data. */
export interface OneBitMean extends Pick<CategoryMechanism, 'epsilon' | 'keep' | 'guarantee' | 'exactEpsilon'> {
  readonly name: 'one-bit mean';
  /** 1/(2p − 1): `scale` times the report is unbiased for the number. */
  readonly scale: number;
  /** The largest variance of `scale` times the report: scale², at the number 0. At x the variance is scale² − x². */
  readonly largestVariance: number;
}

/**
 * An unbiased one-bit report of a number in [−1, 1]: the mechanism with the least worst-case variance for a mean under
 * pure ε-local privacy with one bit.
 *
 * Law: x is rounded at random to −1 or 1 with mean x, and the report is that sign with probability p = e^ε/(1 + e^ε)
 * and the opposite one otherwise. All probabilities are whole numbers over 2⁵³, drawn exactly; x is rounded to the
 * nearest multiple of 2⁻⁵³, so the mean is within 2⁻⁵⁴ of x.
 *
 * Guarantee: pure ε: for every x the report's law is a mixture of two laws whose ratio is p/(1 − p). This ratio is at
 * most e^ε between whole numbers.
 *
 * Source: Duchi, Jordan, Wainwright (2018), Minimax optimal procedures for locally private estimation, JASA.
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { oneBitMean, randomizeOneBitMean } from 'ldpkit/mechanism';
 * const mechanism = oneBitMean({ epsilon: 2 });
 * const random = seededRandom('a simulation');
 * let sum = 0;
 * for (let i = 0; i < 40_000; i++) sum += mechanism.scale * randomizeOneBitMean(mechanism, 0.3, random);
 * console.log((sum / 40_000).toFixed(2)); // 0.30
 * ```
 */
export function oneBitMean(request: { readonly epsilon: number }): OneBitMean {
  const epsilon = checkEpsilonRange(request.epsilon, 500);
  const { keep, exactEpsilon, contrast } = twoLevels(epsilon, 1, 1);
  const scale = 1 / contrast;
  return {
    name: 'one-bit mean',
    epsilon,
    keep,
    guarantee: pure(epsilon),
    exactEpsilon,
    scale,
    largestVariance: scale * scale,
  };
}

/**
 * One report of a number in [−1, 1], −1 or 1. Takes six words of the source whatever the number.
 *
 * Law: see {@link oneBitMean}.
 * @throws TypeError or RangeError for anything but a number in [−1, 1], without its value.
 */
export function randomizeOneBitMean(mechanism: OneBitMean, value: number, random: Random): -1 | 1 {
  const x = checkUnitInterval('value', value);
  // The sign of x with probability |x|, otherwise a fair sign: the mean is x, and no sum 1 + x is ever rounded.
  const own = exactCoin(round(abs(x) * COIN_UNITS), random);
  const fair = exactCoin(COIN_UNITS / 2, random);
  const kept = exactCoin(mechanism.keep, random);
  const positive = own ? x > 0 : fair;
  return positive === kept ? 1 : -1;
}
