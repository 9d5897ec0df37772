import type { Theory } from '../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import { descentVariance } from './m-estimation/fit.ts';
import { sandwichReleases } from './m-estimation/request.ts';
import type { NoisyGradientDescentPlan } from './parameters.ts';

export {
  leastGradientSteps,
  leastRecords,
  type MinimaxFields,
  minimaxErrorRate,
  type RecordsCondition,
} from './m-estimation/conditions.ts';

const { sqrt } = Math;

/**
 * The guarantee of all that is released about one record.
 *
 * @theorem slides Theorem, noisy gradient descent, part 1
 */
export function guarantee({ mu }: NoisyGradientDescentPlan): Guarantee {
  return gdp(mu);
}

/**
 * Every release: K gradients, and the two matrices of the sandwich where there are regions.
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
 * Largest ℓ₂ distance between the mean scores of data that differ in one record: 2B/n, or less where more is known.
 *
 * @theorem slides Differential privacy framework
 */
export function neighbourDistance({ model, records }: NoisyGradientDescentPlan): number {
  return model.scoreSensitivity / records;
}

/**
 * √E‖θ⁽ᴷ⁾ − θ̂‖² by the noise of the steps, from the eigenvalues of the Hessian at θ̂: the constant of the rate √K·p/(μn).
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

/**
 * The printed rate √K·p/(μn) of ‖θ⁽ᴷ⁾ − θ̂‖, without its constant. With Mallows weights B does not grow with p, but curvature falls
 * like 1/p.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy gradient descent, part 2.
 * @theorem slides Theorem, noisy gradient descent, part 2
 */
export function privacyErrorRate({ steps, model, mu, records }: NoisyGradientDescentPlan): number {
  return (sqrt(steps) * model.dimension) / (mu * records);
}

/** 1 − ητ₁: how much nearer one step without noise comes to the minimiser at least. */
export function contraction({ step, strongConvexity }: NoisyGradientDescentPlan): number {
  return 1 - step * strongConvexity;
}

/** What is claimed of plans. */
export const theory: Theory<NoisyGradientDescentPlan> = { guarantee, certificate, neighbourDistance };
