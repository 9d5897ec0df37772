import { type PlainRequest, seededRandom } from 'ldpkit';
import { normal } from 'ldpkit/mechanism';
import { binaryLogisticLoss, fillGradient, mallowsWeight } from 'ldpkit/optimize';
import { onlineSgd } from 'ldpkit/protocols/online-sgd';
import { DEVIATIONS, digits, type ExperimentClaim, type Measured, plusMinus } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  rowCells,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { linearFigure } from '../../experiment/figure.ts';
import { logisticPopulation } from '../reproductions/population.ts';
import { planOf } from '../reproductions/trajectory.ts';
import { streamCurve, streamLaw } from './curves.ts';

const { hypot, max, sqrt } = Math;

/** Gradients of one example: of records, at multiples of the truth, or of pairs of records that are as far apart as any. */
type ExampleSetting = { readonly model: PlainRequest; readonly count: number };

/** Sums over records of the gradient along the truth, by multiple and labels; and the largest distance of a pair. */
type ExampleChunk = {
  readonly records: number;
  readonly sums: { readonly [name in Labels]: readonly number[] };
  readonly squares: { readonly [name in Labels]: readonly number[] };
  readonly distance: number;
};

/** Labels 0 and 1 in the update; −1 and 1 in the same update, as printed; −1 and 1 in the loss of a margin. */
type Labels = 'binary' | 'printed' | 'margin';

/** Names of the three. */
const LABELS: readonly { readonly name: Labels; readonly label: string }[] = [
  { name: 'binary', label: 'y ∈ {0, 1}' },
  { name: 'printed', label: 'as printed, Y ∈ {−1, 1} in the same update' },
  { name: 'margin', label: 'Y ∈ {−1, 1} in the loss of a margin' },
];

/** Features of all examples. */
const FEATURES = 3;

/** Multiples of the true parameter. */
const MULTIPLES: readonly number[] = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75];

/** One chunk of the records and pairs. */
function exampleChunk({ model, count }: ExampleSetting, index: number, seed: string): ExampleChunk {
  const random = seededRandom(`${seed}/examples/${index}`);
  const asked = { variant: 'gdp', mu: 1, model: { ...model, features: FEATURES }, inference: [] };
  const plan = planOf(asked);
  const { dimension } = plan.model;
  const [first, second] = [new Float64Array(dimension), new Float64Array(dimension)];
  const theta = new Float64Array(dimension);
  let distance = 0;
  for (let round = 0; round < 60; round++) {
    // Close to 0, where the worst pairs have their scores at both ends, and far away.
    const spread = [1e-9, 1, 30][round % 3];
    for (let i = 0; i < dimension; i++) theta[i] = spread * normal(random);
    for (const pair of onlineSgd.auditing?.pairs({ plan, index: 1, place: 1, iterate: theta }, random) ?? []) {
      fillGradient(plan.model, theta, pair.first, first);
      fillGradient(plan.model, theta, pair.second, second);
      distance = max(distance, hypot(...first.map((entry, i) => entry - second[i])));
    }
  }
  const empty = (): { readonly [name in Labels]: number[] } => ({ binary: [], printed: [], margin: [] });
  const [sums, squares] = [empty(), empty()];
  if (model.kind !== 'logistic') return { records: 0, sums, squares, distance };
  for (const { name } of LABELS) {
    sums[name].push(...MULTIPLES.map(() => 0));
    squares[name].push(...MULTIPLES.map(() => 0));
  }
  const margin = planOf({
    ...asked,
    model: { kind: 'margin', loss: 'logistic', features: FEATURES },
  }).model;
  const { derivative } = binaryLogisticLoss();
  const population = logisticPopulation(FEATURES);
  const record = population.create();
  const add = (name: Labels, k: number, value: number): void => {
    sums[name][k] += value;
    squares[name][k] += value * value;
  };
  for (let n = 0; n < count; n++) {
    population.draw(record, random);
    const { features, response } = record;
    const sign = 2 * response - 1;
    let inner = 1;
    let squared = 1;
    for (const z of features) {
      inner += z;
      squared += z * z;
    }
    const weight = mallowsWeight(squared);
    for (const [k, multiple] of MULTIPLES.entries()) {
      theta.fill(multiple);
      fillGradient(plan.model, theta, record, first);
      add('binary', k, first[0]);
      fillGradient(margin, theta, { features, response: sign }, first);
      add('margin', k, first[0]);
      // The first coordinate is the intercept's.
      add('printed', k, derivative(multiple * inner, sign) * weight);
    }
  }
  return { records: count, sums, squares, distance };
}

const THRESHOLD = 1.345;

const TAU = 0.8;

const TRUTH = MULTIPLES.indexOf(1);

/** Printed sensitivities. A pair at a finite parameter does not reach that of logistic scores, or of both ends of an expectile. */
const EXAMPLES: readonly {
  readonly key: string;
  readonly label: string;
  readonly model: PlainRequest;
  readonly printed: number;
  readonly reached: number;
}[] = [
  {
    key: 'huber',
    label: 'Example 1, Huber',
    model: { kind: 'huber' },
    printed: 2 * sqrt(2) * THRESHOLD,
    reached: 0.99,
  },
  { key: 'logistic', label: 'Example 2, logistic', model: { kind: 'logistic' }, printed: 2 * sqrt(2), reached: 0.6 },
  {
    key: 'expectile',
    label: `Example 3, expectile, τ = ${TAU}`,
    model: { kind: 'expectile', tau: TAU },
    printed: 2 * sqrt(2) * THRESHOLD * max(TAU, 1 - TAU),
    reached: 0.6,
  },
];

/** Means by multiple of the truth. */
function meansOf(chunks: readonly ExampleChunk[], name: Labels): readonly Measured[] {
  const count = chunks.reduce((sum, one) => sum + one.records, 0);
  return MULTIPLES.map((_, k) => {
    const mean = chunks.reduce((sum, one) => sum + one.sums[name][k], 0) / count;
    const square = chunks.reduce((sum, one) => sum + one.squares[name][k], 0) / count;
    return { mean, error: sqrt(max(0, square - mean * mean) / count) };
  });
}

function report(results: readonly CellResult<ExampleSetting, ExampleChunk>[]): ExperimentReport {
  const distances = results.map(({ chunks }) => max(...chunks.map((one) => one.distance)));
  const logistic = results[EXAMPLES.findIndex(({ key }) => key === 'logistic')].chunks;
  const lines = LABELS.map(({ name, label }) => ({ name, label, means: meansOf(logistic, name) }));
  return {
    claims: [
      ...EXAMPLES.map(({ label, model, printed, reached }, index): ExperimentClaim => {
        const plan = planOf({
          variant: 'gdp',
          mu: 1,
          model: { ...model, features: FEATURES },
        });
        return {
          asked: `${label}: sensitivity ${digits(printed, 4)}, as printed; no pair exceeds it, and some reach ${reached} of it`,
          measured: `${digits(distances[index], 4)} over ${digits(onlineSgd.theory.neighbourDistance(plan), 4)}`,
          met:
            Math.abs(onlineSgd.theory.neighbourDistance(plan) - printed) < 1e-9 &&
            distances[index] <= printed * (1 + 1e-12) &&
            distances[index] >= reached * printed,
        };
      }),
      ...lines.map(({ name, label, means }): ExperimentClaim => {
        const { mean, error } = means[TRUTH];
        const z = mean / error;
        const holds = name !== 'printed';
        return {
          asked: holds
            ? `${label}: the mean gradient at the truth is 0 within ${DEVIATIONS} standard errors`
            : `${label}: the mean gradient at the truth is not 0, by 10 standard errors`,
          measured: `${plusMinus(mean, error, 5)}`,
          met: holds ? Math.abs(z) <= DEVIATIONS : z > 10,
        };
      }),
    ],
    tables: [
      {
        title: 'Mean gradient of the intercept at multiples of the true parameter',
        columns: ['labels', ...MULTIPLES.map((multiple) => `${multiple}·θ₀`)],
        rows: lines.map(({ label, means }) => [label, ...means.map(({ mean, error }) => plusMinus(mean, error))]),
        notes: [
          'Weighted logistic regression on three standard normal features; where it is 0 is where descent settles.',
        ],
      },
    ],
    figures: [
      linearFigure({
        name: 'labels',
        title: 'Mean gradient by labels',
        x: 'multiple of the true parameter',
        y: 'mean gradient of the intercept',
        curves: [
          // Not `measuredPoints`: gradients may be negative, bars too.
          ...lines.map(({ label, means }, style) => ({
            ...streamCurve(label, style, MULTIPLES, means),
            points: means.map(({ mean, error }, k) => ({
              x: MULTIPLES[k],
              y: mean,
              low: mean - 2 * error,
              high: mean + 2 * error,
            })),
          })),
          streamLaw('claimed at the truth: 0', lines.length, MULTIPLES, () => 0),
        ],
      }),
    ],
    data: lines.map(({ name, means }) => ({ name, means })),
  };
}

/** Examples 1 to 3 of the inference paper. */
export const examples: TheoremValidation<ExampleSetting, ExampleChunk> = {
  name: 'online-examples',
  paper: 'online-inference',
  theorems: ['Example 1', 'Example 2', 'Example 3'],
  title: 'Sensitivities of the three examples, and the labels of the second',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent, Section 3',
  summary:
    'Gradients of pairs of records, at parameters near 0 and far away, against the printed sensitivities. The printed logistic update ' +
    'has Y ∈ {−1, 1}, for which its mean at the truth is not 0; it is for y ∈ {0, 1}, or with signs in the loss of the margin.',
  version: 1,
  cells: rowCells(EXAMPLES, ({ model }) => ({ model, count: 20_000 }), { quick: 2, full: 40 }),
  smallRun: (setting) => ({ ...setting, count: 50 }),
  chunk: exampleChunk,
  report,
};
