import { checkTarget, checkUnitNorm, createScratch, reserve } from '../check/datum.ts';
import { checkEpsilonRange, checkInteger, RefusedValue, ReportError } from '../check/refusal.ts';
import { largestSums, type SphereMarginal, sphereMarginal } from '../numeric/beta.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { bits, type Random, uniformInteger } from '../random/random.ts';
import { fillPublicDirection, SEED_WORDS } from '../random/threefry.ts';
import { COIN_UNITS, checkedLevels, exactCoin } from './exact-coin.ts';

const { expm1, min, sqrt } = Math;

/** How a report z errs that is unbiased for a unit vector u, over all coins. */
export interface UnitErrors {
  /** m, the mean of the component along u before scaling. */
  readonly mean: number;
  /** 1/m, which makes the report unbiased; also the length of every expanded report of k-closest, honest or not. */
  readonly scale: number;
  /** E‖z − u‖², exactly. */
  readonly squaredError: number;
  /** Variance of z in any direction orthogonal to u. */
  readonly coordinateVariance: number;
  /** Variance of z in the direction of u; for PrivUnitG about the `coordinateVariance`. */
  readonly alongVariance: number;
}

/** A codebook of K codewords, with the k of least error, and its error. */
export interface KClosestDesign extends UnitErrors {
  /** K: the K/2 random directions of a player's codebook, together with their opposites. */
  readonly codewords: number;
  /** k: how many codewords count as close to the datum. */
  readonly closest: number;
  /** p·2⁵³, a whole number: with probability p the report is one of the k closest codewords. */
  readonly keep: number;
  /** ε that is spent, log of (p/k)/((1 − p)/(K − k)), rounded up; never above the requested ε. */
  readonly exactEpsilon: number;
}

/** The automatic choice tries codebooks up to this size, and this factor in the error for less work of the player. */
const LARGEST_AUTOMATIC = 256;

const ACCEPTED_LOSS = 1.05;

/** The least K, a power of two, whose error is within 5 % of the least error for K ≤ 256. */
function automaticDesign(epsilon: number, dimension: number): KClosestDesign {
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

/**
 * With S and Q the expected sums of the k largest |⟨s, u⟩| and of their squares: m = (S/k)(p − (1 − p)k/(K − k)), since
 * all codewords sum to 0, and E⟨s, u⟩² = p·Q/k + (1 − p)(K/d − Q)/(K − k), since the squares of all K sum to K/d on
 * average.
 */
export function designWith(
  marginal: SphereMarginal,
  epsilon: number,
  dimension: number,
  codewords: number,
  wanted?: number,
): KClosestDesign {
  const { first, second } = largestSums(marginal, codewords / 2);
  const closest = wanted ?? bestClosest(first, epsilon, codewords);
  const { keep, exactEpsilon, contrast } = checkedLevels(epsilon, closest, codewords - closest);
  const mean = (first[closest - 1] / closest) * contrast;
  // Both sums run over |⟨s, u⟩| of K/2 directions; the sum of squares counts each direction and its opposite.
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

/** What is requested of a randomizer of a unit vector under pure ε-local differential privacy. */
export interface UnitRequest {
  readonly epsilon: number;
  /** d, the number of coordinates of the vector. */
  readonly dimension: number;
}

/** What is requested of {@link kClosest}. */
export interface KClosestRequest extends UnitRequest {
  /** K, a power of two from 2 to 1024; by default the least with an error within 5 % of the least error for K ≤ 256. */
  readonly codewords?: number | 'automatic';
  /** k, from 1 to K/2; by default the one of least error. */
  readonly closest?: number;
}

/** Public constants of the k-closest mechanism, and the properties of its expanded report z. Plain data. */
export interface KClosest extends UnitRequest, KClosestDesign {
  readonly name: 'k-closest';
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
}

/** Entries of a report: the seed of the codebook, then the index of a codeword. */
export const K_CLOSEST_WORDS: number = SEED_WORDS + 1;

/**
 * The k-closest mechanism for a unit vector u of R^d, exact by construction: PrivUnit for deployment.
 *
 * Law: the player draws a public seed, which expands to K/2 directions uniform on the sphere. These and their opposites
 * are the K codewords. With probability p the report is a uniform one of the k codewords closest to u, otherwise a
 * uniform one of the other K − k; seed and index are sent. The server expands z = B·s, with E z = u over seeds and
 * coins (but not given the seed). For K = 2 the report is the sign of ⟨s, u⟩ for one random direction, by randomized
 * response.
 *
 * Guarantee: pure ε for every seed. The seed does not depend on u. Given the seed there are K outputs, and for every u
 * exactly k of them have probability p/k and the rest (1 − p)/(K − k), where p is a whole number over 2⁵³ and drawn
 * exactly. The ratio is at most e^ε between whole numbers. The directions and the products ⟨s, u⟩ are computed in
 * floating point. The guarantee assumes nothing about their rounding, which only decides *which* k codewords are the
 * close ones. Time is not covered. The coins and the operations are the same for every u, but an engine or a processor
 * may still take longer for some numbers.
 *
 * The player's cost is K/2 directions of d normals (about 0.25 µs each at d = 66) and K²/4 comparisons; the server's
 * cost is one direction. Only E z and the variances depend on the law of the directions; they are exact for K/2
 * independent uniform directions.
 *
 * Source: Isik, Chen, Özgür, Weissman, No (2023), Exact optimality of communication-privacy-utility tradeoffs in
 * distributed mean estimation, NeurIPS (k-closest encoding, there of a rotated simplex); Duchi, Jordan, Wainwright
 * (2018) for K = 2.
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500, the dimension is a whole number from 2 to 1e6, and K and k are
 * as in {@link KClosestRequest}.
 *
 * @example
 * ```ts
 * import { kClosest } from 'ldpkit/mechanism';
 * const { codewords, guarantee } = kClosest({ epsilon: 1, dimension: 10 });
 * console.log(codewords, guarantee.kind); // 16 pure
 * ```
 */
export function kClosest(request: KClosestRequest): KClosest {
  const { epsilon, dimension, codewords = 'automatic', closest } = request;
  if (codewords === 'automatic') {
    if (closest !== undefined) throw new RefusedValue('closest', 'none without codewords', closest);
    return automaticKClosest(request);
  }
  checkInteger('codewords', codewords, 2, 1024);
  if ((codewords & (codewords - 1)) !== 0) throw new RefusedValue('codewords', 'a power of two', codewords);
  if (closest !== undefined) checkInteger('closest', closest, 1, codewords / 2);
  return kClosestWith({ epsilon, dimension }, () =>
    designWith(sphereMarginal(dimension, codewords / 2), epsilon, dimension, codewords, closest),
  );
}

/** {@link kClosest} with the automatic codebook, for devices. */
export function automaticKClosest(request: UnitRequest): KClosest {
  return kClosestWith(request, automaticDesign);
}

/** The mechanism of a design that is made for a checked request. */
export function kClosestWith(
  { epsilon, dimension }: UnitRequest,
  design: (epsilon: number, dimension: number) => KClosestDesign,
): KClosest {
  checkEpsilonRange(epsilon, 500);
  checkInteger('dimension', dimension, 2, 1_000_000);
  return { name: 'k-closest', epsilon, dimension, guarantee: pure(epsilon), ...design(epsilon, dimension) };
}

// Scratch of the player, kept between calls and overwritten by each.
const direction = /* @__PURE__ */ createScratch(256);
const products = /* @__PURE__ */ createScratch(512);
const sizes = /* @__PURE__ */ createScratch(512);

/**
 * One report of a unit vector, written into the first four entries of `target`; `unit` may be longer than
 * the dimension.
 *
 * Law: see {@link kClosest}. A place in the order of all codewords by ⟨s, u⟩ is drawn independently of u; then u
 * decides which codeword has that place. Allocates nothing.
 * @throws RangeError for a vector that is not of norm 1 (to 1e-9), without its values, and for a target that is too short.
 */
export function randomizeKClosest(
  mechanism: KClosest,
  unit: ArrayLike<number>,
  target: Uint32Array,
  random: Random,
): void {
  const { dimension, codewords } = mechanism;
  checkTarget(target, K_CLOSEST_WORDS);
  const place = drawSeedAndPlace(mechanism, unit, target, random);
  const half = codewords / 2;
  fillProducts(target, half, unit, dimension);
  // Place i of the first half is a codeword s with ⟨s, u⟩ ≥ 0, and place K − 1 − i is its opposite.
  const opposite = place >= half;
  const j = directionAt(opposite ? codewords - 1 - place : place, half);
  const negative = products.values[j] < 0;
  target[SEED_WORDS] = 2 * j + (opposite !== negative ? 1 : 0);
}

/**
 * All that is drawn for a report: the public seed, into the first words of `target`, and the returned place of the
 * codeword in the order of all codewords by their product with the vector.
 */
function drawSeedAndPlace(
  { dimension, codewords, closest, keep }: KClosest,
  unit: ArrayLike<number>,
  target: Uint32Array,
  random: Random,
): number {
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += unit[i] * unit[i];
  checkUnitNorm(squared);
  for (let i = 0; i < SEED_WORDS; i++) target[i] = bits(random);
  return exactCoin(keep, random)
    ? uniformInteger(closest, random)
    : closest + uniformInteger(codewords - closest, random);
}

/** The products ⟨g, u⟩ of all directions of a seed, not divided by ‖g‖, and ⟨g, u⟩²/‖g‖², into the scratch. */
function fillProducts(seed: Uint32Array, count: number, unit: ArrayLike<number>, dimension: number): void {
  const g = reserve(direction, dimension);
  for (let j = 0; j < count; j++) {
    fillPublicDirection(seed, j, dimension, g);
    // Four sums of each kind, so that additions need not wait for each other.
    let dot = 0;
    let dot1 = 0;
    let dot2 = 0;
    let dot3 = 0;
    let squared = 0;
    let squared1 = 0;
    let squared2 = 0;
    let squared3 = 0;
    let i = 0;
    for (; i + 3 < dimension; i += 4) {
      const x = g[i];
      const y = g[i + 1];
      const z = g[i + 2];
      const w = g[i + 3];
      dot += x * unit[i];
      dot1 += y * unit[i + 1];
      dot2 += z * unit[i + 2];
      dot3 += w * unit[i + 3];
      squared += x * x;
      squared1 += y * y;
      squared2 += z * z;
      squared3 += w * w;
    }
    for (; i < dimension; i++) {
      dot += g[i] * unit[i];
      squared += g[i] * g[i];
    }
    dot += dot1 + (dot2 + dot3);
    squared += squared1 + (squared2 + squared3);
    products.values[j] = dot;
    sizes.values[j] = (dot * dot) / squared;
  }
}

/** The direction with a given rank by size, the largest first; equal sizes by index. Always compares all pairs. */
function directionAt(rank: number, count: number): number {
  const { values } = sizes;
  let found = 0;
  for (let j = 0; j < count; j++) {
    const size = values[j];
    let before = 0;
    for (let i = 0; i < j; i++) before += Number(values[i] >= size);
    for (let i = j + 1; i < count; i++) before += Number(values[i] > size);
    // One term is not 0. There is no branch that depends on a value.
    found += j * Number(before === rank);
  }
  return found;
}

/**
 * Refuses everything that is not a report of this mechanism: a report is four whole numbers, each below
 * 2³², with the index below K. Every seed is valid, and every valid report expands to a vector of length B.
 * @throws ReportError.
 */
export function checkKClosestReport(mechanism: KClosest, report: ArrayLike<number>): void {
  if (report === null || typeof report !== 'object' || report.length !== K_CLOSEST_WORDS) {
    throw new ReportError(`a k-closest report has ${K_CLOSEST_WORDS} words`);
  }
  for (let i = 0; i < K_CLOSEST_WORDS; i++) {
    const limit = i < SEED_WORDS ? 2 ** 32 : mechanism.codewords;
    const word = report[i];
    if (!(Number.isInteger(word) && word >= 0 && word < limit)) {
      throw new ReportError(`word ${i} of a k-closest report expected a whole number from 0 to ${limit - 1}`);
    }
  }
}

/**
 * Writes the unbiased vector z = B·s of a checked report into the first `dimension` entries of `target`. Expands only
 * the one direction that it needs. What did not come from {@link randomizeKClosest} itself is for
 * {@link checkKClosestReport} first.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { expandKClosest, kClosest, randomizeKClosest } from 'ldpkit/mechanism';
 * const mechanism = kClosest({ epsilon: 4, dimension: 2 });
 * const random = seededRandom('a simulation');
 * const report = new Uint32Array(4);
 * const vector = new Float64Array(2);
 * let first = 0;
 * for (let i = 0; i < 10_000; i++) {
 *   randomizeKClosest(mechanism, [0.6, 0.8], report, random);
 *   expandKClosest(mechanism, report, vector);
 *   first += (vector[0] ?? 0) / 10_000;
 * }
 * console.log(Math.abs(first - 0.6) < 0.05); // true
 * ```
 */
export function expandKClosest(mechanism: KClosest, report: ArrayLike<number>, target: Float64Array): void {
  const { dimension, scale } = mechanism;
  const index = report[SEED_WORDS];
  fillPublicDirection(report, index >>> 1, dimension, target);
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += target[i] * target[i];
  const factor = (index % 2 === 1 ? -scale : scale) / sqrt(squared);
  for (let i = 0; i < dimension; i++) target[i] *= factor;
}
