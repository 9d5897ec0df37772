import { checkWord } from '../../src/check/refusal.ts';
import type { Certifiable } from '../../src/core/certify.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { descend } from './curator.ts';
import { centralStudy } from './m-estimation/central-study.ts';
import { named } from './m-estimation/request.ts';
import { descent, type NoisyGradientDescentPlan, type NoisyGradientDescentRequest } from './parameters.ts';
import { auditing, privacyError, theory } from './theory.ts';

/**
 * Noisy gradient descent for certificates. It has a curator but no player; functions that run protocols do not accept
 * it.
 */
export const noisyGradientDescent: Certifiable<NoisyGradientDescentPlan & PublicParameters> = {
  name: 'noisy-gradient-descent',
  theory,
  make(request) {
    checkWord('variant', request.variant as string, ['descent']);
    return named(descent(request as unknown as NoisyGradientDescentRequest), request);
  },
};

/** Noisy gradient descent as the command line tries it: Huber regression with Mallows weights. */
export const study: ModelStudy = centralStudy({
  protocol: noisyGradientDescent,
  summary:
    'robust regression by noisy gradient descent, where a curator holds the records (Avella-Medina, Bradshaw, Loh 2023)',
  variant: 'descent',
  // The noise that hides one record does not depend on the number of records.
  attacked: 3,
  theory,
  auditing,
  fit: descend,
  privacyError,
});
