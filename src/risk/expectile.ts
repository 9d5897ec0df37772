import { checkOpenUnit, checkPositive } from '../check/number.ts';
import { HUBER_THRESHOLD, type HuberOptions, huberScore, huberValue } from './huber.ts';
import type { ResponseLoss } from './response-loss.ts';

const { abs, max, min } = Math;

/** Parameters of {@link expectileLoss}. */
export interface ExpectileOptions extends HuberOptions {
  /** τ in (0, 1): which expectile; ½ gives half the Huber loss. */
  readonly tau: number;
}

/**
 * The robust expectile loss σ·|τ − 1(u < 0)|·ρ_c(u) of u = (y − ⟨w, x⟩)/σ: c·max(τ, 1 − τ)-Lipschitz in ⟨w, x⟩, whatever the
 * response.
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
