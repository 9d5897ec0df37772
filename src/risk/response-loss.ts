import { checkOpenUnit, checkPositive } from '../check/number.ts';
import { sigmoid } from '../numeric/sigmoid.ts';
import type { LossConstants } from './margin-loss.ts';

const { abs, exp, log1p, max } = Math;

/**
 * A convex loss of an inner product and a response that is not a sign: ℓ(w; x, y) = f(⟨w, x⟩, y), whose gradient is
 * f′(⟨w, x⟩, y)·x. Derivatives are with respect to the inner product.
 *
 * Source: Wang, Smith, Xu 2020, remark 15.
 */
export interface ResponseLoss {
  /** The name of the loss in a printed result or a plot. */
  readonly name: string;
  /** f(⟨w, x⟩, y). */
  value(inner: number, y: number): number;
  /** f′(⟨w, x⟩, y); at a kink one of the subgradients; each loss documents which one. */
  derivative(inner: number, y: number): number;
  /** f″(⟨w, x⟩, y) where it exists; 0 at a kink. */
  secondDerivative(inner: number, y: number): number;
  /** The constants for |⟨w, x⟩| ≤ R and |y| ≤ 1; R = 1 by default. */
  constantsOn(radius?: number): LossConstants;
  /** Whether f′ jumps where ⟨w, x⟩ = y. */
  readonly kinked: boolean;
}

/**
 * The squared loss ½(⟨w, x⟩ − y)² of linear regression. For |⟨w, x⟩| ≤ R and |y| ≤ 1 it is (1 + R)-Lipschitz, 2 on the unit
 * ball, and 1-smooth.
 *
 * @theorem noninteractive Remark 15
 */
export function squaredLoss(): ResponseLoss {
  return {
    name: 'squared',
    value: (inner, y) => 0.5 * (inner - y) * (inner - y),
    derivative: (inner, y) => inner - y,
    secondDerivative: () => 1,
    constantsOn: (radius = 1) => ({ lipschitz: 1 + checkPositive('radius', radius), smoothness: 1 }),
    kinked: false,
  };
}

/**
 * The ℓ₁ loss |⟨w, x⟩ − y| of median regression, 1-Lipschitz. At ⟨w, x⟩ = y the derivative is 1, its value from the right.
 *
 * @theorem noninteractive Remark 15
 */
export function absoluteResponseLoss(): ResponseLoss {
  return {
    name: 'absolute',
    value: (inner, y) => abs(inner - y),
    derivative: (inner, y) => (inner < y ? -1 : 1),
    secondDerivative: () => 0,
    constantsOn(radius = 1) {
      checkPositive('radius', radius);
      return { lipschitz: 1, smoothness: Infinity };
    },
    kinked: true,
  };
}

/** Parameters of {@link smoothedQuantileLoss}. */
export interface SmoothedQuantileOptions {
  /** τ in (0, 1): which quantile. */
  readonly tau: number;
  /** h > 0, in units of the response: the kink of the check loss is spread over about this width. */
  readonly bandwidth: number;
}

/**
 * The check loss of quantile regression convolved with a logistic density of scale h: τr + h·log(1 + e^(−r/h)) for the residual
 * r = y − ⟨w, x⟩. max(τ, 1 − τ)-Lipschitz and 1/(4h)-smooth in ⟨w, x⟩, for every response.
 *
 * Its minimiser is the quantile of (response plus independent logistic noise of scale h): its error is O(h²).
 *
 * Source: Fernandes, Guerre, Horta 2021, Smoothing quantile regressions.
 *
 * @throws TypeError or RangeError unless 0 < τ < 1 and the bandwidth is finite and > 0.
 */
export function smoothedQuantileLoss(options: SmoothedQuantileOptions): ResponseLoss {
  const tau = checkOpenUnit('tau', options.tau);
  const bandwidth = checkPositive('bandwidth', options.bandwidth);
  const lipschitz = max(tau, 1 - tau);
  const smoothness = 1 / (4 * bandwidth);
  return {
    name: `smoothed quantile ${tau} (bandwidth ${bandwidth})`,
    value(inner, y) {
      const r = y - inner;
      // log(1 + e^(−t)) without overflow: only e^(−|t|) is computed.
      return tau * r + bandwidth * log1p(exp(-abs(r) / bandwidth)) + max(0, -r);
    },
    derivative: (inner, y) => sigmoid((inner - y) / bandwidth) - tau,
    secondDerivative(inner, y) {
      const share = sigmoid(-abs(y - inner) / bandwidth);
      return (share * (1 - share)) / bandwidth;
    },
    constantsOn(radius = 1) {
      checkPositive('radius', radius);
      return { lipschitz, smoothness };
    },
    kinked: false,
  };
}
