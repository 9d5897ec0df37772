import { checkTarget, createScratch, reserve } from '../check/datum.ts';
import { type Budget, checkBudget, checkInteger, checkWord, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { normalCdf } from '../numeric/normal.ts';
import { gdpMu } from '../privacy/gaussian.ts';
import { type ApproximateGuarantee, approximate } from '../privacy/guarantee.ts';
import { upward } from '../privacy/rounding.ts';
import type { Release } from '../privacy/totals.ts';
import { fillDiscreteGaussian } from '../random/discrete-gaussian.ts';
import { type DiscreteGaussianLaw, discreteGaussianLaw } from '../random/gaussian-cells.ts';
import type { Random } from '../random/random.ts';
import { type GridRounding, gridMove, LARGEST_RADIUS, quantize, type UnitGrid, unitGrid } from './grid.ts';

const { PI, exp, floor, log, max, min, sqrt } = Math;

/** The share of δ that is reserved for noise far from 0. */
const FAR_SHARE: number = 2 ** -20;

interface IntegerNoiseBudget extends Budget {
  readonly sigma: number;
  readonly coordinates: number;
}

/**
 * The budget that *continuous* Gaussian noise of the same σ must keep, so that discrete Gaussian noise on whole-number
 * vectors keeps the requested budget. The difference in ε is about (d + √(dx) + x)/(12σ²) with x = ε + log(2²⁰/δ). In
 * practice it is 1e-9, so integers cost nothing.
 *
 * Guarantee: let q be the law of the continuous noise rounded to whole numbers and p the discrete Gaussian, both around
 * a whole-number vector c, z = y − c, and Z the discrete normaliser. For each coordinate
 *
 *     q/p = Z/(√(2π)σ) · ∫ cosh(zs/σ²)·exp(−s²/2σ²) ds over |s| ≤ ½.
 *
 * The integral is at least exp(−1/(24σ²)) (cosh ≥ 1, Jensen) and at most sinh(x)/x ≤ exp(x²/6) at x = z/(2σ²); the
 * factor before it lies between 1 and 1 + 2.1·exp(−2π²σ²) (Poisson summation). So everywhere p ≤ e^A·q with
 * A = d/(24σ²), and q ≤ e^B·p with B = R²/(24σ²) + 2.1·d·exp(−2π²σ²) wherever ‖z‖ ≤ Rσ. Outside, q has probability at
 * most τ if R = √(d + 2√(dx) + 2x) + √d/(2σ), x = log(1/τ) (χ² tail; rounding moves z by at most √d/2). Rounding is
 * post-processing, so if the continuous noise is (ε′, δ′), then P(S) ≤ e^A(e^ε′·(e^B·P′(S) + τ) + δ′): the discrete
 * noise satisfies (ε′ + A + B, e^A(δ′ + e^ε′·τ)). This is not asymptotic; it holds for every σ ≥ 1.
 *
 * Source: derived here; χ² tail from Laurent, Massart (2000), Annals of Statistics 28, Lemma 1.
 */
export function continuousBudget(request: IntegerNoiseBudget): Budget {
  const lost = integerNoiseLoss(request);
  const { epsilon, delta, sigma, coordinates } = request;
  const left = epsilon * (1 - 2 ** -50) - lost;
  if (!(left > 0)) {
    throw new RefusedValue('sigma', 'a whole number large enough for epsilon and coordinates', sigma);
  }
  // Lowered by more than its rounding errors; `everywhere` is A above.
  const everywhere = coordinates / (24 * sigma * sigma);
  return { epsilon: left, delta: delta * (1 - FAR_SHARE) * exp(-everywhere) * (1 - 2 ** -40) };
}

/** What discrete Gaussian noise costs in ε besides continuous noise: A + B of `continuousBudget`, rounded up. */
function integerNoiseLoss(request: IntegerNoiseBudget): number {
  const { epsilon, delta } = checkBudget(request);
  const sigma = checkInteger('sigma', request.sigma, 1);
  const d = checkInteger('coordinates', request.coordinates, 1);
  const x = epsilon - log(FAR_SHARE) - log(delta);
  const range = sqrt(d + 2 * sqrt(d * x) + 2 * x) + sqrt(d) / (2 * sigma);
  const within = (range * range) / (24 * sigma * sigma) + 2.1 * d * exp(-2 * PI * PI * sigma * sigma);
  return (d / (24 * sigma * sigma) + within) * (1 + 2 ** -40);
}

/** Least and largest binary logarithm of a σ chosen here. */
const LEAST = 16;
const LARGEST = 44;

/** From this one on a finer grid is not worth longer integers. */
const FINE = 26;

/** By how much rounding may increase the distance between two scaled vectors, in units of the radius. */
const PRODUCTS: number = 2 ** -45;

/** What is requested of a discrete Gaussian mechanism. */
export interface DiscreteGaussianRequest {
  /** ε of all copies together. */
  readonly epsilon: number;
  /** δ of all copies together. */
  readonly delta: number;
  readonly dimension: number;
  /**
   * The largest ℓ₂ distance between the vectors at two data of one player, at most 2. The default is 2, which holds for
   * the unit ball. The caller must ensure any smaller value.
   */
  readonly sensitivity?: number;
  /** How many reports of the same datum share the budget; 1 by default. */
  readonly copies?: number;
  /** How coordinates become whole numbers; `random`, without bias, by default. */
  readonly rounding?: GridRounding;
  /** σ in units of the grid, a whole number up to 2⁴⁴; chosen by default. */
  readonly sigma?: number;
}

/** Public constants of the discrete Gaussian mechanism, and the properties of its report. Plain data. */
export interface DiscreteGaussianMechanism extends UnitGrid {
  readonly name: 'discrete Gaussian';
  readonly epsilon: number;
  readonly delta: number;
  /** How many reports of the same datum the guarantee covers. */
  readonly copies: number;
  /** σ of the noise in units of the grid, a whole number. */
  readonly sigma: number;
  /** Δ in units of the grid, computed: 2r for the unit ball. */
  readonly sensitivity: number;
  /** Δ/σ of one report. The report is *not* exactly μ-Gaussian private; the guarantee below is what holds. */
  readonly mu: number;
  /** ρ = Δ²/(2σ²) of one report: ρ-zero-concentrated privacy holds exactly. */
  readonly rho: number;
  /** What all copies together guarantee. */
  readonly guarantee: ApproximateGuarantee;
  /** Standard deviation of the noise in units of the vector, σ·step. */
  readonly deviation: number;
  /** Variance of the noise on a coordinate in units of the vector; rounding adds at most `roundingVariance`. */
  readonly coordinateVariance: number;
  /** The largest E‖step·k − v‖² over v: p times the noise variance and the largest rounding variance. */
  readonly squaredError: number;
  /** Upper bound on the probability that any coordinate of a report saturates in an `Int32Array`. */
  readonly saturation: number;
}

/**
 * The discrete Gaussian mechanism on the unit ball: a vector is quantised to whole numbers of norm at most r, and exact
 * discrete Gaussian noise of a whole-number σ is added. Multiply a report by `step` for an unbiased report of the
 * vector.
 *
 * Guarantee: (ε, δ) for all copies together, by the exact curve of the Gaussian mechanism at the part
 * of the budget that whole numbers leave (both laws are within e^(A + B) of each other, A + B of the order 1/σ²);
 * ρ-zCDP for each. Both hold for the integers that are sent: no double is used after the clip in whole numbers. With a
 * sensitivity below 2, both also need the vectors to be within that distance.
 *
 * σ is the least power of two from 2¹⁶ on with r ≥ 8192·√p, so that grid and rounding cost less than 0.1 % in variance.
 * From 2²⁶ on, where integers would be long, r ≥ 256·√p is enough.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, Theorem 4 (zCDP of each
 * coordinate; the Rényi divergences of independent coordinates add up).
 * @throws TypeError or RangeError for a request outside the ranges above, or a budget too small for any σ.
 *
 * @example
 * ```ts
 * import { discreteGaussianMechanism } from 'ldpkit/mechanism';
 * const { sigma, sensitivity } = discreteGaussianMechanism({ epsilon: 1, delta: 1e-6, dimension: 3 });
 * console.log(Number.isInteger(sigma), (sigma / sensitivity).toFixed(2)); // true 4.22
 * ```
 */
export function discreteGaussianMechanism(request: DiscreteGaussianRequest): DiscreteGaussianMechanism {
  const budget = checkBudget(request);
  const dimension = checkInteger('dimension', request.dimension, 1, 2 ** 26);
  const copies = checkInteger('copies', request.copies ?? 1, 1, 2 ** 20);
  const diameter = request.sensitivity ?? 2;
  if (typeof diameter !== 'number') throw new RefusedKind('sensitivity', 'a number in (0, 2]', diameter);
  if (!(diameter > 0 && diameter <= 2)) throw new RefusedValue('sensitivity', 'a number in (0, 2]', diameter);
  const rounding = checkWord('rounding', request.rounding ?? 'random', ['random', 'nearest']);
  const moved = gridMove(dimension, rounding);
  const sigma = request.sigma === undefined ? undefined : checkInteger('sigma', request.sigma, 1, 2 ** LARGEST);

  /** The largest radius of a grid whose sensitivity a given σ allows. */
  const affordable = (size: number): number => {
    const mu = gdpMu(continuousBudget({ ...budget, sigma: size, coordinates: dimension * copies })) / sqrt(copies);
    const allowed = mu * size * (1 - 2 ** -48);
    const radius =
      diameter === 2 ? allowed / 2 : ((allowed - (2 - diameter) * moved) / (diameter + PRODUCTS)) * (1 - 2 ** -48);
    return min(LARGEST_RADIUS, floor(radius));
  };
  if (sigma !== undefined) return assemble(affordable(sigma), sigma);
  for (let power = LEAST; power <= LARGEST; power++) {
    const asked = { ...budget, sigma: 2 ** power, coordinates: dimension * copies };
    // Where whole numbers are too coarse for so small an ε, only a larger σ helps.
    if (integerNoiseLoss(asked) >= 0.5 * budget.epsilon) continue;
    const radius = affordable(2 ** power);
    if (radius >= (power < FINE ? 8192 : 256) * sqrt(dimension)) return assemble(radius, 2 ** power);
  }
  throw new RefusedValue('epsilon', 'a budget that is not spent by rounding alone', budget.epsilon);

  function assemble(radius: number, size: number): DiscreteGaussianMechanism {
    if (!(radius >= max(2, 2 * sqrt(dimension)))) {
      throw new RefusedValue('sigma', 'a whole number for which the radius is >= 2·√dimension', size);
    }
    const grid = unitGrid(dimension, radius, rounding);
    const close = diameter * (radius - moved) + 2 * moved + PRODUCTS * radius;
    const sensitivity = diameter === 2 ? grid.sensitivity : min(grid.sensitivity, close);
    const mu = sensitivity / size;
    const deviation = size * grid.step;
    const coordinateVariance = deviation * deviation;
    return {
      ...grid,
      name: 'discrete Gaussian',
      epsilon: budget.epsilon,
      delta: budget.delta,
      copies,
      sigma: size,
      sensitivity,
      mu,
      rho: upward((mu * mu) / 2),
      guarantee: approximate(budget),
      deviation,
      coordinateVariance,
      // Rounding adds at most step²/4 to a coordinate; to nearest it is bias, with the same bound.
      squaredError: dimension * (coordinateVariance + 0.25 * grid.step * grid.step),
      saturation: min(1, 2 * dimension * exp(-0.5 * (max(0, 2 ** 31 - 1 - radius) / size) ** 2)),
    };
  }
}

// Scratch of one report, kept between calls and overwritten by each.
const points = /* @__PURE__ */ createScratch(64);
const noises = /* @__PURE__ */ createScratch(64);

/**
 * One report of a vector of the unit ball, as whole numbers in the first `dimension` entries of `target`.
 *
 * Law: the vector's grid point plus exact discrete Gaussian noise; see {@link discreteGaussianMechanism}. Numbers
 * outside the range of an `Int32Array`, or ±(2⁵³ − 1), saturate. This is post-processing and costs no privacy; in an
 * `Int32Array` its probability is below `saturation`. Allocates nothing. For a deployed report the source must be
 * `secureRandom`.
 * @throws TypeError or RangeError for anything but `dimension` finite numbers in the unit ball, without their values;
 * RangeError for a target that is too short.
 */
export function randomizeDiscreteGaussian(
  mechanism: DiscreteGaussianMechanism,
  vector: ArrayLike<number>,
  target: Int32Array | Float64Array,
  random: Random,
): void {
  const { dimension, sigma } = mechanism;
  checkTarget(target, dimension);
  const point = reserve(points, dimension);
  const noise = reserve(noises, dimension);
  quantize(mechanism, vector, point, random);
  fillDiscreteGaussian(noise, lawOf(sigma), random, 0, dimension);
  const limit = target instanceof Int32Array ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  // The sum is below 2⁵² + 2⁵³ in absolute value: beyond 2⁵³ it may be rounded, but never across the limit.
  for (let i = 0; i < dimension; i++) target[i] = max(-limit, min(limit, point[i] + noise[i]));
}

const laws = new Map<number, DiscreteGaussianLaw>();

/** The law for a σ, kept for later calls, since making its table takes a few milliseconds. */
function lawOf(sigma: number): DiscreteGaussianLaw {
  let law = laws.get(sigma);
  if (law === undefined) {
    // Normally few laws are in use; the limit keeps the memory small if a caller goes through many.
    if (laws.size >= 32) laws.clear();
    law = discreteGaussianLaw({ numerator: BigInt(sigma) ** 2n, denominator: 1n });
    laws.set(sigma, law);
  }
  return law;
}

/**
 * The discrete Gaussian of a deployed report that travels as 32-bit integers: the only one that such a report may have.
 * Law: a number of the report is cut off with probability at most 2Φ(−(2³¹ − 1 − r)/σ) ≤ 10⁻¹², r the radius of the grid.
 * A grid point is at most r, so only noise of at least m = 2³¹ − r is cut off above: P(noise ≥ m) = Σ_{k ≥ m}
 * e^(−k²/2σ²)/Z ≤ ∫_{m−1}^∞ e^(−t²/2σ²) dt/Z, where Z ≥ √(2π)σ by Poisson summation. A budget whose noise would be cut
 * off more often is refused: its reports would be private but useless.
 */
export function integerNoise(request: DiscreteGaussianRequest): DiscreteGaussianMechanism {
  const noise = discreteGaussianMechanism(request);
  const cutOff = 2 * normalCdf((noise.radius - (2 ** 31 - 1)) / noise.sigma);
  if (!(cutOff <= 1e-12)) {
    throw new RefusedValue('epsilon', 'a budget whose noise fits into 32-bit integers', request.epsilon);
  }
  return noise;
}

/** The one release of a deployed Gaussian report: integers, whose sensitivity and noise are in steps of the grid. */
export function discreteGaussianRelease(what: string, noise: DiscreteGaussianMechanism): Release {
  const { name, sensitivity, sigma, guarantee, rho } = noise;
  return {
    what: `${what} on a grid`,
    count: 1,
    mechanism: name,
    sensitivity,
    scale: sigma,
    guarantee,
    concentrated: rho,
  };
}
