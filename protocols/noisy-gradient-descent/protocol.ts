import { checkWord } from '../../src/check/number.ts';
import type { Certifiable } from '../../src/core/certify.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import { named } from './m-estimation/request.ts';
import { descent, type NoisyGradientDescentPlan, type NoisyGradientDescentRequest } from './parameters.ts';
import { theory } from './theory.ts';

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
