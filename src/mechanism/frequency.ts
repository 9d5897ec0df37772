import { checkInteger, RefusedValue } from '../check/refusal.ts';
import { walshHadamard } from '../numeric/matrix.ts';
import { pure } from '../privacy/guarantee.ts';
import { bits, type Random, uniformInteger } from '../random/random.ts';
import {
  type CategoryMechanism,
  type CategoryRequest,
  checkCategory,
  checkCategoryRequest,
  type RandomizedResponse,
  randomizedResponse,
  randomizeResponse,
  randomizeSubset,
  type SubsetSelection,
  subsetSelection,
} from './categories.ts';
import { COIN_UNITS, exactCoin, twoLevels } from './exact-coin.ts';

const { ceil, floor, min } = Math;

/** What is requested of {@link hadamardResponse}. */
export interface HadamardRequest extends CategoryRequest {
  /** b, the outputs in a block, a power of two from 2 to 2²¹; by default the one of least error. */
  readonly blockSize?: number;
}

/** Public constants of Hadamard response. Plain data. */
export interface HadamardResponse extends Omit<CategoryMechanism, 'hit' | 'stray' | 'gap' | 'squaredError'> {
  readonly name: 'Hadamard response';
  readonly blockSize: number;
  /** B = ⌈k/(b − 1)⌉. */
  readonly blocks: number;
  /** K = B·b: reports are numbers below it. */
  readonly outputs: number;
  /** 1/(p − (1 − p)(b/2)/(K − b/2)): what a report adds to, or takes from, each category of its block. */
  readonly scale: number;
  /** Probability that a report falls into the block of the category, p + (1 − p)(b/2)/(K − b/2). */
  readonly inBlock: number;
  /** Probability that it falls into a given other block, (1 − p)·b/(K − b/2). */
  readonly inOther: number;
  /**
   * E of the squared ℓ₂ error of the estimate from one report, scale²(j·inBlock + (k − j)·inOther) − 1 for a category
   * among j in its block. The value is for the first block; for the last block, which may have fewer categories, the
   * error is not larger.
   */
  readonly squaredError: number;
}

/**
 * Hadamard response in its form for any ε (sets of outputs, in blocks): the estimate takes one fast Walsh–Hadamard
 * transform per block instead of a pass over all categories per report.
 *
 * Law: category c belongs to row j = 1 + c mod (b − 1) of block ⌊c/(b − 1)⌋, and to the b/2 outputs y of that block
 * with an even number of common bits of j and y. The report is a uniform one of those with probability p, otherwise a
 * uniform one of the other K − b/2.
 *
 * Guarantee: pure ε; (p/(b/2))/((1 − p)/(K − b/2)) ≤ e^ε holds between whole numbers, and all draws are exact.
 *
 * Source: Acharya, Sun, Zhang (2019), Hadamard response: estimating distributions privately, efficiently, and with
 * little communication, AISTATS (the scheme for every level of privacy).
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500, there are 2 to 2²⁰ categories and b is a power of two from 2
 * to 2²¹.
 *
 * @example
 * ```ts
 * import { hadamardResponse } from 'ldpkit/mechanism';
 * const mechanism = hadamardResponse({ epsilon: 1, categories: 100 });
 * console.log(mechanism.outputs, mechanism.guarantee.epsilon <= 1); // 128 true
 * ```
 */
export function hadamardResponse(request: HadamardRequest): HadamardResponse {
  const { epsilon, categories } = checkCategoryRequest(request);
  if (request.blockSize !== undefined) {
    const size = checkInteger('blockSize', request.blockSize, 2, 2 ** 21);
    if ((size & (size - 1)) !== 0) throw new RefusedValue('blockSize', 'a power of two', size);
    return withBlocks(epsilon, categories, size);
  }
  let best = withBlocks(epsilon, categories, 2);
  // The first size with a single block ends the search: a larger size has the same law with more outputs.
  for (let size = 4, blocks = 2; blocks > 1; size *= 2) {
    const next = withBlocks(epsilon, categories, size);
    if (next.squaredError < best.squaredError) best = next;
    blocks = next.blocks;
  }
  return best;
}

function withBlocks(epsilon: number, categories: number, blockSize: number): HadamardResponse {
  const blocks = ceil(categories / (blockSize - 1));
  const outputs = blocks * blockSize;
  const near = blockSize / 2;
  const far = outputs - near;
  const { keep, exactEpsilon, contrast } = twoLevels(epsilon, near, far);
  const miss = (COIN_UNITS - keep) / COIN_UNITS;
  const scale = 1 / contrast;
  const inBlock = keep / COIN_UNITS + (miss * near) / far;
  const inOther = blocks === 1 ? 0 : (miss * blockSize) / far;
  const beside = min(categories, blockSize - 1);
  return {
    name: 'Hadamard response',
    epsilon,
    categories,
    blockSize,
    blocks,
    outputs,
    keep,
    guarantee: pure(epsilon),
    exactEpsilon,
    scale,
    inBlock,
    inOther,
    squaredError: scale * scale * (beside * inBlock + (categories - beside) * inOther) - 1,
  };
}

/**
 * One report of a category, a number from 0 to K − 1.
 *
 * Law: see {@link hadamardResponse}.
 * @throws TypeError or RangeError for anything but a category, without its value.
 */
export function randomizeHadamard(mechanism: HadamardResponse, category: number, random: Random): number {
  const { categories, blockSize, outputs, keep } = mechanism;
  checkCategory(category, categories);
  const block = floor(category / (blockSize - 1));
  const row = 1 + category - block * (blockSize - 1);
  const start = block * blockSize;
  if (exactCoin(keep, random)) return start + withParity(row, bits(random) & (blockSize - 1), 0);
  const half = blockSize / 2;
  const far = uniformInteger(outputs - half, random);
  // The first b/2 numbers stand for the odd half of the category's own block; the number gives all bits except one.
  if (far < half) return start + withParity(row, spread(far, row), 1);
  const other = far - half;
  return other < start ? other : other + blockSize;
}

/** y with the lowest bit of `row` set so that row and y have an even (0) or odd (1) number of common bits. */
function withParity(row: number, y: number, parity: number): number {
  const pivot = row & -row;
  const rest = y & ~pivot;
  return parityOf(row & rest) === parity ? rest : rest | pivot;
}

/** 1 where a word has an odd number of ones, 0 where it is even: it is folded into its lowest bit. */
function parityOf(word: number): number {
  let odd = word;
  odd ^= odd >>> 16;
  odd ^= odd >>> 8;
  odd ^= odd >>> 4;
  odd ^= odd >>> 2;
  odd ^= odd >>> 1;
  return odd & 1;
}

/** The bits of a number with a 0 inserted at the position of the lowest bit of `row`. */
function spread(number: number, row: number): number {
  const low = (row & -row) - 1;
  return ((number & ~low) << 1) | (number & low);
}

/** A randomizer of a category, from whose reports the frequencies of all categories are estimated. */
export type FrequencyMechanism = RandomizedResponse | HadamardResponse | SubsetSelection;

/** How many different numbers there are in reports, which are below it. */
export function outputsOf(mechanism: FrequencyMechanism): number {
  return mechanism.name === 'Hadamard response' ? mechanism.outputs : mechanism.categories;
}

/**
 * One report of a category: its number or, of subset selection, m numbers, into the first entries of `target`.
 * @throws TypeError or RangeError for anything but a category, without its value.
 */
export function randomizeCategory(
  mechanism: FrequencyMechanism,
  category: number,
  target: Uint32Array,
  random: Random,
): void {
  if (mechanism.name === 'randomized response') target[0] = randomizeResponse(mechanism, category, random);
  else if (mechanism.name === 'Hadamard response') target[0] = randomizeHadamard(mechanism, category, random);
  else randomizeSubset(mechanism, category, target, random);
}

/** Whether a report counts for a category: those that do are alike, and so are the others. */
export function countsFor(mechanism: FrequencyMechanism, category: number): (report: ArrayLike<number>) => boolean {
  if (mechanism.name !== 'Hadamard response') return (report) => Array.prototype.includes.call(report, category);
  const { blockSize } = mechanism;
  const block = floor(category / (blockSize - 1));
  const row = 1 + category - block * (blockSize - 1);
  return ({ 0: output }) => {
    const place = output - block * blockSize;
    return place >= 0 && place < blockSize && parityOf(row & place) === 0;
  };
}

/**
 * The mechanism with the least squared error of the estimated frequencies. Among equals, randomized response is
 * preferred to Hadamard response, and Hadamard response to subset selection, whose reports are longer.
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
 * @throws RangeError for a tally with another number of counts.
 */
export function estimateFrequencies(mechanism: FrequencyMechanism, tally: FrequencyTally): Float64Array {
  const { categories } = mechanism;
  const { counts, reports } = tally;
  const length = outputsOf(mechanism);
  if (counts?.length !== length) throw new RefusedValue('counts', `${length} numbers`, counts?.length);
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
 * The exact variance of the estimated frequency of a category, over the coins of the players, whose data are fixed.
 * Shape: `frequencies` are the true ones, k entries that sum to 1.
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
