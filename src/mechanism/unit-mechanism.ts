import { checkUnitBall, checkUnitNorm, createScratch, reserve } from '../check/datum.ts';
import { checkEpsilonRange, checkInteger } from '../check/refusal.ts';
import { incompleteBeta, inverseIncompleteBeta, stirlingCorrection } from '../numeric/beta.ts';
import { normalCdf, normalDensity, normalQuantile } from '../numeric/normal.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { bernoulli, fillNormal, type Random, uniform } from '../random/random.ts';
import { type KClosest, randomizeKClosest, type UnitErrors, type UnitRequest } from './k-closest.ts';

// A device carries this file too: what only a simulation needs is not taken out of Math for all.
const { exp, sqrt } = Math;

/** Raises the cap probability by more than the rounding errors in it; far too small to matter. */
const SLACK: number = 2 ** -48;

/**
 * The side of a threshold on which a report falls: the cap around the datum, or the rest.
 */
interface CapSplit {
  /** p, the probability that the report is drawn from the cap of the datum. */
  readonly keep: number;
  /** q, the probability of that cap under the law without a datum. */
  readonly cap: number;
  /** p(1 − q)/(q(1 − p)), the largest ratio of two densities of a report, rounded up; never above e^ε. */
  readonly densityRatio: number;
}

/**
 * The keep probability that spends all of ε on a cap of a given probability, and the cap probability adjusted to the
 * safe side: p(1 − q)/(q(1 − p)) ≤ e^ε holds exactly for the two doubles, not only up to rounding.
 */
export function splitCap(wanted: number, epsilon: number): CapSplit {
  const shrink = exp(-epsilon);
  const keep = wanted / (wanted + (1 - wanted) * shrink);
  // keep ≥ ½ is a multiple of 2⁻⁵³, so 1 − keep is exact and only the cap has to be rounded with care.
  const cap = ((keep * shrink) / (1 - keep + keep * shrink)) * (1 + SLACK);
  const densityRatio = ((keep * (1 - cap)) / (cap * (1 - keep))) * (1 + SLACK / 8);
  return { keep, cap, densityRatio };
}

/**
 * The threshold γ that maximises the mean m, for caps with m(γ) = A(γ)/(1/(e^ε − 1) + Q(γ)), where Q is the probability
 * of the cap and A its share of the mean.
 *
 * Since A′ = −γ·density and Q′ = −density, m′ = 0 exactly where γ = m(γ). There m is flat, so the iteration γ ← m(γ)
 * converges quadratically. It never overshoots, since m(γ) ≤ max m, so it ends when γ stops rising.
 */
export function bestThreshold(mean: (threshold: number) => number): number {
  let threshold = mean(0);
  for (;;) {
    const next = mean(threshold);
    if (!(next > threshold * (1 + 1e-15))) return threshold;
    threshold = next;
  }
}

/** Public constants of an unbiased randomizer of a unit vector u, and the properties of its report z. Plain data. */
export interface UnitMechanism extends CapSplit, UnitRequest, UnitErrors {
  /** γ, where the cap begins. */
  readonly threshold: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
}

/**
 * Completes the first `size` entries of a vector, of norm at most 1, to the unit sphere by the entry after them: the
 * norm is private too, and is hidden in this way.
 */
export function padToSphere(vector: Float64Array, size: number): void {
  let squared = 0;
  for (let i = 0; i < size; i++) squared += vector[i] * vector[i];
  vector[size] = squared < 1 ? sqrt(1 - squared) : 0;
}

/**
 * Completes a vector of the unit ball to the unit sphere with one more coordinate, √(1 − ‖u‖²): the norm is private
 * too, and a mechanism for unit vectors then hides it together with the direction.
 *
 * Shape: `vector` has `dimension` entries, `target` at least one more; an unbiased report of the completed vector is an
 * unbiased report of `vector` in its first entries.
 * @throws TypeError or RangeError for anything but `dimension` numbers in the unit ball, without their values.
 */
export function completeToSphere(vector: ArrayLike<number>, dimension: number, target: Float64Array): void {
  const squared = checkUnitBall('vector', vector, dimension);
  for (let i = 0; i < dimension; i++) target[i] = vector[i];
  // Above 1 only by rounding: the check refuses larger values.
  target[dimension] = squared < 1 ? sqrt(1 - squared) : 0;
}

/** Public constants of PrivUnitG. Plain data. */
export interface PrivUnitG extends UnitMechanism {
  readonly name: 'PrivUnitG';
}

/**
 * PrivUnitG with the best threshold. It is the randomizer of a unit vector of R^d with the least error of all pure
 * ε-locally private ones, up to a factor that tends to 1 as d grows.
 *
 * Law: z = (αu + g − ⟨g, u⟩u)/m with g ~ N(0, I_d) and α ~ N(0, 1) conditioned on α ≥ γ with probability p, on α < γ
 * otherwise; m = E α = φ(γ)(p/q − (1 − p)/(1 − q)), q = Φ(−γ). E α² = 1 + γm, so the covariance of z is
 * (I + (γm − m²)uuᵀ)/m², and at the best threshold, where γ = m, simply I/m².
 *
 * Guarantee: pure ε; the density of z takes two values relative to a Gaussian, in the ratio p(1 − q)/(q(1 − p)).
 *
 * Source: Asi, Feldman, Talwar (2022), Optimal algorithms for mean estimation under local differential privacy, ICML.
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500 and the dimension is a whole number ≥ 1.
 *
 * @example
 * ```ts
 * import { privUnitG } from 'ldpkit/mechanism';
 * // The variance of each coordinate of a report: it grows with the dimension, and falls with ε.
 * for (const epsilon of [1, 4]) console.log(privUnitG({ epsilon, dimension: 10 }).coordinateVariance.toFixed(1)); // 6.3; 0.4
 * ```
 */
export function privUnitG(request: UnitRequest): PrivUnitG {
  const epsilon = checkEpsilonRange(request.epsilon, 500);
  const dimension = checkInteger('dimension', request.dimension, 1);
  const floor = 1 / Math.expm1(epsilon);
  const best = bestThreshold((gamma) => normalDensity(gamma) / (floor + normalCdf(-gamma)));
  const split = splitCap(normalCdf(-best), epsilon);
  const { keep, cap } = split;
  // The constants below belong to the sampled law, whose cap was rounded to the safe side.
  const threshold = -normalQuantile(cap);
  const mean = (normalDensity(threshold) * (keep - cap)) / (cap * (1 - cap));
  const coordinateVariance = 1 / (mean * mean);
  const alongVariance = (1 + mean * (threshold - mean)) * coordinateVariance;
  return {
    name: 'PrivUnitG',
    epsilon,
    dimension,
    ...split,
    threshold,
    mean,
    scale: 1 / mean,
    guarantee: pure(epsilon),
    squaredError: (dimension - 1) * coordinateVariance + alongVariance,
    coordinateVariance,
    alongVariance,
  };
}

/**
 * α of one report: its component along the unit vector, before scaling. All that a report draws for its own datum; the
 * rest is Gaussian.
 *
 * Law: see {@link privUnitG}; by inversion of one uniform in the accurate tail, without retries.
 */
export function drawAlong({ keep, cap }: Pick<PrivUnitG, 'keep' | 'cap'>, random: Random): number {
  // The tail beyond α is uniform on (0, q) in the cap, and Φ(α) is uniform on (0, 1 − q) outside.
  return bernoulli(keep, random) ? -normalQuantile(cap * uniform(random)) : normalQuantile((1 - cap) * uniform(random));
}

// Scratch of the kernel, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(256);

/**
 * One report of a unit vector, written into the first `dimension` entries of `target`; `unit` may be longer as well.
 *
 * Law: see {@link privUnitG}; α by `drawAlong`. Allocates nothing.
 * The law is stated for real numbers; no proof covers the grid of doubles on which the normals lie.
 * @throws RangeError for a vector that is not of norm 1 (to 1e-9), without its values.
 */
export function randomizePrivUnitG(
  parameters: PrivUnitG,
  unit: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, scale } = parameters;
  const g = reserve(scratch, dimension);
  const alpha = drawAlong(parameters, random);
  fillNormal(g, random, 0, dimension);
  // Two sums of each kind halve the chain of dependent additions, which limits the speed of the loop.
  let dot = 0;
  let dotOdd = 0;
  let squared = 0;
  let squaredOdd = 0;
  let i = 0;
  for (; i + 1 < dimension; i += 2) {
    const u = unit[i];
    const v = unit[i + 1];
    dot += g[i] * u;
    dotOdd += g[i + 1] * v;
    squared += u * u;
    squaredOdd += v * v;
  }
  if (i < dimension) {
    dot += g[i] * unit[i];
    squared += unit[i] * unit[i];
  }
  checkUnitNorm(squared + squaredOdd);
  const shift = alpha - (dot + dotOdd);
  for (i = 0; i < dimension; i++) target[i] = (g[i] + shift * unit[i]) * scale;
}

/** Public constants of PrivUnit2. Plain data. */
export interface PrivUnit2 extends UnitMechanism {
  readonly name: 'PrivUnit2';
}

/**
 * PrivUnit2 with the jointly best keep probability and threshold. Every report has the same length 1/m, and its error
 * is the least of all pure ε-locally private unbiased randomizers of the unit sphere of R^d.
 *
 * Law: z = V/m, V uniform on the cap ⟨V, u⟩ ≥ γ of the sphere with probability p, on the rest otherwise. With
 * q = ½·I_{1−γ²}((d−1)/2, ½) the probability of the cap and
 * A = E[⟨V, u⟩; cap] = Γ(d/2)(1−γ²)^((d−1)/2)/(2√π·Γ((d+1)/2)), m = A(p/q − (1 − p)/(1 − q)) and
 * E⟨V, u⟩² = (1 + (d−1)γm)/d. At the best threshold, where γ = m, the covariance is a multiple of I.
 *
 * Guarantee: pure ε; the density takes two values, in the ratio p(1 − q)/(q(1 − p)). No part of ε is lost to bounds.
 *
 * Source: Bhowmick, Duchi, Freudiger, Kapoor, Rogers (2018), arXiv 1812.00984, algorithm 1; its optimality and the
 * joint choice: Asi, Feldman, Talwar (2022).
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 32 and the dimension is a whole number ≥ 2.
 */
export function privUnit2(request: UnitRequest): PrivUnit2 {
  const epsilon = checkEpsilonRange(request.epsilon, 32);
  const dimension = checkInteger('dimension', request.dimension, 2);
  const half = (dimension - 1) / 2;
  const floor = 1 / Math.expm1(epsilon);
  const best = bestThreshold((gamma) => {
    return capMoment(half, gamma, sqrt((1 - gamma) * (1 + gamma))) / (floor + capProbability(half, gamma));
  });
  const split = splitCap(capProbability(half, best), epsilon);
  const { keep, cap } = split;
  // The constants below belong to the sampled law, whose cap was rounded to the safe side.
  const [threshold, across] = fillCoordinate(cap, half);
  const mean = (capMoment(half, threshold, across) * (keep - cap)) / (cap * (1 - cap));
  const secondMoment = (1 + (dimension - 1) * threshold * mean) / dimension;
  const squaredScale = 1 / (mean * mean);
  return {
    name: 'PrivUnit2',
    epsilon,
    dimension,
    ...split,
    threshold,
    mean,
    scale: 1 / mean,
    guarantee: pure(epsilon),
    squaredError: (1 - mean) * (1 + mean) * squaredScale,
    coordinateVariance: ((1 - secondMoment) / (dimension - 1)) * squaredScale,
    alongVariance: (secondMoment - mean * mean) * squaredScale,
  };
}

/** P(⟨V, u⟩ ≥ γ), γ ≥ 0, for V uniform on the sphere of R^(2a+1). */
function capProbability(a: number, gamma: number): number {
  const within = incompleteBeta(gamma * gamma, 0.5, a);
  // Two ways to compute the same probability: by the complement near the equator, where 1 − γ² loses the digits of γ,
  // and directly in the tail.
  return within < 0.5 ? 0.5 * (1 - within) : 0.5 * incompleteBeta((1 - gamma) * (1 + gamma), a, 0.5);
}

/** E[⟨V, u⟩; ⟨V, u⟩ ≥ γ] for the same V, from γ and √(1 − γ²). */
function capMoment(a: number, gamma: number, across: number): number {
  // Γ(a + ½)/(2√π·Γ(a + 1)) by Stirling's formula with its corrections: no logarithm of size a log a is ever computed.
  const ratio = exp(stirlingCorrection(a + 0.5) - stirlingCorrection(a) + a * Math.log1p(0.5 / a) - 0.5) / sqrt(a);
  const power = gamma * gamma < 0.5 ? a * Math.log1p(-gamma * gamma) : 2 * a * Math.log(across);
  return (ratio / (2 * sqrt(Math.PI))) * exp(power);
}

// Scratch of the kernel, kept between calls and overwritten by each.
const coordinate = /* @__PURE__ */ createScratch(2);
const spheres = /* @__PURE__ */ createScratch(256);

/** The coordinate t ≥ 0 that V exceeds with a probability `tail` ≤ ½, and √(1 − t²), into the scratch. */
function fillCoordinate(tail: number, a: number): Float64Array {
  const { values } = coordinate;
  // Compute the smaller of t² and 1 − t²: its root and the root of its complement keep all digits.
  if (tail <= 0.25) {
    const square = inverseIncompleteBeta(2 * tail, a, 0.5);
    values[0] = sqrt(1 - square);
    values[1] = sqrt(square);
  } else {
    const square = inverseIncompleteBeta(1 - 2 * tail, 0.5, a);
    values[0] = sqrt(square);
    values[1] = sqrt(1 - square);
  }
  return values;
}

/**
 * One report of a unit vector, written into the first `dimension` entries of `target`; `unit` may be longer as well.
 *
 * Law: see {@link privUnit2}; the coordinate along `unit` by inversion of the beta law, without retries. Allocates
 * nothing. The law is stated for real numbers; no proof covers the grid of doubles on which the normals lie.
 * @throws RangeError for a vector that is not of norm 1 (to 1e-9), without its values.
 */
export function randomizePrivUnit2(
  parameters: PrivUnit2,
  unit: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, keep, cap, scale } = parameters;
  const g = reserve(spheres, dimension);
  const half = (dimension - 1) / 2;
  const inCap = bernoulli(keep, random);
  // The probability beyond the coordinate, on its own side of the equator, at most ½.
  const mass = (inCap ? cap : 1 - cap) * uniform(random);
  const positive = inCap || mass > 0.5;
  const tail = inCap || !positive ? mass : 1 - mass;
  const coordinates = fillCoordinate(tail, half);
  const along = coordinates[0];
  const across = coordinates[1];
  let rest = 0;
  do {
    fillNormal(g, random, 0, dimension);
    let dot = 0;
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      dot += g[i] * unit[i];
      squared += unit[i] * unit[i];
    }
    checkUnitNorm(squared);
    rest = 0;
    // The component orthogonal to u; its norm is computed from its entries, since a difference of squares could cancel.
    for (let i = 0; i < dimension; i++) {
      g[i] -= dot * unit[i];
      rest += g[i] * g[i];
    }
  } while (rest === 0);
  const alongScale = (positive ? along : -along) * scale;
  const acrossScale = (across * scale) / sqrt(rest);
  for (let i = 0; i < dimension; i++) target[i] = alongScale * unit[i] + acrossScale * g[i];
}

/** A randomizer of a unit vector, by grade: PrivUnitG in a simulation, k-closest encoding in a deployment. */
export type UnitRandomizer = PrivUnitG | KClosest;

/**
 * One report of a unit vector: the noisy vector itself from PrivUnitG, public seed and index from k-closest encoding.
 * @throws RangeError for a vector whose norm is not 1; the message does not contain its values.
 */
export function randomizeUnit(
  mechanism: UnitRandomizer,
  unit: ArrayLike<number>,
  target: ArrayLike<number>,
  random: Random,
): void {
  if (mechanism.name === 'k-closest') randomizeKClosest(mechanism, unit, target as Uint32Array, random);
  else randomizePrivUnitG(mechanism, unit, target as Float32Array | Float64Array, random);
}
