import { expect, test } from '@jest/globals';
import {
  type CentralRecords,
  descendNoisily,
  gradientPerturbation,
  logisticRegression,
  type Model,
  outputPerturbation,
  perturbOutput,
  printed,
  recalibrated,
  splitBudget,
  train,
} from '../../protocols/influence-sgd/index.ts';
import type { InfluenceRequest } from '../../protocols/influence-sgd/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { perceptron } from '../evidence/influence-sgd/perceptron.ts';
import { recorded } from './frozen.ts';

// That the claim of the protocol does not hold is another matter.

/** Parameters of the model, then steps with and without noise where they are told. */
const runs = Object.fromEntries(
  recorded<{ readonly run: string; readonly numbers: readonly number[] }>('influence-sgd').map(({ run, numbers }) => [
    run,
    numbers,
  ]),
);

const COUNT = 40;
const budget = { epsilon: 2, delta: 1e-3 } as const;
const regression = logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 });
const network = perceptron({ dimension: 3, hidden: 2, ridge: 0.2, radius: 2 });

/** Features on a coarse grid, so that no rounding is in them. */
const records: CentralRecords = {
  records: COUNT,
  dimension: 3,
  features: Float64Array.from({ length: 3 * COUNT }, (_, i) => (((i * 37) % 101) - 50) / 100),
  labels: Int8Array.from({ length: COUNT }, (_, i) => ((i * 53) % 17 > 8 ? 1 : -1)),
};

const requestOf = (model: Model): InfluenceRequest => ({
  ...splitBudget(budget),
  records: COUNT,
  ...model.constants,
  curvature: 0.1,
  radius: 2,
  localRounds: 10,
  globalRounds: 2,
  repair: 'add',
});

const start = Float64Array.from({ length: network.parameters }, (_, i) => (((i * 29) % 11) - 5) / 10);

/** Algorithm 1 in all its variants, and the algorithms that it is compared with: parameters, then counts. */
const RUNS: Readonly<Record<string, () => readonly number[]>> = {
  ...Object.fromEntries(
    (['explicit', 'conjugate-gradient', 'lissa'] as const).map((method) => [
      `printed, ${method}`,
      () => trained(train(printed({ ...requestOf(regression), method }), regression, records, seededRandom('frozen'))),
    ]),
  ),
  // A radius at which about half of the steps have no noise.
  'printed, with skipped steps': () =>
    trained(train(printed({ ...requestOf(regression), radius: 1e4 }), regression, records, seededRandom('frozen'))),
  recalibrated: () => trained(train(recalibrated(requestOf(regression)), regression, records, seededRandom('frozen'))),
  'printed, perceptron': () =>
    trained(train(printed(requestOf(network)), network, records, seededRandom('frozen'), { start })),
  ...Object.fromEntries(
    (['moments', 'gdp', 'printed'] as const).map((accountant) => [
      `DP-SGD, ${accountant}`,
      () => descended({ accountant }),
    ]),
  ),
  'DP-LSSGD': () => descended({ accountant: 'gdp', smoothing: 1 }),
  'output perturbation': () => [
    ...perturbOutput(
      outputPerturbation({ ...budget, model: regression, records: COUNT, passes: 2, radius: 2 }),
      records,
      seededRandom('frozen'),
    ),
  ],
};

function trained({ theta, noised, skipped }: ReturnType<typeof train>): readonly number[] {
  return [...theta, noised, skipped];
}

function descended(asked: { readonly accountant: 'moments' | 'gdp' | 'printed'; readonly smoothing?: number }) {
  const { lipschitz } = regression.constants;
  const parameters = gradientPerturbation({ ...budget, ...asked, records: COUNT, lipschitz, steps: 20, step: 0.3 });
  return [...descendNoisily(parameters, regression, records, seededRandom('frozen'))];
}

test.each(Object.entries(RUNS))('the run of %s', (name, run) => {
  const now = [...run()];
  const stored = runs[name];
  // Only where they are apart: all the numbers, so that they can be recorded again.
  expect(difference(now, stored ?? []) < 1e-9 ? stored : now).toEqual(stored);
});

test('every frozen run is there', () => {
  expect(Object.keys(runs).sort()).toEqual(Object.keys(RUNS).sort());
});
