import { checkInteger } from '../../src/check/number.ts';
import type { Theory } from '../../src/core/contract.ts';
import { channelClaims } from './channel.ts';
import { coordinateNoise } from './descent.ts';
import { forecast } from './forecast.ts';
import type { GradientWavesPlan } from './parameters.ts';

/**
 * E‖ḡ − g‖² of the mean gradient of one wave with m reports, because of the players' noise: p·c_ε·B²/m.
 *
 * @throws TypeError or RangeError unless m is a whole number ≥ 1.
 */
export function gradientNoise(plan: GradientWavesPlan, reports: number): number {
  return (plan.dimension * coordinateNoise(plan)) / checkInteger('reports', reports, 1);
}

/**
 * R·√(p·c_ε·B²/n): the order of the excess risk on the hardest problem for n players. For ε ≤ 1 no locally private
 * protocol, however interactive, has a better one than R·√(p/(nε²)); the number of waves is not in it.
 *
 * Source: Duchi, Jordan, Wainwright 2018 (lower bound, and stochastic gradients that reach it).
 *
 * @throws TypeError or RangeError unless n is a whole number ≥ 1.
 */
export function excessOrder(plan: GradientWavesPlan, players: number): number {
  return plan.radius * Math.sqrt(gradientNoise(plan, players));
}

/** The claims about plans, and what to expect of them. */
export const theory: Theory<GradientWavesPlan> = { ...channelClaims, forecast };
