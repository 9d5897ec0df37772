import { checkInteger, checkOpenUnit, checkPositive } from '../check/number.ts';
import { type ApproximateGuarantee, approximate } from './guarantee.ts';

/** Equal releases to be added up by the advanced composition theorem. */
export interface AdvancedComposition {
  /** ε₀ > 0 of each release. */
  readonly epsilon: number;
  /** δ₀ of each release, in (0, 1). */
  readonly delta: number;
  /** k ≥ 1, how many there are. */
  readonly count: number;
  /** δ′ in (0, 1): what the theorem itself may fail with. */
  readonly slack: number;
}

/**
 * What k releases of (ε₀, δ₀) guarantee together by the advanced composition theorem: ε₀√(2k ln(1/δ′)) + kε₀(e^{ε₀} − 1) at
 * δ = kδ₀ + δ′. Kept to compare with: for Gaussian noise, composition of Gaussian DP is exact and never worse.
 *
 * Source: Dwork, Rothblum, Vadhan 2010, theorem III.3.
 *
 * @throws TypeError or RangeError naming the field; RangeError when kδ₀ + δ′ is not below 1.
 * @theorem noninteractive Remark 12
 */
export function composeAdvanced(releases: AdvancedComposition): ApproximateGuarantee {
  const epsilon = checkPositive('epsilon', releases.epsilon);
  const delta = checkOpenUnit('delta', releases.delta);
  const count = checkInteger('count', releases.count, 1);
  const slack = checkOpenUnit('slack', releases.slack);
  const total = epsilon * Math.sqrt(2 * count * Math.log(1 / slack)) + count * epsilon * Math.expm1(epsilon);
  return approximate({ epsilon: total, delta: count * delta + slack });
}
