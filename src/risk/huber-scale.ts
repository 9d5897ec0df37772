import { checkPositive } from '../check/number.ts';
import { normalCdf, normalDensity } from '../numeric/normal.ts';
import { MALLOWS_NORM } from './huber.ts';

const { max, sqrt } = Math;

/**
 * κ_c = E ψ_c(Z)² for a standard normal Z: what makes σ̂ of the joint Huber loss consistent under normal residuals.
 *
 * Source: Huber 1981, Robust statistics, Section 7.7 (proposal 2).
 *
 * @throws TypeError or RangeError unless c is finite and > 0.
 * @theorem slides Example: linear regression
 * @theorem online-rates Figure 4
 */
export function huberScaleConstant(threshold: number): number {
  const c = checkPositive('threshold', threshold);
  const tail = normalCdf(-c);
  return 1 - 2 * tail - 2 * c * normalDensity(c) + 2 * c * c * tail;
}

/**
 * ∂/∂σ of σ·ρ_c(r/σ) + ½κσ: ½(κ − ψ_c(r/σ)²), a number in [½(κ − c²), ½κ]. `score` is ψ_c(r/σ).
 *
 * Source: Huber 1981, Section 7.7; Avella-Medina, Bradshaw, Loh 2023, joint loss of (β, σ).
 */
export function huberScaleScore(score: number, constant: number): number {
  return 0.5 * (constant - score * score);
}

/** What two neighbouring data can do to the joint gradient. */
export interface JointHuberBounds {
  /** sup of the ℓ₂ distance of two gradients, √(8c² + c⁴/4). */
  readonly sensitivity: number;
  /** sup of the ℓ₂ norm of one, √(2c² + ¼max(κ, c² − κ)²). */
  readonly norm: number;
}

/**
 * Bounds of the gradient (−ψ·w(x)·x, ½(κ − ψ²)·w(x)) of the joint loss of coefficients and scale, with Mallows weights: twice
 * √2·c in the coefficients, and ½c² in the scale, whose entry lies between ½(κ − c²) and ½κ.
 *
 * Source: Avella-Medina, Bradshaw, Loh 2023; printed in the non-asymptotic paper, Section 5.1.
 *
 * @throws TypeError or RangeError unless c is finite and > 0.
 * @theorem slides Example: linear regression
 * @theorem online-rates Figure 4
 */
export function jointHuberBounds(threshold: number): JointHuberBounds {
  const kappa = huberScaleConstant(threshold);
  const square = threshold * threshold;
  const direction = MALLOWS_NORM * threshold;
  return {
    sensitivity: sqrt(4 * direction * direction + 0.25 * square * square),
    norm: sqrt(direction * direction + 0.25 * max(kappa, square - kappa) ** 2),
  };
}
