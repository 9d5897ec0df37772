import { checkFiniteEntries, checkTarget, createScratch, reserve, reserveExactly } from '../check/datum.ts';
import { checkBudget, checkInteger, checkPositive, RefusedValue } from '../check/refusal.ts';
import { gdpMu } from '../privacy/gaussian.ts';
import { type GdpGuarantee, gdp, type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { quotientAbove } from '../privacy/rounding.ts';
import { fillNormal, fillSphere, gamma, type Random } from '../random/random.ts';

const { log, sqrt } = Math;

/** What is requested of a Gaussian mechanism; calibrate σ with `analyticGaussianSigma` or as Δ/μ. */
export interface GaussianRequest {
  readonly dimension: number;
  /** Δ > 0: the largest ℓ₂ distance between the vectors at two data of one player, 2 for the unit ball. */
  readonly sensitivity: number;
  /** σ > 0, the standard deviation of the noise on each coordinate. */
  readonly sigma: number;
}

/** Public constants of the Gaussian mechanism, and the properties of its report. Plain data. */
export interface GaussianMechanism extends GaussianRequest {
  readonly name: 'Gaussian';
  /** What one report guarantees. */
  readonly guarantee: GdpGuarantee;
  /** Infinity: the ratio of two densities has no bound, so the mechanism is not pure at any ε. */
  readonly densityRatio: number;
  /** E‖z − v‖² = d·σ². */
  readonly squaredError: number;
  /** Variance of the report in any direction, σ². */
  readonly coordinateVariance: number;
}

/**
 * The Gaussian mechanism: v + σg with g ~ N(0, I_d).
 *
 * Guarantee: μ-Gaussian differential privacy with μ = Δ/σ, rounded up, for any two vectors at distance at most Δ.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, Theorem 2.7.
 * @throws TypeError or RangeError unless the dimension is a whole number ≥ 1 and sensitivity and σ are finite and > 0.
 * @theorem slides Gaussian mechanism
 * @theorem online-inference Proposition 1
 * @theorem influence Definition 7
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { gaussianMechanism, randomizeGaussian } from 'ldpkit/mechanism';
 * import { analyticGaussianSigma } from 'ldpkit/privacy';
 * const sigma = analyticGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 2 });
 * const mechanism = gaussianMechanism({ dimension: 2, sensitivity: 2, sigma });
 * const report = new Float64Array(2);
 * randomizeGaussian(mechanism, [0.6, 0.8], report, seededRandom('a simulation'));
 * console.log(mechanism.guarantee.kind, report.every(Number.isFinite)); // gdp true
 * ```
 */
export function gaussianMechanism(request: GaussianRequest): GaussianMechanism {
  const dimension = checkInteger('dimension', request.dimension, 1);
  const sensitivity = checkPositive('sensitivity', request.sensitivity);
  const sigma = checkPositive('sigma', request.sigma);
  return {
    name: 'Gaussian',
    dimension,
    sensitivity,
    sigma,
    guarantee: gdp(quotientAbove(sensitivity, sigma)),
    densityRatio: Infinity,
    squaredError: dimension * sigma * sigma,
    coordinateVariance: sigma * sigma,
  };
}

// Scratch of the kernel, kept between calls and overwritten by each.
const normals = /* @__PURE__ */ createScratch(256);

/**
 * One report of a vector, written into the first `dimension` entries of `target`; `vector` may be longer as well, and
 * the two may be the same array. The caller must ensure that the vectors at two data are at most the sensitivity apart.
 *
 * Law: see {@link gaussianMechanism}. Allocates nothing.
 * @throws RangeError for anything but finite numbers, without their values, and for a target that is too short; no coin
 * is taken then.
 */
export function randomizeGaussian(
  parameters: GaussianMechanism,
  vector: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, sigma } = parameters;
  checkTarget(target, dimension);
  checkFiniteEntries(vector, dimension);
  const noise = reserve(normals, dimension);
  fillNormal(noise, random, 0, dimension);
  for (let i = 0; i < dimension; i++) target[i] = vector[i] + sigma * noise[i];
}

/** Standard deviations of the noise on one copy of a player's record. */
export interface CopyNoise {
  /** On each coordinate of x. */
  readonly features: number;
  readonly label: number;
}

/**
 * Noisy copies of a record (x, y): copy 0, and L = d(d + 1)/2 further copies, so that factor k of every monomial (y⟨w,
 * x⟩)^j, j ≤ d, can use its own copy.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 3–7.
 */
export interface NoisyCopies {
  /** p, the dimension of x. */
  readonly dimension: number;
  /** d, the degree of the polynomial for which the copies are used. */
  readonly degree: number;
  /** L, the number of copies besides copy 0. */
  readonly further: number;
  /** Noise on copy 0. */
  readonly firstNoise: CopyNoise;
  /** Noise on each further copy. */
  readonly furtherNoise: CopyNoise;
  /** Numbers in a report, (L + 1)(p + 1). */
  readonly length: number;
}

/** What is requested of noisy copies, of degree d ≥ 0 in p ≥ 1 dimensions: (ε, δ) of the whole transcript. */
export interface CopiesRequest {
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
  readonly dimension: number;
}

/** ℓ₂ sensitivity of one copy of x, and of one copy of y: both lie in a ball of radius 1. */
export const COPY_SENSITIVITY = 2;

/** Highest degree of noisy copies: L + 1 = 211 copies, each with noise for its share of the budget. */
export const MAXIMUM_COPIES_DEGREE = 20;

function layout(request: CopiesRequest): { dimension: number; degree: number; further: number; length: number } {
  const dimension = checkInteger('dimension', request.dimension, 1, 1_000_000);
  const degree = checkInteger('degree', request.degree, 0, MAXIMUM_COPIES_DEGREE);
  const further = (degree * (degree + 1)) / 2;
  return { dimension, degree, further, length: (further + 1) * (dimension + 1) };
}

/**
 * The noise levels exactly as printed: variance 32 ln(1.25/δ)/ε² on copy 0, 8 ln(1.25/δ)·d²(d + 1)²/ε² on the others.
 * Guarantee: the printed argument does not prove the printed (ε, δ); the certificate gives the guarantee that holds.
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 3, 5 and 6.
 * @theorem noninteractive Algorithm 1
 * @theorem noninteractive Algorithm 2
 */
export function printedCopies(request: CopiesRequest): NoisyCopies {
  const { epsilon, delta } = checkBudget(request);
  const { dimension, degree, further, length } = layout(request);
  const first = sqrt(32 * log(1.25 / delta)) / epsilon;
  const other = (sqrt(8 * log(1.25 / delta)) * degree * (degree + 1)) / epsilon;
  return {
    dimension,
    degree,
    further,
    firstNoise: { features: first, label: first },
    furtherNoise: { features: other, label: other },
    length,
  };
}

/**
 * Noise levels that together cost exactly the budget: by composition of Gaussian DP Σ (2/σ)² over all copies of x and y
 * is μ², the largest within (ε, δ). The split minimises the variance of the leading monomial of the gradient estimate at
 * ‖w‖ = ‖x‖ = |y| = 1, y⟨w, x⟩ = ½: ((1 + σ_y²)(¼ + σ_x²))^d · (1 + σ_y0²)(1 + p·σ_x0²).
 */
export function calibratedCopies(request: CopiesRequest): NoisyCopies {
  const budget = checkBudget(request);
  const { dimension, degree, further, length } = layout(request);
  const mu = gdpMu(budget);
  const noise = ([first, label0, label]: readonly number[]): readonly [CopyNoise, CopyNoise] => {
    const share0 = degree === 0 ? 1 : first;
    const sigma = (share: number): number => COPY_SENSITIVITY / (mu * sqrt(share));
    const each = (1 - share0) / Math.max(1, further);
    return [
      { features: sigma(share0 * (1 - label0)), label: sigma(share0 * label0) },
      degree === 0 ? { features: 0, label: 0 } : { features: sigma(each * (1 - label)), label: sigma(each * label) },
    ];
  };
  const logVariance = (shares: readonly number[]): number => {
    const [zero, other] = noise(shares);
    const gradient = log(1 + zero.label ** 2) + log(1 + dimension * zero.features ** 2);
    return gradient + degree * (log(1 + other.label ** 2) + log(0.25 + other.features ** 2));
  };
  const [firstNoise, furtherNoise] = noise(smallestOnUnitCube(logVariance, 3));
  return { dimension, degree, further, firstNoise, furtherNoise, length };
}

// Cyclic golden-section search: the function is smooth and unimodal along each share, so a few sweeps suffice.
function smallestOnUnitCube(objective: (shares: readonly number[]) => number, size: number): number[] {
  const ratio = (sqrt(5) - 1) / 2;
  const at = new Array<number>(size).fill(0.5);
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let k = 0; k < size; k++) {
      const value = (share: number): number => objective(at.with(k, share));
      let [low, high] = [1e-6, 1 - 1e-6];
      for (let step = 0; step < 48; step++) {
        const left = high - ratio * (high - low);
        const right = low + ratio * (high - low);
        if (value(left) < value(right)) high = right;
        else low = left;
      }
      at[k] = (low + high) / 2;
    }
  }
  return at;
}

// Scratch for the noise of one report, kept between calls; it is overwritten before each use.
const scratch = /* @__PURE__ */ createScratch(64);

/**
 * Writes the noisy copies of (x, y) into `target`, independent normals: copy k at k(p + 1) to k(p + 1) + p, first x, then
 * y.
 * @theorem noninteractive Algorithm 1
 */
export function randomizeCopies(
  copies: NoisyCopies,
  features: ArrayLike<number>,
  label: number,
  target: Float32Array | Float64Array,
  random: Random,
): void {
  const { dimension, length, firstNoise, furtherNoise } = copies;
  const noise = reserve(scratch, length);
  fillNormal(noise, random, 0, length);
  for (let at = 0; at < length; ) {
    const deviation = at === 0 ? firstNoise : furtherNoise;
    for (let i = 0; i < dimension; i++, at++) target[at] = features[i] + deviation.features * noise[at];
    target[at] = label + deviation.label * noise[at];
    at++;
  }
}

/** Standard deviations of the precision-weighted average of all copies, the sufficient statistic of the report. */
export function averagedNoise(copies: NoisyCopies): CopyNoise {
  const { further, firstNoise, furtherNoise } = copies;
  const combined = (first: number, other: number): number =>
    further === 0 ? first : 1 / sqrt(1 / first ** 2 + further / other ** 2);
  return {
    features: combined(firstNoise.features, furtherNoise.features),
    label: combined(firstNoise.label, furtherNoise.label),
  };
}

/**
 * Writes the precision-weighted average of a report's copies of x into `target` and returns that of y: a Gaussian copy of
 * the record with the deviations of {@link averagedNoise}, without loss of information (Rao–Blackwell).
 * Shape: the report is entries `offset` to `offset + copies.length − 1` of `values`.
 */
export function averageCopies(
  copies: NoisyCopies,
  values: ArrayLike<number>,
  offset: number,
  target: Float64Array,
): number {
  const { dimension, further, firstNoise, furtherNoise } = copies;
  const mean = averagedNoise(copies);
  const first = (mean.features / firstNoise.features) ** 2;
  const other = further === 0 ? 0 : (mean.features / furtherNoise.features) ** 2;
  for (let i = 0; i < dimension; i++) target[i] = first * values[offset + i];
  let label = (mean.label / firstNoise.label) ** 2 * values[offset + dimension];
  const otherLabel = further === 0 ? 0 : (mean.label / furtherNoise.label) ** 2;
  for (let copy = 1, at = offset + dimension + 1; copy <= further; copy++, at++) {
    for (let i = 0; i < dimension; i++, at++) target[i] += other * values[at];
    label += otherLabel * values[at];
  }
  return label;
}

/** What is requested of {@link sphericalLaplace}. */
export interface SphericalLaplaceRequest {
  readonly epsilon: number;
  /** p, the number of coordinates of the vector. */
  readonly dimension: number;
  /** Largest ℓ₂ distance between two vectors; by default 2, which holds for the unit ball. */
  readonly sensitivity?: number;
}

/** Public constants of the spherical Laplace mechanism Z = v + η, and the properties of its report. Plain data. */
export interface SphericalLaplace {
  readonly name: 'spherical Laplace';
  readonly dimension: number;
  /** P, the odd one of p and p + 1. The noise is drawn in R^P; if p is even, a zero is appended to the vector. */
  readonly noiseDimension: number;
  readonly sensitivity: number;
  /** κ = ε/sensitivity: the density of the noise is proportional to exp(−κ‖η‖). */
  readonly rate: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
  /** The supremum of the ratio of the densities of a report under two vectors, e^ε. */
  readonly densityRatio: number;
  /** E‖Z − v‖² = p(P + 1)/κ², exactly. */
  readonly squaredError: number;
  /** Variance of each coordinate, (P + 1)/κ². */
  readonly coordinateVariance: number;
}

/**
 * The spherical Laplace mechanism. For an analytic loss its noise can be corrected exactly,
 * as `generalized-linear` does.
 *
 * Law: Z = v + η in R^P, the direction of η uniform and its length gamma with shape P and scale 1/κ. For even p the
 * last coordinate of Z, which is only noise, is not reported.
 *
 * Guarantee: pure ε-local differential privacy, since ‖z − v′‖ ≤ ‖z − v‖ + sensitivity.
 *
 * Source: K. Chaudhuri, C. Monteleoni, A. Sarwate 2011, "Differentially private empirical risk minimization" (the law).
 * @throws TypeError or RangeError unless ε and the sensitivity are finite and > 0, the dimension is a whole number from 1
 * to 1e6, and the variance of the noise is a double > 0.
 */
export function sphericalLaplace(request: SphericalLaplaceRequest): SphericalLaplace {
  const guarantee = pure(request.epsilon);
  const dimension = checkInteger('dimension', request.dimension, 1, 1_000_000);
  const sensitivity = checkPositive('sensitivity', request.sensitivity ?? 2);
  const noiseDimension = dimension % 2 === 1 ? dimension : dimension + 1;
  const rate = guarantee.epsilon / sensitivity;
  const coordinateVariance = (noiseDimension + 1) / rate ** 2;
  // Otherwise the noise would be 0, or no number.
  if (!(coordinateVariance > 0 && dimension * coordinateVariance < Infinity)) {
    const expected = (other: string): string => `a number whose ratio to ${other} has a square within the doubles`;
    if (request.sensitivity !== undefined) throw new RefusedValue('sensitivity', expected('epsilon'), sensitivity);
    throw new RefusedValue('epsilon', expected('the sensitivity'), guarantee.epsilon);
  }
  return {
    name: 'spherical Laplace',
    dimension,
    noiseDimension,
    sensitivity,
    rate,
    guarantee,
    densityRatio: Math.exp(guarantee.epsilon),
    squaredError: dimension * coordinateVariance,
    coordinateVariance,
  };
}

// Scratch for the noise, kept between calls and overwritten by each.
const directions = /* @__PURE__ */ createScratch(0);

/**
 * One report of a vector, written into the first `dimension` entries of `target`; the two may be the same array. The
 * caller must ensure that two vectors are at most the sensitivity apart.
 *
 * Law: see {@link sphericalLaplace}.
 * @throws as {@link randomizeGaussian}.
 */
export function randomizeSphericalLaplace(
  parameters: SphericalLaplace,
  vector: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, noiseDimension, rate } = parameters;
  checkTarget(target, dimension);
  checkFiniteEntries(vector, dimension);
  const noise = reserveExactly(directions, noiseDimension);
  fillSphere(noise, random);
  const radius = gamma(noiseDimension, 1 / rate, random);
  for (let i = 0; i < dimension; i++) target[i] = vector[i] + radius * noise[i];
}
