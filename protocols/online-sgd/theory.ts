import { refusal } from '../../src/check/number.ts';
import type { Theory } from '../../src/core/contract.ts';
import { discreteGaussianRelease } from '../../src/core/integer-noise.ts';
import { unitRelease } from '../../src/core/unit-report.ts';
import { sandwich } from '../../src/inference/sandwich.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../src/privacy/release.ts';
import { meanInverseSquare } from './budgets.ts';
import { onlineInfluence } from './influence.ts';
import type { OnlinePlan } from './plan.ts';

const { SQRT2, hypot } = Math;

/** The guarantee of a plan's gradient alone. */
function gradientGuarantee({ noise, variant }: OnlinePlan): Guarantee {
  if (noise.law === 'none') throw new RangeError(refusal('variant', 'one with a guarantee', variant));
  if (variant === 'gaussian' && noise.law === 'gaussian' && noise.claimed !== undefined) return noise.claimed;
  return noise.guarantee;
}

/**
 * The guarantee of one player's whole transcript, its one report: that of the player with the largest budget. Iterates and
 * averages are computed from reports, so that they have it as well, against everybody and at every step.
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
export function guarantee(plan: OnlinePlan): Guarantee {
  const ofGradient = gradientGuarantee(plan);
  if (plan.hessian === undefined || ofGradient.kind !== 'gdp') return ofGradient;
  return gdp(hypot(ofGradient.mu, plan.hessian.mu));
}

/**
 * Every release of one player's transcript, and the total under every accounting that applies; a printed claim stands beside
 * what holds.
 *
 * @throws RangeError for the variant `nonPrivate`.
 * @theorem online-inference Proposition 5
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export function certificate(plan: OnlinePlan): Certificate {
  const { protocol, variant, noise, hessian } = plan;
  const releases = [gradientRelease(plan)];
  if (hessian !== undefined) {
    const { sensitivity, sigma } = hessian.mechanism;
    releases.push(gaussianRelease({ what: 'Hessian of the loss at the iterate', count: 1, sensitivity, sigma }));
  }
  const claimed = (noise.law === 'gaussian' ? noise.claimed : undefined) ?? guarantee(plan);
  return certificateOf({ protocol, variant, releases, claimed });
}

function gradientRelease(plan: OnlinePlan): Release {
  const { model, noise } = plan;
  const what = 'gradient of the loss at the iterate';
  const { sensitivity } = model;
  switch (noise.law) {
    case 'none':
      throw new RangeError(refusal('variant', 'one with a guarantee', plan.variant));
    case 'gaussian': {
      if (noise.guarantee.kind !== 'gdp' || noise.budgets === undefined) {
        return gaussianRelease({ what, count: 1, sensitivity, sigma: noise.sigma });
      }
      const sigma = sensitivity / noise.guarantee.mu;
      return gaussianRelease({ what: `${what}, of the player with the largest budget`, count: 1, sensitivity, sigma });
    }
    case 'laplace': {
      const { scale, absoluteSensitivity } = noise;
      return {
        what,
        count: 1,
        mechanism: 'Laplace',
        sensitivity: absoluteSensitivity,
        scale,
        guarantee: noise.guarantee,
      };
    }
    case 'unit':
      return unitRelease(what, noise.mechanism);
    case 'grid':
      return discreteGaussianRelease(what, noise.mechanism);
  }
}

/**
 * Largest ℓ₂ distance between what two neighbouring data make the player randomize: for gradients 2B₀ in most models,
 * √(8c² + c⁴/4) for the joint scale.
 *
 * @theorem online-inference Definition 1
 * @theorem online-rates Definition 3
 */
export function neighbourDistance({ model, noise, hessian }: OnlinePlan): number {
  const unit = noise.law === 'unit' || noise.law === 'grid' ? model.gradientBound : 1;
  return hypot(model.sensitivity / unit, hessian?.mechanism.sensitivity ?? 0);
}

/**
 * Variance of the privacy noise on one coordinate of a released gradient, in the mean over players: that of a coordinate
 * orthogonal to the gradient for a randomizer of unit vectors, which at the best threshold is that of all.
 *
 * Units: of the gradient, squared. With budgets μ_i it is Δ²·E[1/μ²].
 * @theorem online-inference Theorem 2
 * @theorem online-inference Corollary 1
 * @theorem online-rates Corollary 1
 * @theorem online-rates (4.1)
 */
export function noiseVariance({ model, noise }: OnlinePlan): number {
  switch (noise.law) {
    case 'none':
      return 0;
    case 'gaussian':
      if (noise.budgets !== undefined) return model.sensitivity ** 2 * meanInverseSquare(noise.budgets);
      return noise.sigma * noise.sigma;
    case 'laplace':
      return 2 * noise.scale * noise.scale;
    case 'unit':
    case 'grid':
      return model.gradientBound ** 2 * noise.mechanism.coordinateVariance;
  }
}

/**
 * Ω = max_i E‖ω_i‖² of the noise B₀·ω_i, as both papers define it: p times the largest variance, over B₀².
 *
 * Law: 8p²/ε² for `laplace` (printed: of the order p³(ln p)²/ε²), 4p/μ² for `gdp` and Δ = 2B₀, pσ²/B₀² for `gaussian`.
 *
 * Source: non-asymptotic paper, Section 4.1; docs/errata.md for the rate of the Laplace mechanism.
 * @theorem online-rates Ω, after Theorem 3
 * @theorem online-rates Remark 2
 */
export function omega(plan: OnlinePlan): number {
  const { model, noise } = plan;
  const largest = noise.law === 'gaussian' ? noise.sigma * noise.sigma : noiseVariance(plan);
  return (model.dimension * largest) / model.gradientBound ** 2;
}

/**
 * p³(ln p)²/ε², the rate printed for Ω of the Laplace mechanism; it grows faster than what holds, 8p²/ε².
 *
 * @theorem online-rates Ω, after Theorem 3
 */
export function printedLaplaceRate(dimension: number, epsilon: number): number {
  return dimension ** 3 * (Math.log(dimension) / epsilon) ** 2;
}

/** Population moments at the minimiser θ₀. */
export interface PopulationMoments {
  /** A, the Hessian of the risk, p × p row-major. */
  readonly hessian: Float64Array;
  /** S, the second moment of the gradient without noise, p × p row-major. */
  readonly gradient: Float64Array;
}

/**
 * A⁻¹(S + vI)A⁻¹/b, the covariance of √n(θ̄ − θ₀) after n steps of b players each, v the variance of the privacy noise.
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
  if (raisedHessian > 0) throw new RangeError(refusal('hessian', 'a positive definite matrix', 'another one'));
  return covariance.map((entry) => entry / plan.batch);
}

/**
 * B₁, the sensitivity √2·B₁ of a released Hessian, and the one printed for it, 2B₁.
 *
 * @theorem online-inference Proposition 4
 */
export function hessianSensitivity(bound: number): { readonly exact: number; readonly printed: number } {
  return { exact: SQRT2 * bound, printed: 2 * bound };
}

/** What is claimed of plans. */
export const theory: Theory<OnlinePlan> = {
  guarantee,
  certificate,
  neighbourDistance,
  influence: onlineInfluence,
};
