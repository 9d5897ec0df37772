import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { centralStudy } from '../noisy-gradient-descent/m-estimation/central-study.ts';
import { solve } from './curator.ts';
import { noisyNewton } from './protocol.ts';
import { auditing, privacyError, theory } from './theory.ts';

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
