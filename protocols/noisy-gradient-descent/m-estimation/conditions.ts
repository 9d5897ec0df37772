import { checkInteger, checkPositive, refusal } from '../../../src/check/number.ts';
import { RefusedValue } from '../../../src/check/refusal.ts';

const { ceil, log, max, sqrt } = Math;

/** Probability that at least one step has more noise than the condition on n allows. */
export const NOISE_FAILURE = 0.05;

/**
 * The least number of steps of noisy gradient descent: K = ⌈½·log n/(−log(1 − ητ₁))⌉. After them the distance to the
 * minimiser is 1/√n of the distance at the start. K ≥ C·log n with C explicit.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy gradient descent; the constant is that of its contraction.
 *
 * @throws TypeError or RangeError unless n is a whole number ≥ 1 and 0 < ητ₁ ≤ 1.
 * @theorem slides Theorem, noisy gradient descent, condition on K
 */
export function leastGradientSteps(records: number, step: number, strongConvexity: number): number {
  checkInteger('records', records, 1);
  const gain = checkPositive('step', step) * checkPositive('strongConvexity', strongConvexity);
  if (!(gain <= 1)) throw new RefusedValue(refusal('step · strongConvexity', 'a number <= 1', gain));
  return gain === 1 ? 1 : max(1, ceil((0.5 * log(records)) / -Math.log1p(-gain)));
}

/**
 * The least number of steps of noisy Newton from a start that is close: K = ⌈log log n⌉, since each step doubles the
 * number of correct digits. At least 2, so that one step starts where the Hessian is near its limit.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy Newton.
 *
 * @throws TypeError or RangeError unless n is a whole number ≥ 1.
 * @theorem slides Theorem, noisy Newton, conditions
 */
export function leastNewtonSteps(records: number): number {
  return max(2, ceil(log(max(1, log(checkInteger('records', records, 1))))));
}

/** The quantities in a condition on n. */
interface NoisyCondition {
  /** p. */
  readonly dimension: number;
  /** K, the number of steps with noise on a gradient, or on a Hessian. */
  readonly steps: number;
  /** μ of all of them together. */
  readonly mu: number;
  /** sup ‖Ψ − Ψ′‖₂; for a Hessian that to which the noise is calibrated, √2·B̄, or 2B̄ as printed. */
  readonly sensitivity: number;
}

/** The least n for which K noisy steps stay below `largest`: Δ√K·length/(nμ) ≤ largest, `length` in deviations of an entry. */
function least(
  condition: NoisyCondition,
  [name, bound]: readonly [name: string, bound: number],
  length: (dimension: number, steps: number) => number,
): number {
  const dimension = checkInteger('dimension', condition.dimension, 1);
  const steps = checkInteger('steps', condition.steps, 1);
  const mu = checkPositive('mu', condition.mu);
  const sensitivity = checkPositive('sensitivity', condition.sensitivity);
  return ceil((sensitivity * sqrt(steps) * length(dimension, steps)) / (mu * checkPositive(name, bound)));
}

/** The same for noisy gradients. */
interface RecordsCondition extends NoisyCondition {
  /** The largest noise on a gradient for which the analysis holds: τ₁·r, or B if no radius r is given. */
  readonly largestNoise: number;
}

/**
 * The least n for which no gradient noise of K steps is longer than the analysis allows, except with probability
 * {@link NOISE_FAILURE}: Δ√K·(√p + √(2·log(K/.05)))/(nμ) ≤ τ₁·r.
 *
 * Law: P(‖Z‖ > √p + t) ≤ exp(−t²/2) for a standard normal Z of p coordinates, and at most K times that for K such
 * vectors.
 *
 * Source: Avella-Medina, Bradshaw, Loh (2023), sample size conditions of the theorems on both algorithms.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem slides Theorem, noisy gradient descent, condition on K
 */
export function leastRecords(condition: RecordsCondition): number {
  return least(
    condition,
    ['largestNoise', condition.largestNoise],
    (dimension, steps) => sqrt(dimension) + sqrt(2 * log(steps / NOISE_FAILURE)),
  );
}

/** The same for noisy Hessians. */
interface HessianCondition extends NoisyCondition {
  /** τ₁. */
  readonly strongConvexity: number;
}

/**
 * The least n for which the expected norm of the noise on a Hessian is below τ₁, so that it does not reverse a step:
 * 2√p·Δ√K/(nμ) ≤ τ₁.
 *
 * Law: the norm of a symmetric p × p matrix with independent standard normal entries is near 2√p.
 *
 * Source: Wigner (1958) for the norm; Avella-Medina, Bradshaw, Loh (2023) for a condition of this kind.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem slides Theorem, noisy Newton, conditions
 */
export function leastHessianRecords(condition: HessianCondition): number {
  return least(condition, ['strongConvexity', condition.strongConvexity], (dimension) => 2 * sqrt(dimension));
}
