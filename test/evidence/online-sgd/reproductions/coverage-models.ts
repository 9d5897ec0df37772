import type { PlainRequest } from 'ldpkit';
import { averageIterate, batchMeansCovariance } from 'ldpkit/inference';
import { onlineSgd, streamReplication } from 'ldpkit/protocols/online-sgd';
import { type CellResult, type PaperExperiment, replicationsOf } from '../../experiment/experiment.ts';
import {
  type CoverageModelChunk,
  type CoverageModelSetting,
  coverageModelsReport,
  DEVIATION,
  TAU,
  THRESHOLD,
} from './coverage-models-report.ts';
import { halfLengths } from './coverage-stream.ts';
import { batchEnds, batchMeansOf } from './known-horizon-batches.ts';
import { correlatedPopulation, type StreamModel } from './population.ts';
import { planOf } from './trajectory.ts';

/** Printed: α, M, n, and the correlation of neighbouring features. */
const DECAY = 0.51;
const BATCHES = 20;
const PLAYERS = 200_000;
const CORRELATION = 0.5;
/** Chosen: γ as in the coverage table, κ₁ of the plug-in. */
const RATE = 0.5;
const FLOOR = 0.01;
const SIZE = 5;

interface Row {
  readonly key: string;
  readonly label: string;
  readonly model: StreamModel;
  readonly features: number;
  readonly correlation: number;
}

const row = (model: StreamModel, features: number, correlation: number): Row => ({
  key: `${model}-p${features}-${correlation > 0 ? 'correlated' : 'identity'}`,
  label: `${model}, p = ${features}, ${correlation > 0 ? 'Σ = 0.5^|j − k|' : 'Σ = I'}`,
  model,
  features,
  correlation,
});

const ROWS: readonly Row[] = [
  row('linear', 5, 0),
  row('linear', 10, 0),
  row('linear', 3, CORRELATION),
  row('linear', 5, CORRELATION),
  row('linear', 10, CORRELATION),
  row('logistic', 3, 0),
  row('expectile', 3, 0),
];

const MUS = [1, 2] as const;

function settingOf({ model, features, correlation }: Row, mu: number): CoverageModelSetting {
  const kinds = {
    linear: { kind: 'huber', threshold: THRESHOLD },
    logistic: { kind: 'logistic' },
    expectile: { kind: 'expectile', threshold: THRESHOLD, tau: TAU },
  };
  const request: PlainRequest = {
    variant: 'gdp',
    mu,
    model: { ...kinds[model], features },
    rate: RATE,
    decay: DECAY,
    inference: ['batch means', 'plug-in'],
  };
  return { request, model, features, correlation, players: PLAYERS, size: SIZE };
}

function chunk(setting: CoverageModelSetting, index: number, seed: string): CoverageModelChunk {
  const { model, features, correlation, players } = setting;
  const plan = planOf(setting.request);
  const ends = batchEnds(players, plan.decay, BATCHES);
  return replicationsOf(index, setting.size).map((replication) => {
    const sums = new Map<number, Float64Array>();
    const state = streamReplication(onlineSgd, {
      plan,
      population: correlatedPopulation(model, { features, correlation, deviation: DEVIATION }),
      players,
      seed: `${seed}/coverage-models/${model}/${features}/${correlation}/${replication}`,
      checkpoints: [...new Set([...ends, players])].sort((a, b) => a - b),
      look(n, { scaling }) {
        sums.set(
          n,
          averageIterate(scaling).map((entry) => entry * n),
        );
      },
    });
    const theta = averageIterate(state.scaling);
    const { asked, normal } = halfLengths(plan, state);
    const halves = [
      asked({ method: 'random scaling' }),
      asked({ method: 'plug-in', hessian: 'regression', hessianFloor: FLOOR }),
      normal(batchMeansOf(ends, sums)),
      normal(batchMeansCovariance(state.batchMeans!)),
    ];
    return { theta: [...theta], halves };
  });
}

/**
 * Rows that table 1 of the inference paper leaves to its supplement: more features, correlated ones, and other models.
 *
 * @theorem online-inference Table 1
 */
export const coverageModels: PaperExperiment<CoverageModelSetting, CoverageModelChunk> = {
  name: 'coverage-models',
  title: 'Coverage with more features, correlated ones, and logistic and expectile regression',
  source: 'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Section 5, supplement of Table 1',
  summary:
    'As in the coverage table, but for the population: p = 5 and 10 features, features with the correlation 0.5^|j − k|, logistic ' +
    `regression with all coefficients 1, and robust expectiles with τ = ${TAU}, where the intercept is 1 and the expectile of the noise. ` +
    'μ = 1 and 2, n = 200,000, γ = 0.5, α = 0.51, θ₀ = 0; the plug-in is local and free of charge. Fewer than 100 replications decide ' +
    'nothing but what is far outside: a claim is undecided then.',
  version: 1,
  cells: (scale) =>
    ROWS.flatMap((one) =>
      MUS.map((mu) => ({
        key: `${one.key}-mu-${mu}`,
        label: `${one.label}, μ = ${mu}`,
        setting: settingOf(one, mu),
        chunks: scale === 'full' ? 40 : 2,
      })),
    ),
  smallRun: (setting) => ({ ...setting, players: 2000, size: 1 }),
  chunk,
  report: (results: readonly CellResult<CoverageModelSetting, CoverageModelChunk>[]) => coverageModelsReport(results),
};
