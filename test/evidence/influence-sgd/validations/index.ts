import type { TheoremValidation } from '../../experiment/experiment.ts';
import { constants } from './constants.ts';
import { equation2 } from './equation-2.ts';
import { equation4 } from './equation-4.ts';
import { lemma3 } from './lemma-3.ts';
import { solvers } from './solvers.ts';
import { theorem1 } from './theorem-1.ts';
import { theorem1Equality } from './theorem-1-equality.ts';
import { theorem3 } from './theorem-3.ts';
import { theorem4 } from './theorem-4.ts';
import { theorem5 } from './theorem-5.ts';
import { theorem6 } from './theorem-6.ts';

/** The theorems of the paper on PIDP-SGD, measured: those that hold, and those that do not beside what holds instead. */
export const validations: readonly TheoremValidation[] = [
  constants,
  equation2,
  theorem1,
  theorem1Equality,
  equation4,
  theorem3,
  solvers,
  theorem4,
  theorem5,
  lemma3,
  theorem6,
];
