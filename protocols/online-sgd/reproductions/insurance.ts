import { averageIterate } from '../../../src/inference/random-scaling.ts';
import type { PlainRequest } from '../../../src/protocol/contract.ts';
import { estimateStream } from '../../../src/protocol/online/estimate.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { fillUniform, permutation } from '../../../src/random/uniform.ts';
import {
  type CellResult,
  type ExperimentCell,
  type PaperExperiment,
  replicationsOf,
} from '../../../src/simulation/paper-experiment.ts';
import { type StreamPopulation, streamReplication } from '../../../src/simulation/stream.ts';
import { type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { onlineSgd } from '../protocol.ts';
import { asymptoticCovariance } from '../theory.ts';
import {
  classScore,
  type InsuranceMoments,
  type InsuranceTask,
  insuranceMoments,
  insuranceTask,
  leastSquares,
  testError,
} from './insurance-fit.ts';
import type { InsurancePart, InsuranceSetting } from './insurance-lines.ts';
import { insuranceReport } from './insurance-report.ts';
import {
  fillInsuranceFeatures,
  INSURANCE_COLUMNS,
  type InsuranceEncoding,
  insuranceTable,
  toPrintedCoefficients,
} from './insurance-table.ts';
import type { StreamRecord } from './population.ts';
import { logarithmicGrid } from './trajectory.ts';

/** Printed: rows, split, c, η. */
const ROWS = 1_000_000;
const TRAIN = 800_000;
const RATE = 0.5;
const FEATURES = INSURANCE_COLUMNS.length;
const CHECKPOINTS = logarithmicGrid(10_000, TRAIN, 8);

interface Budget {
  readonly key: string;
  readonly label: string;
  readonly budget: PlainRequest;
  readonly encoding?: InsuranceEncoding;
}

const BUDGETS: readonly Budget[] = [
  { key: 'mu-1', label: 'μ = 1', budget: { maker: 'gdp', mu: 1 } },
  { key: 'mu-1-centred', label: 'μ = 1, centred', budget: { maker: 'gdp', mu: 1 }, encoding: 'centred' },
  { key: 'mu-2', label: 'μ = 2', budget: { maker: 'gdp', mu: 2 } },
  { key: 'priv-unit-3', label: 'PrivUnit, ε = 3', budget: { maker: 'privUnit', epsilon: 3 } },
  { key: 'non-private', label: 'non-private SGD', budget: { maker: 'nonPrivate' } },
];

function requestOf(model: 'linear' | 'logistic', budget: PlainRequest): PlainRequest {
  const fitted = model === 'linear' ? { kind: 'huber' } : { kind: 'multinomial', classes: 3 };
  return {
    ...budget,
    model: { ...fitted, features: FEATURES },
    rate: RATE,
    decay: model === 'linear' ? 0.501 : 0.5,
    inference: [],
  };
}

// The table that was asked for last: a thread makes it once.
let last: { readonly seed: string; readonly task: InsuranceTask } | undefined;

function taskOf({ rows, train }: InsuranceSetting, seed: string): InsuranceTask {
  if (last === undefined || last.seed !== seed || last.task.table.rows !== rows || last.task.train !== train) {
    last = { seed, task: insuranceTask(insuranceTable(rows, seed), train) };
  }
  return last.task;
}

/** The rows that train, in a random order of the replication. */
function populationOf(
  { table, responses, classes }: InsuranceTask,
  { model, encoding }: InsuranceSetting,
  order: Uint32Array,
): StreamPopulation<StreamRecord> {
  let next = 0;
  return {
    create: () => ({ features: new Float64Array(FEATURES), response: 0 }),
    draw(record) {
      const row = order[next++];
      fillInsuranceFeatures(table, row, encoding, record.features);
      record.response = model === 'linear' ? responses[row] : classes[row];
    },
  };
}

/** Rows R with Rθ the coefficients of the printed features, for θ of an encoding. */
function printedRows(encoding: InsuranceEncoding): readonly Float64Array[] {
  const width = FEATURES + 1;
  const rows = Array.from({ length: width }, () => new Float64Array(width));
  for (let k = 0; k < width; k++) {
    const unit = new Float64Array(width);
    unit[k] = 1;
    toPrintedCoefficients(unit, encoding).forEach((entry, i) => {
      rows[i][k] = entry;
    });
  }
  return rows;
}

/** The excess test MSE of the average in the limit: tr(E[xxᵀ]·A⁻¹(S + noise)A⁻¹)/n. */
function limitExcess({ features, hessian, gradient }: InsuranceMoments, request: PlainRequest, train: number): number {
  const plan = onlineSgdPlan(request as unknown as OnlineSgdRequest);
  const covariance = asymptoticCovariance(plan, { hessian, gradient });
  return features.reduce((sum, entry, k) => sum + entry * covariance[k], 0) / train;
}

function part(setting: InsuranceSetting, index: number, seed: string): InsurancePart {
  const task = taskOf(setting, seed);
  const { model, request, encoding, train, checkpoints, limits } = setting;
  if (model === 'least squares') {
    const theta = leastSquares(task);
    const moments = { printed: insuranceMoments(task, 'printed'), centred: insuranceMoments(task, 'centred') };
    return [
      {
        theta: [...theta],
        halves: [],
        last: [[testError(task, theta, encoding)]],
        average: [],
        limits: limits.map((kind) => limitExcess(moments[kind.encoding], kind.request, train)),
      },
    ];
  }
  const { from, to } = replicationsOf(index, setting.size);
  const rows = printedRows(encoding);
  return Array.from({ length: to - from }, (_, r) => {
    const random = seededRandom(`${seed}/insurance/${model}/${from + r}`);
    const start = new Float64Array(model === 'linear' ? FEATURES + 1 : 2 * (FEATURES + 1));
    // Public: a start from Unif(0, 1), as printed.
    fillUniform(start, random);
    const order = permutation(train, random);
    const plan = onlineSgdPlan({ ...request, start: [...start] } as unknown as OnlineSgdRequest);
    const scores = { last: [] as number[][], average: [] as number[][] };
    const score = (theta: Float64Array): number[] => {
      if (model === 'linear') return [testError(task, theta, encoding)];
      const { crossEntropy, accuracy } = classScore(task, theta, encoding);
      return [crossEntropy, accuracy];
    };
    const state = streamReplication(onlineSgd, {
      plan,
      population: populationOf(task, setting, order),
      players: train,
      seed: `${seed}/insurance/${model}/coins/${from + r}`,
      checkpoints,
      look(_, { iterate, scaling }) {
        scores.last.push(score(iterate));
        scores.average.push(score(averageIterate(scaling)));
      },
    });
    if (model === 'logistic') return { theta: [], halves: [], ...scores, limits: [] };
    const { theta, intervals } = estimateStream(plan, state, { contrasts: rows });
    const halves = intervals.map(([low, high]) => (high - low) / 2);
    return { theta: [...toPrintedCoefficients(theta, encoding)], halves, ...scores, limits: [] };
  });
}

/** The insurance example of both papers, on a synthetic table. */
export const insurance: PaperExperiment<InsuranceSetting, InsurancePart> = {
  name: 'insurance',
  title: 'Insurance charges, from a synthetic table',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Section 6.2, Tables 2 and 3; Shi et al., ' +
    'Non-asymptotic analysis of online local private learning with SGD, Section 6',
  summary:
    'The table is synthetic and nobody’s data: 1,000,000 rows with the published ranges and categories, columns independent and ' +
    'uniform, charges made from the OLS coefficients of Table 3 with normal noise of the printed OLS test error, 0.0607. The published ' +
    'table was generated as well, by a rule that the papers do not print, so that errors compare in their order only.\n' +
    '800,000 rows play once each, in a random order; 200,000 test. Linear regression: Huber loss with c = 1.345, α = 0.501. Three ' +
    'classes, charges cut at their 33 % and 66 % points: multinomial logistic regression, α = 1/2. Both: Mallows weights, η = 0.5, ' +
    'a start from Unif(0, 1), as printed. The charge is standardised by public constants. “Centred”, which is not in the paper, ' +
    'standardises all columns that way, categories too: the same model, and the same guarantee.',
  version: 1,
  cells(scale) {
    const kinds = (['linear', 'logistic'] as const).flatMap((model) =>
      BUDGETS.map(({ key, label, budget, encoding = 'printed' }) => ({
        key: `${model}-${key}`,
        label,
        kind: { model, encoding, request: requestOf(model, budget) },
      })),
    );
    const streams = kinds.map(
      ({ key, label, kind }): ExperimentCell<InsuranceSetting> => ({
        key,
        label,
        setting: { ...kind, rows: ROWS, train: TRAIN, checkpoints: CHECKPOINTS, size: 1, limits: [] },
        parts: scale === 'full' ? 50 : 2,
      }),
    );
    const limits = kinds.filter(({ kind }) => kind.model === 'linear').map(({ kind }) => kind);
    const squares: InsuranceSetting = {
      model: 'least squares',
      encoding: 'printed',
      request: {},
      rows: ROWS,
      train: TRAIN,
      checkpoints: [TRAIN],
      size: 1,
      limits,
    };
    return [{ key: 'least-squares', label: 'OLS', setting: squares, parts: 1 }, ...streams];
  },
  probe: (setting) => ({ ...setting, rows: 3000, train: 2000, checkpoints: [2000] }),
  part,
  report: (results: readonly CellResult<InsuranceSetting, InsurancePart>[]) => insuranceReport(results),
};
