import type { TheoremValidation } from '../../experiment/experiment.ts';
import { composition } from './composition.ts';
import { degree } from './degree.ts';
import { inexactness } from './inexactness.ts';
import { lemma6 } from './lemma-6.ts';
import { lemma8 } from './lemma-8.ts';
import { lemma9 } from './lemma-9.ts';
import { liftedReport } from './lifted-report.ts';
import { oracleMoments } from './oracle-moments.ts';
import { privacy } from './privacy.ts';
import { rate } from './rate.ts';
import { serverLoop } from './server-loop.ts';
import { table } from './table.ts';
import { varianceOrders } from './variance-orders.ts';

/** What the paper proves of algorithm 1 and its tools, measured. */
export const validations: readonly TheoremValidation[] = [
  lemma6,
  lemma8,
  lemma9,
  serverLoop,
  oracleMoments,
  inexactness,
  varianceOrders,
  privacy,
  liftedReport,
  rate,
  degree,
  composition,
  table,
];
