import { checkOpenUnit, checkPositive } from '../check/number.ts';
import type { ResponseLoss } from './response-loss.ts';

const { abs, exp, log1p, max } = Math;

/** Parameters of {@link smoothedQuantileLoss}. */
export interface SmoothedQuantileOptions {
  /** τ in (0, 1): which quantile. */
  readonly tau: number;
  /** h > 0, in units of the response: the kink of the check loss is spread over about this width. */
  readonly bandwidth: number;
}

/**
 * The check loss of quantile regression convolved with a logistic density of scale h: τr + h·log(1 + e^(−r/h)) for the residual
 * r = y − ⟨w, x⟩. max(τ, 1 − τ)-Lipschitz and 1/(4h)-smooth in ⟨w, x⟩, whatever the response.
 *
 * Its minimiser is the quantile of the response plus independent logistic noise of scale h: off by O(h²).
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
      // log(1 + e^(−t)) without overflow: only e^(−|t|) is formed.
      return tau * r + bandwidth * log1p(exp(-abs(r) / bandwidth)) + max(0, -r);
    },
    derivative: (inner, y) => below((y - inner) / bandwidth) - tau,
    secondDerivative(inner, y) {
      const share = below(abs(y - inner) / bandwidth);
      return (share * (1 - share)) / bandwidth;
    },
    constantsOn(radius = 1) {
      checkPositive('radius', radius);
      return { lipschitz, smoothness };
    },
    kinked: false,
  };
}

/** 1/(1 + e^t): how much of the smoothed indicator of a residual below 0 is left at t. */
function below(t: number): number {
  const e = exp(-abs(t));
  return t > 0 ? e / (1 + e) : 1 / (1 + e);
}
