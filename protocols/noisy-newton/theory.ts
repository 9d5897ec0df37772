import { checkPositive } from '../../src/check/number.ts';
import type { Theory } from '../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import { squareSensitivity } from '../noisy-gradient-descent/m-estimation/matrix-noise.ts';
import { sandwichReleases } from '../noisy-gradient-descent/m-estimation/request.ts';
import type { NoisyNewtonPlan } from './parameters.ts';

export {
  type HessianCondition,
  leastHessianRecords,
  leastNewtonSteps,
  leastRecords,
  type MinimaxFields,
  minimaxErrorRate,
  type RecordsCondition,
} from '../noisy-gradient-descent/m-estimation/conditions.ts';

const { sqrt } = Math;

/**
 * The guarantee of all that is released about one record.
 *
 * @theorem slides Theorem, noisy Newton, part 1
 */
export function guarantee({ mu }: NoisyNewtonPlan): Guarantee {
  return gdp(mu);
}

/**
 * Every release: the gradients of the warm-up, K gradients and K Hessians, and the sandwich where there are regions.
 *
 * @theorem slides Theorem, noisy Newton, part 1
 */
export function certificate(plan: NoisyNewtonPlan): Certificate {
  const { protocol, variant, records, model, steps, warmUp, gradientNoise, hessianNoise, sandwich } = plan;
  const gradients = (what: string, count: number, sigma: number) =>
    gaussianRelease({ what: `mean score, in each of ${what}`, count, sensitivity: neighbourDistance(plan), sigma });
  const hessians = gaussianRelease({
    what: `Hessian, in each of ${steps} Newton steps`,
    count: steps,
    sensitivity: hessianDistance(plan),
    sigma: hessianNoise,
  });
  const releases = [
    ...(warmUp.steps === 0 ? [] : [gradients(`${warmUp.steps} gradient steps`, warmUp.steps, warmUp.noise)]),
    gradients(`${steps} Newton steps`, steps, gradientNoise),
    hessians,
    ...sandwichReleases(model, records, sandwich),
  ];
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan) });
}

/**
 * Largest ℓ₂ distance between the mean scores of data that differ in one record: 2B/n, or less where more is known.
 *
 * @theorem slides Differential privacy framework
 */
export function neighbourDistance({ model, records }: NoisyNewtonPlan): number {
  return model.scoreSensitivity / records;
}

/**
 * Largest ℓ₂ distance between the distinct entries of the Hessians of data that differ in one record: √2·B̄/n exactly.
 *
 * @theorem slides Noisy Newton, scale of the matrix noise
 */
export function hessianDistance({ model, records }: NoisyNewtonPlan): number {
  return squareSensitivity(model.hessianBound) / records;
}

/**
 * √E‖θ⁽ᴷ⁾ − θ̂‖² by the noise of the last gradient, from the eigenvalues of the Hessian at θ̂: √Σ(σ_g/λ_i)². What noise on
 * Hessians adds, of a higher order in 1/n, is in `injectedCovariance`.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy Newton, part 2.
 *
 * @throws TypeError or RangeError for an eigenvalue that is not finite and > 0.
 * @theorem slides Theorem, noisy Newton, part 2
 */
export function privacyError({ gradientNoise }: NoisyNewtonPlan, curvatures: ArrayLike<number>): number {
  return sqrt(
    Array.from(curvatures).reduce((sum, at) => sum + (gradientNoise / checkPositive('curvature', at)) ** 2, 0),
  );
}

/**
 * The printed rate √K·p/(μn) of ‖θ⁽ᴷ⁾ − θ̂‖, without its constant.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy Newton, part 2.
 * @theorem slides Theorem, noisy Newton, part 2
 */
export function privacyErrorRate({ steps, model, mu, records }: NoisyNewtonPlan): number {
  return (sqrt(steps) * model.dimension) / (mu * records);
}

/** What is claimed of plans. */
export const theory: Theory<NoisyNewtonPlan> = { guarantee, certificate, neighbourDistance };
