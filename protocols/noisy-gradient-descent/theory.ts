import type { Auditing } from '../../src/core/auditing.ts';
import type { Theory } from '../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import { type AttackedRecords, auditingOf } from './m-estimation/central-study.ts';
import { descentVariance, type NoisyFit } from './m-estimation/fit.ts';
import { sandwichReleases } from './m-estimation/request.ts';
import type { NoisyGradientDescentPlan } from './parameters.ts';

const { sqrt } = Math;

/**
 * The guarantee for one record of everything that is released.
 *
 * @theorem slides Theorem, noisy gradient descent, part 1
 * @theorem slides Theorem, noisy Newton, part 1
 */
export function guarantee({ mu }: { readonly mu: number }): Guarantee {
  return gdp(mu);
}

/**
 * Every release: K gradients, and the two matrices of the sandwich if there are regions.
 *
 * @theorem slides Theorem, noisy gradient descent, part 1
 */
export function certificate(plan: NoisyGradientDescentPlan): Certificate {
  const { protocol, variant, records, model, steps, noise, sandwich } = plan;
  const gradients = gaussianRelease({
    what: `mean score, in each of ${steps} steps`,
    count: steps,
    sensitivity: neighbourDistance(plan),
    sigma: noise,
  });
  const releases = [gradients, ...sandwichReleases(model, records, sandwich)];
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan) });
}

/**
 * Largest ℓ₂ distance between the mean scores of data that differ in one record: 2B/n, or less if a smaller bound is
 * known.
 *
 * @theorem slides Differential privacy framework
 */
export function neighbourDistance({ model, records }: Pick<NoisyGradientDescentPlan, 'model' | 'records'>): number {
  return model.scoreSensitivity / records;
}

/**
 * √E‖θ⁽ᴷ⁾ − θ̂‖² from the noise of the steps, given the eigenvalues of the Hessian at θ̂: the constant of the rate
 * √K·p/(μn).
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy gradient descent, part 2.
 *
 * @throws TypeError or RangeError for an eigenvalue that is not finite and > 0.
 * @theorem slides Theorem, noisy gradient descent, part 2
 */
export function privacyError(plan: NoisyGradientDescentPlan, curvatures: ArrayLike<number>): number {
  const { step, steps, noise } = plan;
  return sqrt(Array.from(curvatures).reduce((sum, at) => sum + descentVariance(at, step, steps, noise), 0));
}

/** The claims about plans. */
export const theory: Theory<NoisyGradientDescentPlan> = { guarantee, certificate, neighbourDistance };

/** What an audit of the curator may use. */
export const auditing: Auditing<NoisyGradientDescentPlan, AttackedRecords, NoisyFit> = auditingOf(
  ({ steps, step, noise }) => ({ gradient: { steps, step, noise } }),
);
