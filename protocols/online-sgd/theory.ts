import { refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { Theory } from '../../src/core/contract.ts';
import { sandwich } from '../../src/inference/sandwich.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { channelOf } from './channel.ts';
import { forecast } from './forecast.ts';
import type { OnlinePlan } from './plan.ts';

const { hypot } = Math;

/**
 * The guarantee of one player's whole transcript, which is its one report: the guarantee of the player with the largest
 * budget. Iterates and averages are computed from reports, so they have the same guarantee, against everybody and at
 * every step.
 *
 * Source: non-asymptotic paper, theorems 1 and 2.
 *
 * @throws RangeError for the variant `nonPrivate`.
 * @theorem online-inference Proposition 2
 * @theorem online-inference Proposition 3
 * @theorem online-inference Proposition 5
 * @theorem online-rates Proposition 2
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export function guarantee({ noise, hessian, variant }: OnlinePlan): Guarantee {
  const ofGradient = noise.guarantee;
  if (ofGradient === undefined) throw new RefusedValue(refusal('variant', 'one with a guarantee', variant));
  return hessian === undefined || ofGradient.kind !== 'gdp' ? ofGradient : gdp(hypot(ofGradient.mu, hessian.mu));
}

/**
 * Every release of one player's transcript, and the total under every accounting that applies. A printed claim stands
 * beside the guarantee that holds.
 *
 * @throws RangeError for the variant `nonPrivate`.
 * @theorem online-inference Proposition 5
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export function certificate(plan: OnlinePlan): Certificate {
  const { protocol, variant, noise } = plan;
  const releases = channelOf(plan).releases();
  return certificateOf({ protocol, variant, releases, claimed: noise.claimed ?? guarantee(plan) });
}

/**
 * The largest ℓ₂ distance between the vectors that the player randomizes for two neighbouring data: for gradients 2B₀
 * in most models, √(8c² + c⁴/4) for the joint scale.
 *
 * @theorem online-inference Definition 1
 * @theorem online-rates Definition 3
 */
export function neighbourDistance({ model, noise, hessian }: OnlinePlan): number {
  return hypot(model.sensitivity / noise.unit, hessian?.mechanism.sensitivity ?? 0);
}

/**
 * Variance of the privacy noise on one coordinate of a released gradient, averaged over players. For a randomizer of
 * unit vectors it is that of a coordinate orthogonal to the gradient; at the best threshold all coordinates have this
 * variance.
 *
 * Units: of the gradient, squared. With budgets μ_i it is Δ²·E[1/μ²].
 * @theorem online-inference Theorem 2
 * @theorem online-inference Corollary 1
 * @theorem online-rates Corollary 1
 * @theorem online-rates (4.1)
 */
export function noiseVariance({ noise }: OnlinePlan): number {
  return noise.variance;
}

/** Population moments at the minimiser θ₀. */
export interface PopulationMoments {
  /** A, the Hessian of the risk, p × p row-major. */
  readonly hessian: Float64Array;
  /** S, the second moment of the gradient without noise, p × p row-major. */
  readonly gradient: Float64Array;
}

/**
 * A⁻¹(S + vI)A⁻¹/b, the covariance of √n(θ̄ − θ₀) after n steps of b players each; v is the variance of the privacy
 * noise.
 *
 * Shape: p × p row-major.
 *
 * Source: non-asymptotic paper, corollary 1; inference paper, theorem 2.
 *
 * @throws TypeError or RangeError for matrices of another size, or a Hessian that is not positive definite.
 * @theorem online-inference Condition 2
 * @theorem online-inference Theorem 2
 * @theorem online-inference Corollary 1
 * @theorem online-rates Theorem 4
 * @theorem online-rates Corollary 1
 * @theorem online-rates (4.1)
 */
export function asymptoticCovariance(plan: OnlinePlan, moments: PopulationMoments): Float64Array {
  const { dimension } = plan.model;
  const gradient = moments.gradient.slice();
  const variance = noiseVariance(plan);
  for (let i = 0; i < dimension; i++) gradient[i * dimension + i] += variance;
  const { covariance, raisedHessian } = sandwich({
    dimension,
    hessian: moments.hessian,
    gradient,
    hessianFloor: Number.EPSILON,
  });
  if (raisedHessian > 0) throw new RefusedValue(refusal('hessian', 'a positive definite matrix', 'another one'));
  return covariance.map((entry) => entry / plan.batch);
}

/** The claims about plans. */
export const theory: Theory<OnlinePlan> = {
  guarantee,
  certificate,
  neighbourDistance,
  // A report of step i moves the next iterate by at most γ·i^(−α)/b times the bound on the gradient; b is the number of
  // reports of a step.
  influence: (plan) => channelOf(plan).influence,
  forecast,
};
