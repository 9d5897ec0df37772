import { walshHadamard } from '../numeric/walsh-hadamard.ts';
import { type HadamardResponse, hadamardResponse } from './hadamard-response.ts';
import type { CategoryRequest } from './randomized-response.ts';
import { type RandomizedResponse, randomizedResponse } from './randomized-response.ts';
import { type SubsetSelection, subsetSelection } from './subset-selection.ts';

const { floor } = Math;

/** A randomizer of a category, from whose reports the frequencies of all categories are estimated. */
export type FrequencyMechanism = RandomizedResponse | HadamardResponse | SubsetSelection;

/**
 * The mechanism with the least squared error of the estimated frequencies. Among equals, randomized response is
 * preferred to Hadamard response, and Hadamard response to subset selection, whose reports are longer.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500 and there are 2 to 2²⁰ categories.
 *
 * @example
 * ```ts
 * import { bestFrequencyMechanism } from 'ldpkit/mechanism';
 * for (const categories of [3, 100]) console.log(bestFrequencyMechanism({ epsilon: 1, categories }).name); // randomized response; subset selection
 * ```
 */
export function bestFrequencyMechanism(request: CategoryRequest): FrequencyMechanism {
  const candidates = [randomizedResponse(request), hadamardResponse(request), subsetSelection(request)];
  // Differences due to rounding do not count: subset selection with one category in a subset is randomized response.
  return candidates.reduce((best, next) => (next.squaredError < best.squaredError * (1 - 1e-12) ? next : best));
}

/** Sums over reports, as a protocol keeps them in its own tally. */
export interface FrequencyTally {
  /** How many reports were added. */
  readonly reports: number;
  /**
   * For randomized response and subset selection: how many reports count for each category, k entries. For Hadamard
   * response: how often each output was reported, K entries.
   */
  readonly counts: Float64Array;
}

/**
 * The unbiased estimate of the frequencies of all categories. It is neither clipped nor normalised, since both would
 * make it biased. NaN without a report.
 *
 * (C/n − q)/(p − q) for counts C of randomized response and subset selection; for Hadamard response one Walsh–Hadamard
 * transform per block. Sums to 1 for randomized response and for subset selection.
 */
export function estimateFrequencies(mechanism: FrequencyMechanism, tally: FrequencyTally): Float64Array {
  const { categories } = mechanism;
  const { counts, reports } = tally;
  const estimate = new Float64Array(categories);
  if (mechanism.name !== 'Hadamard response') {
    const { stray, gap } = mechanism;
    for (let c = 0; c < categories; c++) estimate[c] = (counts[c] / reports - stray) / gap;
    return estimate;
  }
  const { blockSize, scale } = mechanism;
  const block = new Float64Array(blockSize);
  for (let start = 0, first = 0; first < categories; start += blockSize, first += blockSize - 1) {
    block.set(counts.subarray(start, start + blockSize));
    walshHadamard(block);
    for (let row = 1; row < blockSize && first + row - 1 < categories; row++) {
      estimate[first + row - 1] = (scale * block[row]) / reports;
    }
  }
  return estimate;
}

/**
 * The exact variance of the estimated frequency of a category from a number of reports, when `frequencies` are the true
 * ones. The variance is over the coins of the players; their data are fixed.
 *
 * Shape: `frequencies` has k entries that sum to 1.
 */
export function frequencyVariance(
  mechanism: FrequencyMechanism,
  category: number,
  frequencies: ArrayLike<number>,
  reports: number,
): number {
  const share = frequencies[category];
  if (mechanism.name !== 'Hadamard response') {
    const { hit, stray, gap } = mechanism;
    return (share * hit * (1 - hit) + (1 - share) * stray * (1 - stray)) / (gap * gap * reports);
  }
  const { blockSize, scale, inBlock, inOther } = mechanism;
  const first = floor(category / (blockSize - 1)) * (blockSize - 1);
  let beside = 0;
  for (let c = first; c < first + blockSize - 1 && c < mechanism.categories; c++) beside += frequencies[c];
  return (scale * scale * (beside * inBlock + (1 - beside) * inOther) - share) / reports;
}
