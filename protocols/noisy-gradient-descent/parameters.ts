import { checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { leastGradientSteps } from './m-estimation/model.ts';
import { type NoisyFitPlan, type NoisyFitRequest, sharedPlan } from './m-estimation/request.ts';

/** The request for noisy gradient descent. */
export interface NoisyGradientDescentRequest extends NoisyFitRequest {
  /** η, at most 1/τ₂; 1/τ₂ by default. */
  readonly step?: number;
}

/** Everything that is decided before a record is read. Plain data. */
export interface NoisyGradientDescentPlan extends NoisyFitPlan {
  readonly protocol: 'noisy-gradient-descent';
  readonly variant: 'descent';
  /** η. */
  readonly step: number;
  /** Standard deviation of the noise on every coordinate of a gradient, Δ√K/(nμ_o). */
  readonly noise: number;
}

/**
 * The plan of noisy gradient descent θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − η·((1/n)·Σ Ψ(z_i, θ⁽ᵏ⁾) + (2B√K/(nμ))·Z_k), Z_k standard normal, with regions
 * by default. 2B is the sensitivity of the sum; if a smaller one is known (for a joint scale), that one is used.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * Source: slides of Avella-Medina (2023), noisy gradient descent; Avella-Medina, Bradshaw, Loh (2023).
 *
 * @throws TypeError or RangeError naming the field: μ ≤ 0, K ≤ 0, a loss without bounds, η above 1/τ₂; RangeError for a K or an n
 * below what the theorem requires, unless forced.
 * @theorem slides Noisy gradient descent
 */
export function descent(request: NoisyGradientDescentRequest): NoisyGradientDescentPlan {
  const shared = sharedPlan(
    request,
    (records, { smoothness, strongConvexity }) =>
      leastGradientSteps(records, stepOf(request, smoothness), strongConvexity),
    1e6,
  );
  const { plan, optimization, smoothness } = shared;
  const { model, records, steps } = plan;
  const step = stepOf(request, smoothness);
  shared.checkRecords(optimization);
  const noise = (model.scoreSensitivity * Math.sqrt(steps)) / (records * optimization);
  return { protocol: 'noisy-gradient-descent', variant: 'descent', ...plan, step, noise };
}

/** η of a request, at most 1/τ₂. */
function stepOf(request: NoisyGradientDescentRequest, smoothness: number): number {
  const step = checkPositive('step', request.step ?? 1 / smoothness);
  if (!(step <= 1 / smoothness)) {
    throw new RefusedValue('step', `a number <= ${1 / smoothness}, which is 1/smoothness`, step);
  }
  return step;
}
