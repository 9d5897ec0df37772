import type { Auditing, Theory } from '../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { type AttackedRecords, auditingOf, type CentralCurator, centralStudy } from './central-study.ts';
import { descend, descentVariance, type NoisyFit } from './curator.ts';
import { squareSensitivity } from './model.ts';
import {
  descent,
  type NoisyFitPlan,
  type NoisyGradientDescentPlan,
  type NoisyGradientDescentRequest,
} from './parameters.ts';

const { sqrt } = Math;

/**
 * The guarantee for one record of everything that is released.
 * @theorem slides Theorem, noisy gradient descent, part 1
 * @theorem slides Theorem, noisy Newton, part 1
 */
export function guarantee({ mu }: { readonly mu: number }): Guarantee {
  return gdp(mu);
}

/**
 * Every release: K gradients, and the two matrices of the sandwich if there are regions.
 * @theorem slides Theorem, noisy gradient descent, part 1
 */
export function certificate(plan: NoisyGradientDescentPlan): Certificate {
  const { steps, noise } = plan;
  return fitCertificate(plan, [[`mean score, in each of ${steps} steps`, steps, neighbourDistance(plan), noise]]);
}

/** The certificate of all steps, each of them Gaussian releases of one kind, and of the sandwich if there are regions. */
export function fitCertificate(
  plan: NoisyFitPlan & { readonly protocol: string; readonly variant: string },
  steps: readonly (readonly [what: string, count: number, sensitivity: number, sigma: number])[],
): Certificate {
  const { protocol, variant, records, model, sandwich } = plan;
  const scores = squareSensitivity(model.scoreBound * model.scoreBound) / records;
  const matrices: typeof steps =
    sandwich === undefined
      ? []
      : [
          ['Hessian at the last iterate', 1, hessianDistance(plan), sandwich.hessian],
          ['second moment of scores at the last iterate', 1, scores, sandwich.scores],
        ];
  const releases = [...steps, ...matrices]
    .filter(([, count]) => count > 0)
    .map(([what, count, sensitivity, sigma]) => gaussianRelease({ what, count, sensitivity, sigma }));
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan) });
}

/**
 * Largest ℓ₂ distance between the mean scores of data that differ in one record: 2B/n, or less if a smaller bound is
 * known.
 * @theorem slides Differential privacy framework
 */
export function neighbourDistance({ model, records }: Pick<NoisyFitPlan, 'model' | 'records'>): number {
  return model.scoreSensitivity / records;
}

/**
 * Largest ℓ₂ distance between the distinct entries of the Hessians of data that differ in one record: √2·B̄/n exactly.
 * @theorem slides Noisy Newton, scale of the matrix noise
 */
export function hessianDistance({ model, records }: Pick<NoisyFitPlan, 'model' | 'records'>): number {
  return squareSensitivity(model.hessianBound) / records;
}

/**
 * √E‖θ⁽ᴷ⁾ − θ̂‖² from the noise of the steps, given the eigenvalues of the Hessian at θ̂: the constant of the rate
 * √K·p/(μn).
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy gradient descent, part 2.
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

const curator: CentralCurator<NoisyGradientDescentPlan> = {
  name: 'noisy-gradient-descent',
  summary:
    'robust regression by noisy gradient descent, where a curator holds the records (Avella-Medina, Bradshaw, Loh 2023)',
  variants: {
    descent: {
      make: (request) => descent(request as unknown as NoisyGradientDescentRequest),
      theory,
      auditing,
      fit: descend,
      privacyError,
    },
  },
  // The noise that hides one record does not depend on the number of records.
  attacked: 3,
};

/**
 * Noisy gradient descent as the command line tries it: Huber regression with Mallows weights. Its protocol has a curator but no player;
 * what runs protocols does not accept it.
 */
export const study: ModelStudy = centralStudy(curator);
