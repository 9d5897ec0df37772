import { checkOpenUnit, refusal } from '../../../src/check/number.ts';

const { ceil, log, max, min } = Math;

/** Cells of thresholds in a round that searches. */
export const THRESHOLD_CELLS = 16;

/** Share of each round that searches, and of the first sign at what was found; the rest is for the re-centred sign. */
export const SEARCH_SHARE = 0.1;
const CENTRE = 0.2;

/** Rounds that search, at least and at most. */
export const FEWEST_SEARCHES = 2;
const MOST_SEARCHES = 5;

/**
 * How many rounds get from a range of so many deviations of a local mean to one of them, by forecast: answers worth so many bits
 * (their number times κ²) narrow a range to 4/bits of it, but not below a cell.
 */
export function searchRounds(range: number, bits: number): number {
  const factor = max(2, min(THRESHOLD_CELLS, bits / 4));
  return min(MOST_SEARCHES, max(FEWEST_SEARCHES, ceil(log(max(1, range)) / log(factor))));
}

/** Shares of the players where none are asked for: rounds that search, a sign at what was found, and a re-centred sign. */
export function defaultShares(searches: number): number[] {
  return [...new Array<number>(searches).fill(SEARCH_SHARE), CENTRE, 1 - searches * SEARCH_SHARE - CENTRE];
}

/**
 * Shares that were asked for.
 *
 * @throws TypeError or RangeError unless they are 2 to 64 numbers in (0, 1) that add up to at most 1.
 */
export function checkShares(shares: readonly number[]): readonly number[] {
  if (!Array.isArray(shares)) throw new TypeError(refusal('shares', 'a list of shares', shares));
  if (shares.length < 2 || shares.length > 64) throw new RangeError(refusal('shares', '2 to 64 shares', shares.length));
  const sum = shares.reduce((total, share, i) => total + checkOpenUnit(`shares[${i}]`, share), 0);
  if (sum > 1 + 1e-9) throw new RangeError(refusal('shares', 'shares that add up to at most 1', sum));
  return shares.slice();
}
