import { checkInteger, checkPositive } from '../check/number.ts';
import { createScratch, reserve } from '../numeric/scratch.ts';
import { type GdpGuarantee, gdp } from '../privacy/guarantee.ts';
import { quotientAbove } from '../privacy/rounding.ts';
import { fillNormal } from '../random/normal.ts';
import type { Random } from '../random/random.ts';

/** What is requested of a Gaussian mechanism; calibrate σ with `analyticGaussianSigma` or as Δ/μ. */
export interface GaussianRequest {
  /** d, the number of coordinates of the vector. */
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
 *
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
const scratch = /* @__PURE__ */ createScratch(256);

/**
 * One report of a vector, written into the first `dimension` entries of `target`; `vector` may be longer as well, and
 * the two may be the same array. The caller must ensure that the vectors at two data are at most the sensitivity apart.
 *
 * Law: see {@link gaussianMechanism}. Allocates nothing.
 */
export function randomizeGaussian(
  parameters: GaussianMechanism,
  vector: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, sigma } = parameters;
  const noise = reserve(scratch, dimension);
  fillNormal(noise, random, 0, dimension);
  for (let i = 0; i < dimension; i++) target[i] = vector[i] + sigma * noise[i];
}
