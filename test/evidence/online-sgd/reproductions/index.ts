import type { PaperExperiment } from '../../experiment/experiment.ts';
import { budgets } from './budgets.ts';
import { clippingBias } from './clipping-bias.ts';
import { convergenceRates } from './convergence-rates.ts';
import { coverageModels } from './coverage-models.ts';
import { coverageTable } from './coverage-table.ts';
import { insurance } from './insurance.ts';
import { insuranceFigures } from './insurance-figures.ts';
import { mechanismComparison } from './mechanism-comparison.ts';
import { sensitivity } from './sensitivity.ts';

/** Tables and figures of the two papers on online LDP-SGD, computed again. */
export const experiments: readonly PaperExperiment[] = [
  coverageTable,
  coverageModels,
  convergenceRates,
  mechanismComparison,
  clippingBias,
  budgets,
  insurance,
  insuranceFigures,
  sensitivity,
];
