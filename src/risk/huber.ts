import { checkPositive } from '../check/number.ts';
import type { ResponseLoss } from './response-loss.ts';

const { abs, max, min, SQRT2 } = Math;

/** c where nothing else is asked for: 95 % of the efficiency of least squares where residuals are normal. */
export const HUBER_THRESHOLD = 1.345;

/** sup of w(x)·‖x‖ under {@link mallowsWeight}: √2, reached at ‖x‖ = √2. */
export const MALLOWS_NORM: number = SQRT2;

/** sup of w(x)·‖x‖² under {@link mallowsWeight}: 2, for every ‖x‖ ≥ √2. */
export const MALLOWS_CURVATURE = 2;

/** Parameters of {@link huberLoss}. */
export interface HuberOptions {
  /** c > 0, in units of σ: residuals beyond it pull no harder; {@link HUBER_THRESHOLD} by default. */
  readonly threshold?: number;
  /** σ > 0, the scale of residuals, taken as known; 1 by default. */
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
 * The weight min(1, 2/‖x‖²) of a record by its squared norm. It bounds the influence of features: ‖w(x)·x‖ ≤ √2 whatever x.
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
 * whatever the response.
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
