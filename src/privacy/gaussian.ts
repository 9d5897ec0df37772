import { type Budget, checkBudget } from '../check/budget.ts';
import { checkOpenUnit, checkPositive, refusal } from '../check/number.ts';
import { lastAccepted } from './boundary.ts';
import { gdpLogDelta } from './gaussian-curve.ts';

const { log } = Math;

/** A budget together with the ℓ₂ sensitivity of what is released. */
export interface GaussianBudget extends Budget {
  /** Δ > 0: the largest ℓ₂ distance between the values at two data of one player. */
  readonly sensitivity: number;
}

/**
 * The least ε ≥ 0 for which μ-Gaussian differential privacy implies (ε, δ), rounded up: δ_μ(ε) ≤ δ holds exactly.
 * It is 0 when δ already covers the total variation distance.
 *
 * @throws TypeError or RangeError unless 0 < δ < 1 and 0 < μ ≤ 1e150; beyond that ε ≈ μ²/2 is no longer a double.
 */
export function gdpEpsilon(mu: number, delta: number): number {
  if (checkPositive('mu', mu) > 1e150) throw new RangeError(refusal('mu', 'a number <= 1e150', mu));
  const target = safeLog(checkOpenUnit('delta', delta));
  const accepts = (epsilon: number): boolean => gdpLogDelta(mu, epsilon) <= target;
  if (accepts(0)) return 0;
  let above = 1;
  while (!accepts(above)) above *= 2;
  let below = above / 2;
  while (accepts(below)) {
    above = below;
    below /= 2;
  }
  return lastAccepted(accepts, above, below);
}

/**
 * The largest μ for which μ-Gaussian differential privacy stays within (ε, δ), rounded down: δ_μ(ε) ≤ δ holds exactly.
 *
 * Gaussian noise of standard deviation Δ/μ spends the whole budget; k such releases may use μ/√k each.
 *
 * @throws TypeError or RangeError unless ε > 0 and 0 < δ < 1.
 */
export function gdpMu(budget: Budget): number {
  const { epsilon, delta } = checkBudget(budget);
  const target = safeLog(delta);
  const accepts = (mu: number): boolean => gdpLogDelta(mu, epsilon) <= target;
  let within = 1;
  while (!accepts(within)) within /= 2;
  let beyond = within * 2;
  while (accepts(beyond)) {
    within = beyond;
    beyond *= 2;
  }
  return lastAccepted(accepts, within, beyond);
}

/**
 * The least standard deviation σ of Gaussian noise that makes a release of sensitivity Δ (ε, δ)-differentially private,
 * rounded up: within a few parts in 1e14 of the exact value, and never below it.
 *
 * Guarantee: (ε, δ), and μ = Δ/σ in the Gaussian sense.
 *
 * Units: σ in those of Δ.
 *
 * Source: Balle, Wang (2018), Improving the Gaussian mechanism, Algorithm 1; solved here on the Gaussian curve.
 *
 * @throws TypeError or RangeError unless ε > 0, 0 < δ < 1 and Δ > 0.
 * @theorem online-rates Example 2
 * @theorem influence Lemma 3
 */
export function analyticGaussianSigma(budget: GaussianBudget): number {
  const sensitivity = checkPositive('sensitivity', budget.sensitivity);
  // Two units in the last place, so that Δ/σ in exact arithmetic is not above μ after the division has rounded.
  return (sensitivity / gdpMu(budget)) * (1 + 2 ** -51);
}

/**
 * log δ, lowered by a bound on the error of `gdpLogDelta` near that value: the exponent a²/2 ≤ |log δ| is right to a
 * few units in its last place, and the integral to a few more.
 */
function safeLog(delta: number): number {
  const exact = log(delta);
  return exact - 2 ** -52 * (16 + 8 * Math.abs(exact));
}
