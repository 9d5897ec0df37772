import { checkWord } from '../../src/check/number.ts';
import type { Certifiable } from '../../src/core/certify.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import { named } from '../noisy-gradient-descent/m-estimation/request.ts';
import { type NoisyNewtonPlan, type NoisyNewtonRequest, newton } from './parameters.ts';
import { theory } from './theory.ts';

/** Noisy Newton for certificates. It has a curator but no player; functions that run protocols do not accept it. */
export const noisyNewton: Certifiable<NoisyNewtonPlan & PublicParameters> = {
  name: 'noisy-newton',
  theory,
  make(request) {
    checkWord('variant', request.variant as string, ['newton']);
    return named(newton(request as unknown as NoisyNewtonRequest), request);
  },
};
