import { checkWord } from '../../src/check/refusal.ts';
import type { Certifiable } from '../../src/core/certify.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { centralStudy } from '../noisy-gradient-descent/m-estimation/central-study.ts';
import { named } from '../noisy-gradient-descent/m-estimation/request.ts';
import { solve } from './curator.ts';
import { type NoisyNewtonPlan, type NoisyNewtonRequest, newton } from './parameters.ts';
import { auditing, privacyError, theory } from './theory.ts';

/** Noisy Newton for certificates. It has a curator but no player; functions that run protocols do not accept it. */
export const noisyNewton: Certifiable<NoisyNewtonPlan & PublicParameters> = {
  name: 'noisy-newton',
  theory,
  make(request) {
    checkWord('variant', request.variant as string, ['newton']);
    return named(newton(request as unknown as NoisyNewtonRequest), request);
  },
};

/** Noisy Newton as the command line tries it: Huber regression with Mallows weights. */
export const study: ModelStudy = centralStudy({
  protocol: noisyNewton,
  summary:
    "robust regression by noisy Newton's method, where a curator holds the records (Avella-Medina, Bradshaw, Loh 2023)",
  variant: 'newton',
  // Few enough for an attack to repeat all steps, and enough for a Hessian.
  attacked: 21,
  theory,
  auditing,
  fit: solve,
  privacyError,
});
