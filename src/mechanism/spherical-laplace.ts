import { checkInteger, checkPositive } from '../check/number.ts';
import { createScratch, reserveExactly } from '../numeric/scratch.ts';
import type { PureGuarantee } from '../privacy/guarantee.ts';
import { pure } from '../privacy/guarantee.ts';
import { gamma } from '../random/gamma.ts';
import { fillSphere } from '../random/normal.ts';
import type { Random } from '../random/random.ts';

/** What is requested of {@link sphericalLaplace}. */
export interface SphericalLaplaceRequest {
  /** ε of one report, in nats. */
  readonly epsilon: number;
  /** p, the number of coordinates of the vector. */
  readonly dimension: number;
  /** Largest ℓ₂ distance between two vectors; by default 2, which holds for the unit ball. */
  readonly sensitivity?: number;
}

/** Public constants of the spherical Laplace mechanism Z = v + η, and the properties of its report. Plain data. */
export interface SphericalLaplace {
  readonly name: 'spherical Laplace';
  /** p, the coordinates of the vector and of the report. */
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
 * The spherical Laplace mechanism. For an analytic loss, its noise can be corrected exactly (`deconvolvedGradient`).
 *
 * Law: Z = v + η in R^P, the direction of η uniform and its length gamma with shape P and scale 1/κ. For even p the
 * last coordinate of Z, which is only noise, is not reported.
 *
 * Guarantee: pure ε-local differential privacy, since ‖z − v′‖ ≤ ‖z − v‖ + sensitivity.
 *
 * Source: K. Chaudhuri, C. Monteleoni, A. Sarwate 2011, "Differentially private empirical risk minimization" (the law).
 *
 * @throws TypeError or RangeError unless ε and the sensitivity are finite and > 0 and the dimension a whole number ≥ 1.
 */
export function sphericalLaplace(request: SphericalLaplaceRequest): SphericalLaplace {
  const guarantee = pure(request.epsilon);
  const dimension = checkInteger('dimension', request.dimension, 1, 1_000_000);
  const sensitivity = checkPositive('sensitivity', request.sensitivity ?? 2);
  const noiseDimension = dimension % 2 === 1 ? dimension : dimension + 1;
  const rate = guarantee.epsilon / sensitivity;
  const coordinateVariance = (noiseDimension + 1) / rate ** 2;
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
const scratch = /* @__PURE__ */ createScratch(0);

/**
 * One report of a vector, written into the first `dimension` entries of `target`; the two may be the same array. The
 * caller must ensure that two vectors are at most the sensitivity apart.
 *
 * Law: see {@link sphericalLaplace}.
 */
export function randomizeSphericalLaplace(
  parameters: SphericalLaplace,
  vector: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, noiseDimension, rate } = parameters;
  const noise = reserveExactly(scratch, noiseDimension);
  fillSphere(noise, random);
  const radius = gamma(noiseDimension, 1 / rate, random);
  for (let i = 0; i < dimension; i++) target[i] = vector[i] + radius * noise[i];
}
