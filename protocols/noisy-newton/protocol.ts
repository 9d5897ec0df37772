import type { Auditing, Theory } from '../../src/core/contract.ts';
import type { Certificate } from '../../src/privacy/certificate.ts';
import type { ModelStudy } from '../../src/simulation/model-study.ts';
import {
  type AttackedRecords,
  auditingOf,
  type CentralCurator,
  type CentralVariant,
  centralStudy,
} from '../noisy-gradient-descent/central-study.ts';
import type { NoisyFit } from '../noisy-gradient-descent/curator.ts';
import { curvatureMoment } from '../noisy-gradient-descent/model.ts';
import { fitCertificate, guarantee, hessianDistance, neighbourDistance } from '../noisy-gradient-descent/protocol.ts';
import { solve, solvedNoise } from './curator.ts';
import { type NoisyNewtonPlan, type NoisyNewtonRequest, newton } from './parameters.ts';
import {
  auditing as auditingOfWeights,
  privacyError as errorOfWeights,
  theory as ofWeights,
  type ReweightedPlan,
  type ReweightedRequest,
  reweight,
  reweighted,
} from './reweighted.ts';

/**
 * Every release: the gradients of the warm-up, K gradients and K Hessians, and the sandwich if there are regions.
 * @theorem slides Theorem, noisy Newton, part 1
 */
export function certificate(plan: NoisyNewtonPlan): Certificate {
  const { steps, warmUp, gradientNoise, hessianNoise } = plan;
  const distance = neighbourDistance(plan);
  return fitCertificate(plan, [
    [`mean score, in each of ${warmUp.steps} gradient steps`, warmUp.steps, distance, warmUp.noise],
    [`mean score, in each of ${steps} Newton steps`, steps, distance, gradientNoise],
    [`Hessian, in each of ${steps} Newton steps`, steps, hessianDistance(plan), hessianNoise],
  ]);
}

/**
 * √E‖θ⁽ᴷ⁾ − θ̂‖² from the noise of the last gradient, given the eigenvalues of the Hessian at θ̂: √Σ(σ_g/λ_i)². The
 * part from noise on Hessians is of a higher order in 1/n, and the covariance of a solution has it.
 *
 * Source: slides of Avella-Medina (2023), theorem on noisy Newton, part 2.
 * @throws TypeError or RangeError for an eigenvalue that is not finite and > 0.
 * @theorem slides Theorem, noisy Newton, part 2
 */
export function privacyError({ gradientNoise }: NoisyNewtonPlan, curvatures: ArrayLike<number>): number {
  return solvedNoise(gradientNoise, curvatures);
}

/** The claims about plans. */
export const theory: Theory<NoisyNewtonPlan> = { guarantee, certificate, neighbourDistance };

/** What an audit of the curator may use. */
export const auditing: Auditing<NoisyNewtonPlan, AttackedRecords, NoisyFit> = auditingOf(
  ({ warmUp, gradientNoise, hessianNoise }) => ({
    gradient: warmUp,
    newton: { matrix: curvatureMoment, noise: () => ({ gradient: gradientNoise, matrix: hessianNoise }) },
  }),
);

const own: CentralVariant<NoisyNewtonPlan> = {
  make: (request) => newton(request as unknown as NoisyNewtonRequest),
  ...{ theory, auditing, fit: solve, privacyError },
};

const weighted: CentralVariant<ReweightedPlan> = {
  make: (request) => reweighted(request as unknown as ReweightedRequest),
  ...{ theory: ofWeights, auditing: auditingOfWeights, fit: reweight, privacyError: errorOfWeights },
};

const curator: CentralCurator<NoisyNewtonPlan | ReweightedPlan> = {
  name: 'noisy-newton',
  summary:
    "robust regression by noisy Newton's method, where a curator holds the records (Avella-Medina, Bradshaw, Loh 2023)",
  variants: { reweighted: weighted, newton: own },
  // Few enough for an attack to repeat all steps, and enough for a Hessian.
  attacked: 21,
};

/**
 * Noisy Newton as the command line tries it: Huber regression with Mallows weights. Its protocol has a curator but no player; functions
 * that run protocols do not accept it.
 */
export const study: ModelStudy = centralStudy(curator);
