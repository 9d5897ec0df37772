import { sigmoid } from 'ldpkit/optimize';
import { asymptoticCovariance, onlineSgdPlan, type PopulationMoments } from 'ldpkit/protocols/online-sgd';
import { type ErrorSetting, errorRequest } from './errors.ts';
import { totals } from './quadratic-law.ts';
import { riskLaw } from './risks.ts';

/** η of the quadratic risk, so that few gradients are clipped at the start. */
export const SQUARE_RATE = 0.6;

/** A and S at the minimisers, without noise: E u²·xxᵀ with the variance 1/12 of u; and the variance of y for both. */
const LOGIT_VARIANCE: number = sigmoid(1) * (1 - sigmoid(1));
const MOMENTS: { readonly [kind in 'square' | 'logit']: PopulationMoments } = {
  square: { hessian: Float64Array.of(1, 0, 0, 0.5), gradient: Float64Array.of(1 / 12, 0, 0, 1 / 24) },
  logit: { hessian: Float64Array.of(LOGIT_VARIANCE), gradient: Float64Array.of(LOGIT_VARIANCE) },
};

/** tr(A⁻¹SA⁻¹), the noise in S. */
export function averageTrace(setting: ErrorSetting): number {
  const plan = onlineSgdPlan(errorRequest(setting));
  const covariance = asymptoticCovariance(plan, setting.kind === 'square' ? MOMENTS.square : MOMENTS.logit);
  return plan.model.dimension === 1 ? covariance[0] : covariance[0] + covariance[3];
}

/** The exact E‖θ̄_n − θ*‖² of the quadratic risk, and E‖θ_n − θ*‖². */
export function averageExact(
  decay: number,
  grid: readonly number[],
): { readonly [name in 'last' | 'average']: readonly number[] } {
  const law = riskLaw('square', { decay, rate: SQUARE_RATE }, grid);
  return { last: totals(law.last), average: totals(law.average) };
}
