import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { descend } from './curator.ts';
import { centralStudy } from './m-estimation/central-study.ts';
import { noisyGradientDescent } from './protocol.ts';
import { auditing, privacyError, theory } from './theory.ts';

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
