import { largestSums, type SphereMarginal, sphereMarginal } from '../numeric/sphere-order.ts';
import { COIN_UNITS, twoLevels } from './exact-coin.ts';

const { expm1, min } = Math;

/** A codebook of K codewords with the k of least error, and the error it has. */
export interface KClosestDesign {
  /** K: the K/2 random directions of a player's codebook, and their opposites. */
  readonly codewords: number;
  /** k: how many codewords count as close to the datum. */
  readonly closest: number;
  /** p·2⁵³, a whole number: with probability p the report is one of the k closest codewords. */
  readonly keep: number;
  /** ε that is spent, log of (p/k)/((1 − p)/(K − k)), rounded up; never above the ε asked. */
  readonly exactEpsilon: number;
  /** m, the mean of ⟨s, u⟩ for the reported codeword s. */
  readonly mean: number;
  /** B = 1/m: the length of every expanded report, honest or not. */
  readonly scale: number;
  /** E‖z − u‖² = B² − 1, over codebooks and coins. */
  readonly squaredError: number;
  /** Variance of z in any direction orthogonal to u. */
  readonly coordinateVariance: number;
  /** Variance of z in the direction of u. */
  readonly alongVariance: number;
}

/** The automatic choice looks at codebooks up to here, and accepts this much more error for less of the player's work. */
const LARGEST_AUTOMATIC = 256;
const ACCEPTED_LOSS = 1.05;

/** The least K, a power of two, whose error is within 5 % of the best that K ≤ 256 can do. */
export function automaticDesign(epsilon: number, dimension: number): KClosestDesign {
  const marginal = sphereMarginal(dimension, LARGEST_AUTOMATIC / 2);
  const designs: KClosestDesign[] = [];
  let least = Infinity;
  for (let codewords = 2; codewords <= LARGEST_AUTOMATIC; codewords *= 2) {
    const design = designWith(marginal, epsilon, dimension, codewords);
    designs.push(design);
    least = min(least, design.squaredError);
  }
  return designs.find((design) => design.squaredError <= ACCEPTED_LOSS * least)!;
}

/** The design for a given K, a power of two, with a given k or else the best. */
export function designOf(epsilon: number, dimension: number, codewords: number, closest?: number): KClosestDesign {
  return designWith(sphereMarginal(dimension, codewords / 2), epsilon, dimension, codewords, closest);
}

/**
 * With S and Q the expected sums of the k largest |⟨s, u⟩| and of their squares: m = (S/k)(p − (1 − p)k/(K − k)), since all
 * codewords sum to 0, and E⟨s, u⟩² = p·Q/k + (1 − p)(K/d − Q)/(K − k), since the squares of all K sum to K/d on average.
 */
function designWith(
  marginal: SphereMarginal,
  epsilon: number,
  dimension: number,
  codewords: number,
  wanted?: number,
): KClosestDesign {
  const { first, second } = largestSums(marginal, codewords / 2);
  const closest = wanted ?? bestClosest(first, epsilon, codewords);
  const { keep, exactEpsilon, contrast } = twoLevels(epsilon, closest, codewords - closest);
  const mean = (first[closest - 1] / closest) * contrast;
  // Both sums run over |⟨s, u⟩| of K/2 directions; the square sum counts each direction and its opposite.
  const near = second[closest - 1] / closest;
  const far = (codewords / dimension - second[closest - 1]) / (codewords - closest);
  const secondMoment = far + (keep / COIN_UNITS) * (near - far);
  const scale = 1 / mean;
  const squaredScale = scale * scale;
  return {
    codewords,
    closest,
    keep,
    exactEpsilon,
    mean,
    scale,
    squaredError: (1 - mean) * (1 + mean) * squaredScale,
    coordinateVariance: ((1 - secondMoment) / (dimension - 1)) * squaredScale,
    alongVariance: (secondMoment - mean * mean) * squaredScale,
  };
}

/** The k with the largest mean when all of ε is spent, S(e^ε − 1)/(K + k(e^ε − 1)); the least k among equals. */
function bestClosest(sums: Float64Array, epsilon: number, codewords: number): number {
  const floor = codewords / expm1(epsilon);
  let best = 1;
  for (let k = 2; k <= sums.length; k++) {
    if (sums[k - 1] / (floor + k) > sums[best - 1] / (floor + best)) best = k;
  }
  return best;
}
