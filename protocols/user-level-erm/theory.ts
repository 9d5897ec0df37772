import { checkInteger, checkNonNegative } from '../../src/check/refusal.ts';
import type { Expectation, ForecastSetting, Theory } from '../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { approximate, type Guarantee, pure } from '../../src/privacy/guarantee.ts';
import { contraction } from './descent.ts';
import { gradientsOf, type UserLevelErmPlan } from './parameters.ts';
import { shortfallOf } from './schedule.ts';

export { contraction } from './descent.ts';

const { hypot, sqrt } = Math;

/**
 * The guarantee of one player's whole transcript.
 *
 * @theorem slides User-level privacy, user-level LDP
 */
export function guarantee({ epsilon, delta }: UserLevelErmPlan): Guarantee {
  return delta === undefined ? pure(epsilon) : approximate({ epsilon, delta });
}

/**
 * Every release of one player's transcript. Fresh players answer once, and different players compose in parallel: the
 * release is one bit for any number of rounds or, with two-round gradients, the bin or the unit vector of one round. If
 * the same players answer in all rounds, their bits add up.
 *
 * @theorem slides User-level privacy, user-level LDP
 */
export function certificate(plan: UserLevelErmPlan): Certificate {
  const { protocol, variant } = plan;
  const releases = gradientsOf(plan).releases(plan);
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan), alternatives: releases.length > 1 });
}

/**
 * The largest ℓ₂ distance between the mean gradients of two data: 2B.
 *
 * @theorem slides User-level privacy, neighbours
 */
export function neighbourDistance({ objective }: UserLevelErmPlan): number {
  return 2 * objective.gradientBound;
}

/**
 * How many players are missing to reach `requiredPlayers`; 0 if there are enough.
 *
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function shortfall(plan: UserLevelErmPlan): number {
  const { epsilon, players, samples, dimension, objective, strongConvexity } = plan;
  const { gradientBound, radius } = objective;
  const groups = gradientsOf(plan).groups(plan);
  return shortfallOf({ epsilon, players, samples, dimension, gradientBound, strongConvexity, radius, groups });
}

/**
 * The bound on ‖θ_T − θ̂‖ of noisy gradient descent on a risk that is τ₁-strongly convex and τ₂-smooth:
 * (1 − ητ₁)^T·‖θ_0 − θ̂‖ + max_t‖ĝ_t − g(θ_t)‖/τ₁, for η ≤ 1/τ₂ and a minimiser θ̂ inside the ball.
 *
 * Law: θ ↦ θ − ηg(θ) contracts by 1 − ητ₁ and projecting does not expand; the errors add up to η·max‖Z‖·Σ(1 − ητ₁)^t.
 *
 * Source: slides of Avella Medina (2023), guarantees for user-level LDP ERM, with the constant of its proof.
 *
 * @throws TypeError or RangeError for a number that is not finite and ≥ 0.
 * @theorem slides User-level LDP ERM, rewritten update
 * @theorem slides Theorem, user-level LDP ERM
 */
export function descentBound(
  plan: UserLevelErmPlan,
  { start, gradientError }: { readonly start: number; readonly gradientError: number },
): number {
  checkNonNegative('start', start);
  checkNonNegative('gradientError', gradientError);
  return contraction(plan) ** plan.iterations * start + gradientError / plan.strongConvexity;
}

/**
 * √E‖ĝ_t − g(θ_t)‖² of one iteration by its own signs alone, with thresholds close: d·√((π/2)/(m·n_t))·s/κ. Here n_t is
 * the number of players of an iteration after the first, and s is the standard deviation of a coordinate of a record's
 * gradient. A prediction from earlier iterations can only reduce the error. For two-round gradients: the expected error
 * of a two-round mean by n/T players.
 *
 * @throws TypeError or RangeError for a spread that is not a finite number ≥ 0.
 * @theorem slides Bounding the noise terms
 */
export function expectedGradientError(plan: UserLevelErmPlan, spread: number): number {
  return gradientsOf(plan).gradientError(plan, checkNonNegative('spread', spread));
}

/**
 * The expected distance of θ_T from the minimiser: the remaining part of a start at distance R, and the noise of the
 * gradients. It assumes curvature τ₁ in every direction and no skewness.
 *
 * @throws TypeError or RangeError naming the field.
 */
function forecast(plan: UserLevelErmPlan, setting: ForecastSetting): Expectation {
  const { strongConvexity, objective, gradient, samples, dimension, iterations } = plan;
  const players = checkInteger('players', setting.players, 1);
  const spread = gradient.model.deviation * sqrt((samples * gradient.size) / dimension);
  const floor = contraction(plan) ** iterations * objective.radius;
  // The plan of a mean has its own n, and every law divides by it.
  const scale = sqrt(plan.players / players);
  return {
    what: 'root mean squared ℓ₂ distance of the model to the minimiser without privacy',
    assumption: `a minimiser at a distance of ${objective.radius}, the curvature τ₁ = ${strongConvexity} in every direction, gradients of records with coordinates of standard deviation ${spread}, and enough players to locate them`,
    error: hypot(floor, scale * gradientsOf(plan).noise(plan, spread)),
    floor,
  };
}

/** The claims about plans, and what to expect of them. */
export const theory: Theory<UserLevelErmPlan> = { guarantee, certificate, neighbourDistance, forecast };
