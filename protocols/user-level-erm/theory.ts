import { checkFinite, checkNonNegative, checkPositive } from '../../src/check/number.ts';
import type { Theory } from '../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { approximate, type Guarantee, pure } from '../../src/privacy/guarantee.ts';
import { expectedTwoRoundError, twoRoundVectorTheory } from '../user-level-mean/vector/two-round-theory.ts';
import { shortfallOf } from './condition.ts';
import type { DescentPlan, TwoRoundErmPlan, UserLevelErmPlan } from './parameters.ts';

export { type ConditionFields, requiredPlayers, requiredSamples, shortfallOf } from './condition.ts';

const { log, log1p, max, PI, sqrt } = Math;

/** Everything the condition speaks of, of a plan. */
function fieldsOf(plan: UserLevelErmPlan) {
  const { epsilon, players, samples, dimension, objective, strongConvexity } = plan;
  const groups = plan.gradients === 'signs' ? 1 : plan.iterations;
  const { gradientBound, radius } = objective;
  return { epsilon, players, samples, dimension, gradientBound, strongConvexity, radius, groups };
}

/**
 * The guarantee of one player's whole transcript.
 *
 * @theorem slides User-level privacy, user-level LDP
 */
export function guarantee({ epsilon, delta }: UserLevelErmPlan): Guarantee {
  return delta === undefined ? pure(epsilon) : approximate({ epsilon, delta });
}

/**
 * Every release of one player's transcript. Fresh players answer once: different players compose in parallel, so that it is one
 * bit however many rounds there are; of two rounds the bin or the unit vector of one of them. The same players answer in all rounds, and their bits add up.
 *
 * @theorem slides User-level privacy, user-level LDP
 */
export function certificate(plan: UserLevelErmPlan): Certificate {
  if (plan.gradients === 'two-round') return twoRoundCertificate(plan);
  const { protocol, variant, samePlayers, shares, iterations, gradient } = plan;
  const { coin } = gradient;
  const count = samePlayers ? shares.length : 1;
  const release = {
    what: samePlayers
      ? `sign of one rotated coordinate of the gradient, in each of ${count} rounds of ${iterations} iterations`
      : `sign of one rotated coordinate of the gradient, in one of ${shares.length} rounds of ${iterations} iterations`,
    count,
    mechanism: 'randomized response',
    sensitivity: 1,
    scale: 1 / coin.contrast,
    guarantee: pure(coin.exactEpsilon),
  };
  return certificateOf({ protocol, variant, releases: [release], claimed: guarantee(plan) });
}

/** The two releases of the mean, of which a player has one, in one iteration. */
function twoRoundCertificate(plan: TwoRoundErmPlan): Certificate {
  const { protocol, variant, gradient, iterations } = plan;
  const releases = twoRoundVectorTheory.certificate(gradient).releases.map((release) => ({
    ...release,
    what: `of the gradient, in one of ${iterations} iterations: ${release.what}`,
  }));
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan), alternatives: true });
}

/**
 * Largest ℓ₂ distance between the mean gradients of two data: 2B.
 *
 * @theorem slides User-level privacy, neighbours
 */
export function neighbourDistance({ objective }: UserLevelErmPlan): number {
  return 2 * objective.gradientBound;
}

/**
 * How many players are missing from what `requiredPlayers` asks for; 0 where there are enough.
 *
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function shortfall(plan: UserLevelErmPlan): number {
  return shortfallOf(fieldsOf(plan));
}

/**
 * 1 − ητ₁: how much nearer one step with the exact gradient comes to the minimiser at least.
 *
 * @theorem slides Theorem, user-level LDP ERM
 */
export function contraction({ step, strongConvexity }: UserLevelErmPlan): number {
  return 1 - step * strongConvexity;
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
 * √E‖ĝ_t − g(θ_t)‖² of one iteration by its own signs alone, thresholds close: d·√((π/2)/(m·n_t))·s/κ, n_t the players of an
 * iteration after the first, s the standard deviation of a coordinate of a record's gradient. What is predicted from earlier
 * iterations only lessens it. Of two rounds what is expected of a mean in two rounds by n/T players.
 *
 * @throws TypeError or RangeError for a spread that is not a finite number ≥ 0.
 * @theorem slides Bounding the noise terms
 */
export function expectedGradientError(plan: UserLevelErmPlan, spread: number): number {
  checkNonNegative('spread', spread);
  if (plan.gradients === 'two-round') return sqrt(expectedTwoRoundError(plan.gradient, spread));
  const { gradient, dimension, samples, players, shares, rounds, iterations, samePlayers } = plan;
  const last = shares.slice(-rounds[iterations - 1]).reduce((sum, share) => sum + share, 0);
  const reports = players * (samePlayers ? max(1, last) : last);
  return dimension * sqrt(PI / 2 / (samples * reports)) * (spread / gradient.coin.contrast);
}

/** What the slides' bound on the error of all gradients of a descent speaks of. */
export interface GradientRadiusFields {
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** δ of it. */
  readonly delta: number;
  /** n. */
  readonly players: number;
  /** m. */
  readonly samples: number;
  /** d. */
  readonly dimension: number;
  /** B. */
  readonly gradientBound: number;
  /** τ: gradients are τ-Lipschitz in θ. */
  readonly smoothness: number;
  /** ξ, the probability that the bound does not hold. */
  readonly failure: number;
}

/**
 * ln of the size of a Δ-net of a ball of radius R in R^d, at most d·ln(1 + 2R/Δ): every point of the ball is within Δ of one of the net.
 *
 * Law: balls of radius Δ/2 around the points of a largest packing are disjoint, and lie in the ball of radius R + Δ/2.
 *
 * @throws TypeError or RangeError unless every number is > 0.
 * @theorem slides Bounding the noise term: key steps, net
 */
export function logNetSize(dimension: number, radius: number, distance: number): number {
  checkPositive('dimension', dimension);
  return dimension * log1p((2 * checkPositive('radius', radius)) / checkPositive('distance', distance));
}

/**
 * r_{n,m} with the constant 1: (B√d/(√(mn)·ε))·(ln(nd/ξ) + d·ln(1 + τ√(mn)·ε/d²))^1.5·ln(d/δ), what the slides bound ‖ĝ_t − g(θ_t)‖ by
 * for all t at once, up to a constant: gradients at the data's own iterates are those of a net of all models.
 *
 * Law: the d·ln(…) is that of `logNetSize` with a distance at which gradients differ by the error of one; it makes r_{n,m} grow like d²
 * where the first logarithm is small. Fresh players in every round need no net: their data are independent of θ_t.
 *
 * Source: slides of Avella Medina (2023), bounding the noise term.
 *
 * @throws TypeError or RangeError unless every number is > 0.
 * @theorem slides Bounding the noise term: key steps, r_{n,m}
 */
export function gradientRadius(fields: GradientRadiusFields): number {
  const { epsilon, delta, players, samples, dimension, gradientBound, smoothness, failure } = fields;
  for (const [name, value] of Object.entries(fields)) checkPositive(name, value);
  const scale = sqrt(samples * players) * epsilon;
  const logarithms =
    log((players * dimension) / failure) + dimension * log1p((smoothness * scale) / (dimension * dimension));
  return ((gradientBound * sqrt(dimension)) / scale) * logarithms ** 1.5 * log(dimension / delta);
}

/**
 * What a coordinate of ĝ is off by for every n: −κ₃s/(6m), κ₃ the skewness and s the standard deviation of that coordinate of a
 * record's gradient. Signs find the median of the players' gradients, and the median of a mean of m records is so far from its
 * expectation, by the first term of the Edgeworth expansion. Where gradients at the minimiser are symmetric, θ is not off.
 *
 * Source: Cornish, Fisher 1937, Moments and cumulants in the specification of distributions (the quantile ½).
 *
 * @throws TypeError or RangeError for a spread that is not a finite number ≥ 0, or a skewness that is not finite.
 * @theorem slides Bounding the noise terms
 */
export function skewBias(
  { samples }: Pick<DescentPlan, 'samples'>,
  { spread, skewness }: { readonly spread: number; readonly skewness: number },
): number {
  return (-checkFinite('skewness', skewness) * checkNonNegative('spread', spread)) / (6 * samples);
}

/** What is claimed of plans. */
export const theory: Theory<UserLevelErmPlan> = { guarantee, certificate, neighbourDistance };
