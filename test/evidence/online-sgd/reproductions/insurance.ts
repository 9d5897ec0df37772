import type { PlainRequest } from 'ldpkit';
import type { CellResult, ExperimentCell, PaperExperiment } from '../../experiment/experiment.ts';
import type { InsuranceChunk, InsuranceSetting } from './insurance-lines.ts';
import { insuranceOwnData } from './insurance-own.ts';
import { insuranceReport } from './insurance-report.ts';
import { CHECKPOINTS, insuranceChunk, insuranceRequest, insuranceSmallRun, ROWS, TRAIN } from './insurance-stream.ts';
import type { InsuranceEncoding } from './insurance-table.ts';

/** α, as printed. */
const DECAY = 0.501;

interface Budget {
  readonly key: string;
  readonly label: string;
  readonly budget: PlainRequest;
  readonly encoding?: InsuranceEncoding;
}

const BUDGETS: readonly Budget[] = [
  { key: 'mu-1', label: 'μ = 1', budget: { variant: 'gdp', mu: 1 } },
  { key: 'mu-1-codes', label: 'μ = 1, raw codes', budget: { variant: 'gdp', mu: 1 }, encoding: 'codes' },
  { key: 'mu-2', label: 'μ = 2', budget: { variant: 'gdp', mu: 2 } },
  { key: 'priv-unit-3', label: 'PrivUnit, ε = 3', budget: { variant: 'privUnit', epsilon: 3 } },
  { key: 'non-private', label: 'non-private SGD', budget: { variant: 'nonPrivate' } },
];

/**
 * The insurance example of the inference paper, on a synthetic table.
 *
 * @theorem online-inference Figure 5
 */
export const insurance: PaperExperiment<InsuranceSetting, InsuranceChunk> = {
  name: 'insurance',
  title: 'Insurance charges, from a synthetic table',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Section 6.2, Tables 2 and 3, Figure 5',
  summary:
    'The table is synthetic and nobody’s data: 1,000,000 rows with the published ranges and categories, columns independent and ' +
    'uniform, charges made from the OLS coefficients of Table 3, as those of standardised columns, with normal noise of the printed OLS ' +
    'test error, 0.0607. The published table was generated as well, by a rule that the papers do not print, so that errors compare in ' +
    'their order only; npm run reproduce -- insurance --data FILE takes the published one.\n' +
    '800,000 rows play once each, in a random order; 200,000 test. Linear regression: Huber loss with c = 1.345, α = 0.501, Mallows ' +
    'weights, as printed; η = 0.5 and a start from Unif(0, 1), as in the other paper.  Charge and columns are standardised by public constants. The papers say that categories stay ' +
    'their numbers; with these the printed coefficients and error would leave the standardised charge a variance of 0.771, with ' +
    'standardised columns 0.999. “Raw codes” is what the papers say, the same model and the same guarantee.',
  version: 2,
  cells(scale) {
    const kinds = BUDGETS.map(({ key, label, budget, encoding = 'standardised' }) => ({
      key: `linear-${key}`,
      label,
      kind: { model: 'linear' as const, encoding, request: insuranceRequest('linear', budget, DECAY) },
    }));
    const streams = kinds.map(
      ({ key, label, kind }): ExperimentCell<InsuranceSetting> => ({
        key,
        label,
        setting: { ...kind, rows: ROWS, train: TRAIN, checkpoints: CHECKPOINTS, size: 1, limits: [] },
        chunks: scale === 'full' ? 50 : 2,
      }),
    );
    const squares: InsuranceSetting = {
      model: 'least squares',
      encoding: 'standardised',
      request: {},
      rows: ROWS,
      train: TRAIN,
      checkpoints: [TRAIN],
      size: 1,
      limits: kinds.map(({ kind }) => kind),
    };
    return [{ key: 'least-squares', label: 'OLS', setting: squares, chunks: 1 }, ...streams];
  },
  smallRun: insuranceSmallRun,
  chunk: insuranceChunk,
  report: (results: readonly CellResult<InsuranceSetting, InsuranceChunk>[]) => insuranceReport(results),
  ownData: insuranceOwnData,
};
