import { checkInteger } from '../check/number.ts';
import { pure } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import { uniformInteger } from '../random/uniform.ts';
import { COIN_UNITS, exactCoin, twoLevels } from './exact-coin.ts';
import {
  type CategoryMechanism,
  type CategoryRequest,
  checkCategory,
  checkCategoryRequest,
} from './randomized-response.ts';

const { exp, floor, max, min } = Math;

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
 *
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
 *
 * @throws TypeError or RangeError for anything but a category, without its value.
 */
export function randomizeSubset(
  mechanism: SubsetSelection,
  category: number,
  target: Uint32Array,
  random: Random,
): void {
  const { categories, subset, keep } = mechanism;
  checkCategory(category, categories);
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
