import type { Random } from 'ldpkit';
import { sandwich } from 'ldpkit/inference';
import { normal } from 'ldpkit/mechanism';
import { gdp } from 'ldpkit/privacy';

/** What the printed plug-in works on: means over all players that only a trusted curator can form. */
export interface PrintedPlugInRequest {
  readonly dimension: number;
  /** n, the number of players. */
  readonly steps: number;
  /** μ > 0: each of the two matrices is released at it. */
  readonly mu: number;
  /** A_n = (1/n) Σ Ψ̇ without noise, p × p row-major. */
  readonly hessian: Float64Array;
  /** (1/n) Σ ΨΨᵀ of the gradients *without* noise, p × p row-major. */
  readonly gradient: Float64Array;
  /** B₀ with ‖Ψ‖ ≤ B₀. */
  readonly gradientBound: number;
  /** B₁ with ‖m‖² ≤ B₁. */
  readonly hessianBound: number;
  /** κ₁ and κ₂, both > 0. */
  readonly hessianFloor: number;
  readonly gradientFloor: number;
}

/** The printed covariance, and what it guarantees to whom. */
export interface PrintedPlugIn extends ReturnType<typeof sandwich> {
  /** The model of the guarantee: somebody is trusted with the raw gradients and Hessians. Not a local protocol. */
  readonly model: 'central';
  /** Of the two matrices together, √2·μ; with the stream of gradients √3·μ. */
  readonly guarantee: ReturnType<typeof gdp>;
}

/**
 * The private plug-in as printed: noise 2B₁/(nμ)·M₁ on the *mean* Hessian and 2B₀²/(nμ)·M₂ on the mean of ΨΨᵀ, M symmetric
 * with independent standard normal entries on and above the diagonal. For reproduction only. The local form is
 * `regressionHessian` or `meanHessian` with `gradientSecondMoment` and `sandwich`.
 *
 * Guarantee: central. It does not hold against the server, which must hold every player's unperturbed gradient.
 *
 * Source: Xie, Shi, Jiang, Kong and He, Online differentially private inference in SGD, Section 4.1 and Theorem 3.
 *
 * @theorem online-inference Proposition 4
 * @theorem online-inference (2.4)
 * @theorem online-inference Theorem 3
 */
export function printedPlugIn(request: PrintedPlugInRequest, random: Random): PrintedPlugIn {
  const { dimension, steps, mu, gradientBound, hessianBound, hessianFloor, gradientFloor } = request;
  const hessian = request.hessian.slice();
  const gradient = request.gradient.slice();
  addNoise(hessian, dimension, (2 * hessianBound) / (steps * mu), random);
  addNoise(gradient, dimension, (2 * gradientBound * gradientBound) / (steps * mu), random);
  // The variance of the noise on each released gradient, 4B₀²/μ².
  for (let i = 0; i < dimension; i++) gradient[i * dimension + i] += ((2 * gradientBound) / mu) ** 2;
  return {
    ...sandwich({ dimension, hessian, gradient, hessianFloor, gradientFloor }),
    model: 'central',
    guarantee: gdp(Math.SQRT2 * mu),
  };
}

function addNoise(matrix: Float64Array, dimension: number, scale: number, random: Random): void {
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j < i; j++) {
      const noise = scale * normal(random);
      matrix[i * dimension + j] += noise;
      matrix[j * dimension + i] += noise;
    }
    matrix[i * dimension + i] += scale * normal(random);
  }
}
