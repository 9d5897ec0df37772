import { checkEpsilonRange, checkInteger } from '../check/refusal.ts';
import { largestSums, sphereMarginal } from '../numeric/beta.ts';
import { normalCdf, normalDensity, normalQuantile } from '../numeric/normal.ts';
import { COIN_UNITS } from './exact-coin.ts';
import { designWith, type KClosest, type KClosestDesign, kClosestWith, type UnitRequest } from './k-closest.ts';
import {
  bestThreshold,
  meanThreshold,
  type PrivUnitG,
  privUnitG,
  privUnitWith,
  type UnitRandomizer,
} from './unit-mechanism.ts';

const { expm1, sqrt } = Math;

/**
 * How much a product of coordinates counts beside a coordinate: the weight w at which two parts to one, which `lifted` gives to v
 * and v·vᵀ, are the shares of least 1/s + w/(1 − s).
 */
const PRODUCT_WEIGHT = 0.25;

/**
 * PrivUnitG whose reports z serve two estimates: z of u, and (zzᵀ − a·I)/b of uuᵀ (see {@link productConstants}).
 *
 * Law: as for `privUnitG`, with a cap on both sides of u, α ≥ γ or α ≤ −γ₂. With m = E α and h = E α² − 1, the coordinates have
 * the variance 1/m², and the products 2/h² in directions orthogonal to u. The cap is that of least 1/m² + 2w/h², w = ¼, over all
 * sets of α. By convexity it is where α + λ(α² − 1) is at least its own mean, as in `bestThreshold`, with the λ = 2w(m/h)³ that
 * both derivatives ask for.
 *
 * Guarantee: pure ε, as for `privUnitG`: the density still takes two values relative to a Gaussian.
 *
 * Source: mathematics of the toolkit, docs/hinge.md, one report of two powers.
 * @throws as `privUnitG`.
 */
export function productPrivUnitG({ epsilon, dimension }: UnitRequest): PrivUnitG {
  checkEpsilonRange(epsilon, 500);
  checkInteger('dimension', dimension, 1);
  const floor = 1 / expm1(epsilon);
  // As λ rises the ratio m/h falls, from 1/γ without products: the equation has one solution.
  let [low, high] = [0, 2 * PRODUCT_WEIGHT * meanThreshold(floor) ** -3];
  for (;;) {
    const middle = (low + high) / 2;
    if (!(middle > low && middle < high)) break;
    if (middle < 2 * PRODUCT_WEIGHT * capAt(floor, middle).ratio ** 3) low = middle;
    else high = middle;
  }
  const { near, far } = capAt(floor, high);
  return privUnitWith({ epsilon, dimension }, near, far);
}

/** The cap of largest m + λh: the probabilities of its two sides, and m/h. */
function capAt(floor: number, lambda: number): { near: number; far: number; ratio: number } {
  let [near, far, ratio] = [0, 0, 0];
  bestThreshold((level) => {
    // Where α + λ(α² − 1) = level.
    const edge = (2 * (lambda + level)) / (1 + sqrt(1 + 4 * lambda * (lambda + level)));
    const other = edge + 1 / lambda;
    [near, far] = [normalCdf(-edge), normalCdf(-other)];
    const [a, b] = [normalDensity(edge), normalDensity(other)];
    const [first, second] = [a - b, edge * a + other * b];
    ratio = first / second;
    return (first + lambda * second) / (floor + near + far);
  });
  return { near, far, ratio };
}

/** K of {@link productKClosest}. */
const CODEWORDS = 256;

/**
 * The k-closest mechanism whose reports serve the same two estimates as those of {@link productPrivUnitG}, with 256 codewords: k is
 * that of least variance of a coordinate plus ¼ of that of a product. (The farthest codewords, as the other side of the cap, would
 * win at most a fortieth of it from ε = 1 on.)
 *
 * Guarantee: pure ε for every seed, as for `kClosest`.
 * @throws as `kClosest`.
 */
export function productKClosest(request: UnitRequest): KClosest {
  return kClosestWith(request, productDesign);
}

function productDesign(epsilon: number, dimension: number): KClosestDesign {
  const marginal = sphereMarginal(dimension, CODEWORDS / 2);
  const { first, second } = largestSums(marginal, CODEWORDS / 2);
  const floor = CODEWORDS / expm1(epsilon);
  let [closest, least] = [1, Infinity];
  for (let k = 1; k <= CODEWORDS / 2; k++) {
    const mean = first[k - 1] / (floor + k);
    const square = (floor / dimension + second[k - 1]) / (floor + k);
    // E ssᵀ = a·I + b·uuᵀ; ‖ssᵀ‖ = 1 is nearly all variance.
    const offset = (1 - square) / (dimension - 1);
    const error = offset / mean ** 2 + PRODUCT_WEIGHT / productsOf(dimension) / (square - offset) ** 2;
    if (error < least) [closest, least] = [k, error];
  }
  return designWith(marginal, epsilon, dimension, CODEWORDS, closest);
}

/** The number of products of two of so many coordinates. */
const productsOf = (dimension: number): number => (dimension * (dimension + 1)) / 2;

/** What turns products of the coordinates of a report z into estimates of uuᵀ. */
export interface ProductConstants {
  /** a: E zzᵀ = a·I + b·uuᵀ. */
  readonly offset: number;
  /** b. */
  readonly gain: number;
  /** Variance of (zzᵀ − a·I)/b on average over an orthonormal basis of the symmetric matrices. */
  readonly variance: number;
  /** What z itself is like. */
  readonly moments: ReportMoments;
}

/** The constants of the products of a report, see {@link ProductConstants}; from every mechanism of a unit vector. */
export function productConstants(mechanism: UnitRandomizer): ProductConstants {
  const { coordinateVariance: offset, alongVariance, dimension } = mechanism;
  // E⟨z, u⟩² = 1 + its variance.
  const gain = alongVariance + 1 - offset;
  const moments = reportMoments(mechanism);
  const meanNorm = dimension * offset * offset + 2 * offset * gain + gain * gain;
  const variance = (moments.fourthNorm - meanNorm) / productsOf(dimension) / gain ** 2;
  return { offset, gain, variance, moments };
}

/** What {@link productPrivUnitG} minimises, in units of the variance of a coordinate of `privUnitG`; that of `lifted` is (1 + √w)² = 9/4. */
export function productError({ epsilon, dimension }: UnitRequest): number {
  const mechanism = productPrivUnitG({ epsilon, dimension });
  const both = mechanism.coordinateVariance + PRODUCT_WEIGHT * productConstants(mechanism).variance;
  return both / privUnitG({ epsilon, dimension }).coordinateVariance;
}

/** Moments of a report z = s·u + y, y orthogonal to u in a direction drawn uniformly. */
export interface ReportMoments {
  /** d − 1, the dimensions of y. */
  readonly free: number;
  /** E s, E s², E s³, E s⁴. */
  readonly along: readonly [number, number, number, number];
  /** E ‖y‖², E s‖y‖², E s²‖y‖². */
  readonly rest: readonly [number, number, number];
  /** E ‖y‖⁴. */
  readonly restFourth: number;
  /** E ‖z‖⁴. */
  readonly fourthNorm: number;
}

/** A point w and a vector v, by their inner product and norms, in the first p of the coordinates. */
export interface ProductPoint {
  readonly inner: number;
  readonly norm: number;
  readonly vectorNorm: number;
  readonly dimension: number;
}

/**
 * E‖G‖² of G = c₀z + c₁(zzᵀ − a·I)w/b in the first p coordinates, z = s·u + y the report of a u that begins with v. Given ‖y‖, y is
 * uniform in direction: its second moments are E‖y‖²/(d − 1), its fourth ones E‖y‖⁴/((d − 1)(d + 1)).
 */
export function productGradient(
  { offset, gain, moments }: ProductConstants,
  [c0, c1]: readonly [number, number],
  { inner: t, norm, vectorNorm, dimension }: ProductPoint,
): number {
  const { free, along, rest, restFourth } = moments;
  const [q1, q2, q3] = rest.map((moment) => moment / free);
  const fourth = restFourth / (free * (free + 2));
  const [w, v] = [norm * norm, vectorNorm * vectorNorm];
  // ‖·‖² of what the first coordinates have orthogonal to u: of all directions, and of w.
  const across = dimension - v;
  const aside = w - t * t;
  const one = along[1] * v + q1 * across;
  const two = t * (along[2] * v + q2 * (2 * (1 - v) + across) - offset);
  const three =
    along[3] * v * t * t +
    q3 * (v * aside + 4 * t * t * (1 - v) + across * t * t) +
    fourth * (across * aside + 2 * (aside - t * t * (1 - v))) -
    2 * offset * (along[1] * t * t + q1 * aside) +
    offset * offset * w;
  return c0 * c0 * one + (2 * c0 * c1 * two) / gain + (c1 * c1 * three) / (gain * gain);
}

/** Those moments, in the units of a report. */
export function reportMoments(mechanism: UnitRandomizer): ReportMoments {
  const { dimension, scale } = mechanism;
  const unit = mechanism.name === 'k-closest' ? codewordMoments(mechanism) : capMoments(mechanism);
  const [first, second, third, fourth] = unit;
  const free = dimension - 1;
  const squared = scale * scale;
  // A codeword has norm 1; of PrivUnitG, ‖y‖² is χ² and independent of s.
  const [one, two, three, both] =
    mechanism.name === 'k-closest'
      ? [1 - second, first - third, second - fourth, 1 - 2 * second + fourth]
      : [free, free * first, free * second, free * (free + 2)];
  return {
    free,
    along: [first * scale, second * squared, third * squared * scale, fourth * squared * squared],
    rest: [one * squared, two * squared * scale, three * squared * squared],
    restFourth: both * squared * squared,
    fourthNorm: (fourth + 2 * three + both) * squared * squared,
  };
}

type FourMoments = readonly [number, number, number, number];

/** E α, E α², E α³, E α⁴ of PrivUnitG, from Hermite polynomials, whose means over a cap are values at its edges. */
function capMoments({ keep, cap, opposite = 0, threshold, mean }: PrivUnitG): FourMoments {
  const contrast = (keep - cap) / (cap * (1 - cap));
  const other = opposite > 0 ? -normalQuantile(opposite) : 0;
  const [a, b] = [normalDensity(threshold), opposite > 0 ? normalDensity(other) : 0].map((value) => value * contrast);
  const second = threshold * a + other * b;
  const third = (threshold * threshold - 1) * a - (other * other - 1) * b;
  const fourth = (threshold ** 3 - 3 * threshold) * a + (other ** 3 - 3 * other) * b;
  return [mean, 1 + second, third + 3 * mean, fourth + 6 * second + 3];
}

/** E t, E t², E t³, E t⁴ of t = ⟨s, u⟩, s the codeword of a report. */
function codewordMoments({ dimension, codewords, closest, keep, mean, alongVariance }: KClosest): FourMoments {
  const marginal = sphereMarginal(dimension, codewords / 2);
  // t³ and t⁴ are t and t² with t²·mass in the place of the mass.
  const masses = marginal.masses.map((mass, i) => mass * marginal.nodes[i] ** 2);
  const { first, second } = largestSums({ ...marginal, masses }, codewords / 2);
  const squares = second[closest - 1];
  const p = keep / COIN_UNITS;
  // All third powers sum to 0, all fourth ones to 3K/(d(d + 2)) on average.
  const third = (first[closest - 1] / closest) * (p - ((1 - p) * closest) / (codewords - closest));
  const all = (3 * codewords) / (dimension * (dimension + 2));
  const fourth = (p * squares) / closest + ((1 - p) * (all - squares)) / (codewords - closest);
  return [mean, mean * mean * (1 + alongVariance), third, fourth];
}
