import { checkInteger, checkPositive, checkVector, RefusedValue } from '../check/refusal.ts';
import { type GaussianMechanism, gaussianMechanism, randomizeGaussian } from '../mechanism/added-noise.ts';
import type { Random } from '../random/random.ts';
import { packedLength, unpackSymmetric } from './block-sums.ts';

const { SQRT2 } = Math;

/** A local release of the Hessian m·mᵀ of one player's loss: public constants. Plain data. */
export interface HessianRelease {
  /** p, the length of m. */
  readonly dimension: number;
  /** B₁ > 0 with ‖m‖² ≤ B₁ for every datum and parameter. */
  readonly bound: number;
  /** μ_A > 0, the budget of this release alone. */
  readonly mu: number;
  /** The Gaussian mechanism on the p(p + 1)/2 distinct entries. */
  readonly mechanism: GaussianMechanism;
}

/**
 * The local release of a Hessian of the form m·mᵀ: vech(m·mᵀ) plus noise of standard deviation √2·B₁/μ_A on every
 * entry.
 *
 * Guarantee: μ_A-Gaussian differential privacy for the player. The largest Frobenius distance of two such matrices is
 * exactly √2·B₁ (for orthogonal m), and the distance of their distinct entries is no larger. A player who also releases
 * a gradient at μ_g spends √(μ_g² + μ_A²) in total.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, Theorem 2.7; the noise 2B₁/(nμ) on the mean that is
 * printed in Xie, Shi, Jiang, Kong and He, Section 4.1, is central.
 * @theorem online-inference Proposition 4
 * @theorem online-inference Condition 4
 * @theorem online-inference Theorem 3
 */
export function hessianRelease(request: Omit<HessianRelease, 'mechanism'>): HessianRelease {
  const dimension = checkInteger('dimension', request.dimension, 1, 1000);
  const bound = checkPositive('bound', request.bound);
  const mu = checkPositive('mu', request.mu);
  const sensitivity = SQRT2 * bound;
  const mechanism = gaussianMechanism({ dimension: packedLength(dimension), sensitivity, sigma: sensitivity / mu });
  return { dimension, bound, mu, mechanism };
}

/**
 * One player's release, written into `target`: the packed lower triangle of m·mᵀ plus noise, by simulation-grade normals.
 * @throws RangeError for an m of wrong length, not finite, or with ‖m‖² above the bound: the caller must clip.
 */
export function randomizeHessian(
  release: HessianRelease,
  factor: ArrayLike<number>,
  target: Float64Array,
  random: Random,
): void {
  const { dimension, bound, mechanism } = release;
  if (target.length !== mechanism.dimension) {
    throw new RefusedValue('target', `${mechanism.dimension} entries`, target.length);
  }
  let square = 0;
  for (let i = 0; i < dimension; i++) square += factor[i] * factor[i];
  // No "got": the factor is private. The tolerance covers the caller's rounding when normalising it.
  if (factor.length !== dimension || !(square <= bound * (1 + 1e-12))) {
    throw new RefusedValue(`"factor" expected ${dimension} finite numbers with a squared norm of at most ${bound}`);
  }
  for (let i = 0, k = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++) target[k++] = factor[i] * factor[j];
  }
  randomizeGaussian(mechanism, target, target, random);
}

/** The sum of `count` released Hessians, a packed lower triangle. */
export interface HessianSum {
  readonly dimension: number;
  count: number;
  readonly sum: Float64Array;
}

export function createHessianSum(dimension: number): HessianSum {
  checkInteger('dimension', dimension, 1);
  return { dimension, count: 0, sum: new Float64Array(packedLength(dimension)) };
}

/** Adds one release. A wrong length or an entry that is not finite is refused, and changes nothing. */
export function addReleasedHessian(state: HessianSum, released: Float64Array): void {
  const { sum } = state;
  checkVector('released', released, sum.length);
  for (let k = 0; k < sum.length; k++) sum[k] += released[k];
  state.count++;
}

/**
 * Ã, the mean of the releases, p × p. Unbiased, with noise √2·B₁/(√n·μ_A) on each distinct entry, so it may not be positive
 * definite.
 */
export function meanHessian(state: HessianSum): Float64Array {
  if (state.count < 1) throw new RefusedValue('count', 'at least 1', state.count);
  return unpackSymmetric(state.sum, state.dimension, 1 / state.count);
}
