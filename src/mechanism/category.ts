import { checkInteger } from '../check/number.ts';
import { checkEpsilonRange } from './unit-mechanism.ts';

/** What is asked of a randomizer of one of several categories under pure ε-local privacy. */
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
 * Refuses what is not a category from 0 to `categories` − 1. It is private, so the message does not contain it.
 *
 * @throws TypeError or RangeError.
 */
export function checkCategory(category: unknown, categories: number): void {
  const expected = `"category" expected a whole number from 0 to ${categories - 1}`;
  if (typeof category !== 'number') throw new TypeError(expected);
  if (!(Number.isInteger(category) && category >= 0 && category < categories)) throw new RangeError(expected);
}
