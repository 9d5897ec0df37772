import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import { digestOf } from '../../src/core/digest.ts';
import { deriveKey } from '../../src/random/derive-key.ts';

const { max, min } = Math;

/**
 * How a player's μ follows from its place in the stream. `list`: entry (place − 1) mod length. `uniform`: drawn between
 * `low` and `high` by public coins, a function of seed and place. Neither depends on a datum: such a budget would
 * reveal something about it.
 */
export type BudgetRequest =
  | { readonly rule: 'list'; readonly mus: readonly number[] }
  | { readonly rule: 'uniform'; readonly low: number; readonly high: number; readonly seed?: string };

/** The budgets of all players, by a public rule. Plain data. */
export type Budgets =
  | { readonly rule: 'list'; readonly mus: readonly number[] }
  | { readonly rule: 'uniform'; readonly low: number; readonly high: number; readonly key: Int32Array };

/**
 * The budgets of a request.
 *
 * @throws TypeError or RangeError unless every μ is finite and > 0, and 0 < low < high.
 */
export function budgetsOf(request: BudgetRequest): Budgets {
  if (request === null || typeof request !== 'object') throw new RefusedKind(refusal('budgets', 'an object', request));
  checkWord('budgets.rule', request.rule, ['list', 'uniform']);
  if (request.rule === 'list') {
    if (!Array.isArray(request.mus)) throw new RefusedKind(refusal('budgets.mus', 'an array of numbers', request.mus));
    if (request.mus.length === 0) throw new RefusedValue(refusal('budgets.mus', 'at least one number', 'none'));
    // Not map, which skips the holes of an array.
    return { rule: 'list', mus: Array.from(request.mus, (mu, i) => checkPositive(`budgets.mus[${i}]`, mu)) };
  }
  const low = checkPositive('budgets.low', request.low);
  const high = checkPositive('budgets.high', request.high);
  if (!(low < high)) throw new RefusedValue(refusal('budgets.high', `a number > ${low}`, high));
  const { seed = '' } = request;
  if (typeof seed !== 'string') throw new RefusedKind(refusal('budgets.seed', 'a text', seed));
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
