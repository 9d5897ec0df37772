import { checkTarget, checkUnitNorm, createScratch, dropTiny, reserve, UNIT_TOLERANCE } from '../check/datum.ts';
import { checkEpsilonRange, checkInteger } from '../check/refusal.ts';
import { normalCdf, normalDensity, normalQuantile } from '../numeric/normal.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { bernoulli, fillNormal, type Random, uniform } from '../random/random.ts';
import { type KClosest, randomizeKClosest, type UnitErrors, type UnitRequest } from './k-closest.ts';

// A device carries this file too: what only a simulation needs is not taken out of Math for all.
const { exp, sqrt } = Math;

/** Raises the cap probability by more than the rounding errors in it; far too small to matter. */
const SLACK: number = 2 ** -48;

/** The side of a threshold on which a report falls: the cap around the datum, or the rest. */
interface CapSplit {
  /** p, the probability that the report is drawn from the cap of the datum. */
  readonly keep: number;
  /** q, the probability of that cap under the law without a datum. */
  readonly cap: number;
  /** p(1 − q)/(q(1 − p)), the largest ratio of two densities of a report, rounded up; never above e^ε. */
  readonly densityRatio: number;
}

/**
 * The keep probability that spends all of ε on a cap, and the cap probability adjusted to the safe side: p(1 − q)/(q(1 −
 * p)) ≤ e^ε holds exactly for the two doubles.
 */
function splitCap(wanted: number, epsilon: number): CapSplit {
  const shrink = exp(-epsilon);
  const keep = wanted / (wanted + (1 - wanted) * shrink);
  // keep ≥ ½ is a multiple of 2⁻⁵³, so 1 − keep is exact and only the cap has to be rounded with care.
  const cap = ((keep * shrink) / (1 - keep + keep * shrink)) * (1 + SLACK);
  const densityRatio = ((keep * (1 - cap)) / (cap * (1 - keep))) * (1 + SLACK / 8);
  return { keep, cap, densityRatio };
}

/**
 * The threshold γ that maximises the mean m(γ) = A(γ)/(1/(e^ε − 1) + Q(γ)), Q the probability of the cap, A its share of
 * the mean. As A′ = −γ·density and Q′ = −density, m′ = 0 exactly where γ = m(γ). There m is flat: γ ← m(γ) converges
 * quadratically, never overshoots since m(γ) ≤ max m, and ends when γ stops rising.
 */
export function bestThreshold(mean: (threshold: number) => number): number {
  let threshold = mean(0);
  for (;;) {
    const next = mean(threshold);
    if (!(next > threshold * (1 + 1e-15))) return threshold;
    threshold = next;
  }
}

/**
 * Completes a vector of norm at most 1 to the unit sphere by the entry after it, which hides the private norm too: the first entries of
 * an unbiased report of it are an unbiased report of the vector.
 */
export function padToSphere(vector: Float64Array, size: number): void {
  let squared = 0;
  for (let i = 0; i < size; i++) squared += vector[i] * vector[i];
  vector[size] = squared < 1 ? sqrt(1 - squared) : 0;
}

/**
 * Divides a vector of norm at most `bound`, up to rounding, by it, into the unit ball: a refusal of rounding errors would
 * tell something about it, and so would the time that tiny entries take.
 */
export function scaleToBall(vector: Float64Array, bound: number): void {
  const { length } = vector;
  let squared = 0;
  for (let i = 0; i < length; i++) {
    vector[i] = dropTiny(vector[i], bound) / bound;
    squared += vector[i] * vector[i];
  }
  if (squared <= 1 + UNIT_TOLERANCE / 2) return;
  // Shortens by more than the rounding error of a sum of so many squares.
  const factor = (1 - length * 2 ** -52) / sqrt(squared);
  for (let i = 0; i < length; i++) vector[i] *= factor;
}

/** Public constants of PrivUnitG, and the properties of its report z of a unit vector u. Plain data. */
export interface PrivUnitG extends CapSplit, UnitRequest, UnitErrors {
  readonly name: 'PrivUnitG';
  /** γ, where the cap begins on the side of the datum. */
  readonly threshold: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
  /** q₂, the part of the cap probability q on the side opposite to the datum, where products count: see `productPrivUnitG`. */
  readonly opposite?: number;
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
  return privUnitWith({ epsilon, dimension }, normalCdf(-meanThreshold(1 / Math.expm1(epsilon))), 0);
}

/** The threshold of largest mean, for 1/(e^ε − 1). */
export function meanThreshold(floor: number): number {
  return bestThreshold((gamma) => normalDensity(gamma) / (floor + normalCdf(-gamma)));
}

/** PrivUnitG whose cap has about these probabilities on the side of the datum, and on the opposite one. */
export function privUnitWith({ epsilon, dimension }: UnitRequest, near: number, far: number): PrivUnitG {
  const split = splitCap(near + far, epsilon);
  const { keep, cap } = split;
  // The constants below belong to the sampled law, whose cap was rounded to the safe side.
  const opposite = (cap * far) / (near + far);
  const threshold = -normalQuantile(cap - opposite);
  const other = opposite > 0 ? -normalQuantile(opposite) : 0;
  const [a, b] = [normalDensity(threshold), opposite > 0 ? normalDensity(other) : 0];
  const mean = ((a - b) * (keep - cap)) / (cap * (1 - cap));
  // E α² = 1 + edge·m.
  const edge = opposite > 0 ? (threshold * a + other * b) / (a - b) : threshold;
  const coordinateVariance = 1 / (mean * mean);
  const alongVariance = (1 + mean * (edge - mean)) * coordinateVariance;
  return {
    name: 'PrivUnitG',
    epsilon,
    dimension,
    ...split,
    ...(far > 0 ? { opposite } : {}),
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
 * α of one report, see {@link privUnitG}: its component along the unit vector, before scaling; the rest is Gaussian. By
 * inversion of one uniform in the accurate tail, without retries.
 */
export function drawAlong(
  { keep, cap, opposite = 0 }: Pick<PrivUnitG, 'keep' | 'cap' | 'opposite'>,
  random: Random,
): number {
  // Outside of the cap Φ(α) is uniform on (q₂, q₂ + 1 − q); inside, what is beyond α on its side is uniform.
  if (!bernoulli(keep, random)) return normalQuantile(opposite + (1 - cap) * uniform(random));
  const place = cap * uniform(random);
  return place <= opposite ? normalQuantile(place) : -normalQuantile(place - opposite);
}

// Scratch of the kernel, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(256);

/**
 * One report of a unit vector, written into the first `dimension` entries of `target`; `unit` may be longer as well.
 *
 * Law: see {@link privUnitG}; α by inversion of one uniform. Allocates nothing.
 * The law is stated for real numbers; no proof covers the grid of doubles on which the normals lie.
 * @throws RangeError for a vector that is not of norm 1 (to 1e-9), without its values, and for a target that is too short.
 */
export function randomizePrivUnitG(
  parameters: PrivUnitG,
  unit: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, scale } = parameters;
  checkTarget(target, dimension);
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

/** A randomizer of a unit vector, by grade: PrivUnitG in a simulation, k-closest encoding in a deployment. */
export type UnitRandomizer = PrivUnitG | KClosest;

/** One report of a unit vector: the noisy vector from PrivUnitG, public seed and index from k-closest encoding. */
export function randomizeUnit(
  mechanism: UnitRandomizer,
  unit: ArrayLike<number>,
  target: ArrayLike<number>,
  random: Random,
): void {
  if (mechanism.name === 'k-closest') randomizeKClosest(mechanism, unit, target as Uint32Array, random);
  else randomizePrivUnitG(mechanism, unit, target as Float32Array | Float64Array, random);
}
