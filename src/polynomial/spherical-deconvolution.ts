import { checkInteger, checkNonNegative, checkPositive, refusal } from '../check/number.ts';
import type { DerivativeFiller, DerivativeMaker } from './derivatives.ts';
import { MAXIMUM_DERIVATIVE_ORDER } from './derivatives.ts';

const { sqrt } = Math;

/** Noise with density proportional to exp(−κ‖η‖) in R^P, P odd, of which the first p coordinates are seen. */
export interface SphericalNoise {
  /** p, P or P − 1. */
  readonly dimension: number;
  /** P. */
  readonly noiseDimension: number;
  /** κ > 0. */
  readonly rate: number;
}

/** What is asked of {@link sphericalDeconvolution}. */
export interface DeconvolutionRequest {
  /** The noise of a report, as the mechanism states it. */
  readonly noise: SphericalNoise;
  /** The loss of the margin, by its derivatives. */
  readonly derivatives: DerivativeMaker;
  /** Rate r at which the loss may grow, like e^(r·|t|); 0, like a power of t, by default. */
  readonly growthRate?: number;
}

/**
 * A loss f freed of spherical Laplace noise: with u = ⟨w, Z⟩, a = ‖w‖²/κ² and k = (P + 1)/2,
 * h̃(u) = (1 − a·D²)^k f(u) has expectation f(⟨w, v⟩), since 1/(1 + a·τ²)^k is the characteristic function of ⟨w, η⟩.
 *
 * The operator is finite because P is odd: no approximation, and no polynomial. What expects f(⟨w, v⟩) for every w has a
 * gradient in w that expects f′(⟨w, v⟩)·v.
 */
export interface SphericalDeconvolution {
  readonly noise: SphericalNoise;
  /** k. */
  readonly order: number;
  readonly growthRate: number;
  /** f to f⁽²ᵏ⁺¹⁾. */
  readonly fill: DerivativeFiller;
  /** Overwritten by each evaluation. */
  readonly scratch: Float64Array;
}

/** What the estimate is made of: see {@link deconvolvedTerms}. */
export interface DeconvolvedTerms {
  /** h̃(u), the estimate of the loss. */
  value: number;
  /** h̃′(u), the factor of Z in its gradient. */
  slope: number;
  /** (2/κ²)·∂h̃/∂a, the factor of w. */
  pull: number;
}

/**
 * Prepares the deconvolution of a loss.
 *
 * @throws TypeError or RangeError for numbers that no noise has, and when P + 2 derivatives are more than are to be had.
 */
export function sphericalDeconvolution(request: DeconvolutionRequest): SphericalDeconvolution {
  const { dimension, noiseDimension, rate } = request.noise;
  checkInteger('noiseDimension', noiseDimension, 1, MAXIMUM_DERIVATIVE_ORDER - 2);
  if (noiseDimension % 2 === 0) throw new RangeError(refusal('noiseDimension', 'an odd number', noiseDimension));
  checkInteger('dimension', dimension, Math.max(1, noiseDimension - 1), noiseDimension);
  checkPositive('rate', rate);
  const order = (noiseDimension + 1) / 2;
  return {
    noise: { dimension, noiseDimension, rate },
    order,
    growthRate: checkNonNegative('growthRate', request.growthRate ?? 0),
    fill: request.derivatives(2 * order + 1),
    scratch: new Float64Array(2 * order + 2),
  };
}

/**
 * Evaluates h̃ and the two factors of its gradient at the noisy margin u, ‖w‖² given:
 * h̃ = Σ_j C(k, j)(−a)^j f⁽²ʲ⁾(u) and ∂h̃/∂a = −k·Σ_j C(k − 1, j)(−a)^j f⁽²ʲ⁺²⁾(u). Allocates nothing.
 */
export function deconvolvedTerms(
  deconvolution: SphericalDeconvolution,
  u: number,
  squaredNorm: number,
  terms: DeconvolvedTerms,
): void {
  const { noise, order, fill, scratch } = deconvolution;
  const variance = 1 / (noise.rate * noise.rate);
  const a = squaredNorm * variance;
  fill(u, scratch);
  let value = 0;
  let slope = 0;
  let change = 0;
  // C(k, j)(−a)^j.
  let factor = 1;
  for (let j = 0; j <= order; j++) {
    value += factor * scratch[2 * j];
    slope += factor * scratch[2 * j + 1];
    // k·C(k − 1, j) = (k − j)·C(k, j).
    if (j < order) change -= (order - j) * factor * scratch[2 * j + 2];
    factor *= (-a * (order - j)) / (j + 1);
  }
  terms.value = value;
  terms.slope = slope;
  terms.pull = 2 * variance * change;
}

const terms: DeconvolvedTerms = { value: 0, slope: 0, pull: 0 };

/**
 * Writes h̃′(u)·Z + (2w/κ²)·∂h̃/∂a into `target`, an unbiased estimate of f′(⟨w, v⟩)·v from one report Z, and returns
 * h̃(u), an unbiased estimate of f(⟨w, v⟩) whose gradient in w it is.
 *
 * Shape: p entries in `w`, `report` and `target`; allocates nothing.
 *
 * @throws RangeError when the loss grows too fast for the estimate to have an expectation: growthRate·‖w‖ ≥ κ.
 */
export function deconvolvedGradient(
  deconvolution: SphericalDeconvolution,
  w: ArrayLike<number>,
  report: ArrayLike<number>,
  target: Float64Array,
): number {
  const { noise, growthRate } = deconvolution;
  let u = 0;
  let squared = 0;
  for (let i = 0; i < noise.dimension; i++) {
    u += w[i] * report[i];
    squared += w[i] * w[i];
  }
  const norm = sqrt(squared);
  if (!(growthRate * norm < noise.rate)) {
    const expected = `a number < ${noise.rate / growthRate}, beyond which the estimate has no mean`;
    throw new RangeError(refusal('‖w‖', expected, norm));
  }
  deconvolvedTerms(deconvolution, u, squared, terms);
  for (let i = 0; i < noise.dimension; i++) target[i] = terms.slope * report[i] + terms.pull * w[i];
  return terms.value;
}
