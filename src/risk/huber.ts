import { checkOpenUnit, checkPositive } from '../check/number.ts';
import { normalCdf, normalDensity } from '../numeric/normal.ts';
import type { ResponseLoss } from './response-loss.ts';

const { SQRT2, abs, max, min, sqrt } = Math;

/** The default c: 95 % of the efficiency of least squares for normal residuals. */
export const HUBER_THRESHOLD = 1.345;

/** sup of w(x)·‖x‖ under {@link mallowsWeight}: √2, reached at ‖x‖ = √2. */
export const MALLOWS_NORM: number = SQRT2;

/** sup of w(x)·‖x‖² under {@link mallowsWeight}: 2, for every ‖x‖ ≥ √2. */
export const MALLOWS_CURVATURE = 2;

/** Parameters of {@link huberLoss}. */
export interface HuberOptions {
  /** c > 0, in units of σ: residuals beyond it have no larger influence; {@link HUBER_THRESHOLD} by default. */
  readonly threshold?: number;
  /** σ > 0, the scale of residuals, assumed known; 1 by default. */
  readonly scale?: number;
}

/**
 * ρ_c(u): ½u² for |u| ≤ c, c|u| − ½c² beyond.
 *
 * Source: Huber 1964, Robust estimation of a location parameter.
 */
export function huberValue(u: number, threshold: number): number {
  const size = abs(u);
  return size <= threshold ? 0.5 * u * u : threshold * (size - 0.5 * threshold);
}

/** ψ_c(u) = ρ_c′(u): u, clipped to [−c, c]. */
export function huberScore(u: number, threshold: number): number {
  return max(-threshold, min(threshold, u));
}

/**
 * The weight min(1, 2/‖x‖²) of a record from its squared norm. It bounds the influence of features: ‖w(x)·x‖ ≤ √2 for
 * every x.
 *
 * Source: Mallows 1975, On some topics in robustness; Avella-Medina, Bradshaw, Loh 2023, example on linear regression.
 * @theorem slides Example: linear regression
 * @theorem online-inference Condition 1
 * @theorem online-rates Condition 1
 */
export function mallowsWeight(squaredNorm: number): number {
  return squaredNorm > 2 ? 2 / squaredNorm : 1;
}

/**
 * sup ‖ψ_c(r/σ)·w(x)·x‖ over all records: √2·c. The ℓ₂ sensitivity of one record's score is twice that.
 *
 * @throws TypeError or RangeError unless the threshold is finite and > 0.
 */
export function huberScoreBound(threshold: number): number {
  return MALLOWS_NORM * checkPositive('threshold', threshold);
}

/**
 * The Huber loss σ·ρ_c((y − ⟨w, x⟩)/σ) of robust linear regression with a known scale: c-Lipschitz and 1/σ-smooth in ⟨w, x⟩,
 * for every response.
 *
 * Source: Huber 1973, Robust regression; Avella-Medina, Bradshaw, Loh 2023.
 *
 * @throws TypeError or RangeError unless threshold and scale are finite and > 0.
 * @theorem online-inference Example 1
 */
export function huberLoss(options: HuberOptions = {}): ResponseLoss {
  const threshold = checkPositive('threshold', options.threshold ?? HUBER_THRESHOLD);
  const scale = checkPositive('scale', options.scale ?? 1);
  return {
    name: `Huber (threshold ${threshold}, scale ${scale})`,
    value: (inner, y) => scale * huberValue((y - inner) / scale, threshold),
    derivative: (inner, y) => -huberScore((y - inner) / scale, threshold),
    secondDerivative: (inner, y) => (abs(y - inner) < threshold * scale ? 1 / scale : 0),
    constantsOn: (radius = 1) => ({
      lipschitz: min(threshold, (1 + checkPositive('radius', radius)) / scale),
      smoothness: 1 / scale,
    }),
    kinked: false,
  };
}

/**
 * κ_c = E ψ_c(Z)² for a standard normal Z. It makes σ̂ of the joint Huber loss consistent under normal residuals.
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

/** Bounds on the joint gradient for neighbouring data. */
interface JointHuberBounds {
  /** sup of the ℓ₂ distance of two gradients, √(8c² + c⁴/4). */
  readonly sensitivity: number;
  /** sup of the ℓ₂ norm of one gradient, √(2c² + ¼max(κ, c² − κ)²). */
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

/** Parameters of {@link expectileLoss}. */
export interface ExpectileOptions extends HuberOptions {
  /** τ in (0, 1): which expectile; ½ gives half the Huber loss. */
  readonly tau: number;
}

/**
 * The robust expectile loss σ·|τ − 1(u < 0)|·ρ_c(u) of u = (y − ⟨w, x⟩)/σ: c·max(τ, 1 − τ)-Lipschitz in ⟨w, x⟩, for
 * every response.
 *
 * Source: Newey, Powell 1987 (expectiles); Man, Tan, Wang, Zhou 2024, Retire (robust form).
 *
 * @throws TypeError or RangeError unless 0 < τ < 1 and threshold and scale are finite and > 0.
 * @theorem online-inference Example 3
 */
export function expectileLoss(options: ExpectileOptions): ResponseLoss {
  const tau = checkOpenUnit('tau', options.tau);
  const threshold = checkPositive('threshold', options.threshold ?? HUBER_THRESHOLD);
  const scale = checkPositive('scale', options.scale ?? 1);
  const larger = max(tau, 1 - tau);
  const side = (residual: number): number => (residual < 0 ? 1 - tau : tau);
  return {
    name: `expectile ${tau} (threshold ${threshold}, scale ${scale})`,
    value: (inner, y) => side(y - inner) * scale * huberValue((y - inner) / scale, threshold),
    derivative: (inner, y) => -side(y - inner) * huberScore((y - inner) / scale, threshold),
    secondDerivative: (inner, y) => (abs(y - inner) < threshold * scale ? side(y - inner) / scale : 0),
    constantsOn: (radius = 1) => ({
      lipschitz: larger * min(threshold, (1 + checkPositive('radius', radius)) / scale),
      smoothness: larger / scale,
    }),
    kinked: false,
  };
}
