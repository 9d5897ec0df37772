import { batchMeansCovariance } from '../../../src/inference/batch-means.ts';
import { normalIntervals } from '../../../src/inference/interval.ts';
import { averageIterate } from '../../../src/inference/random-scaling.ts';
import type { PlainRequest } from '../../../src/protocol/contract.ts';
import type { Json } from '../../../src/protocol/digest.ts';
import { estimateStream } from '../../../src/protocol/online/estimate.ts';
import { plusMinus } from '../../../src/simulation/claim/digits.ts';
import { type Measured, measuredMean } from '../../../src/simulation/claim/mean.ts';
import {
  type CellResult,
  type ExperimentClaim,
  type ExperimentReport,
  type PaperExperiment,
  replicationsOf,
} from '../../../src/simulation/paper-experiment.ts';
import { streamReplication } from '../../../src/simulation/stream.ts';
import { type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { onlineSgd } from '../protocol.ts';
import { batchEnds, batchMeansOf } from './known-horizon-batches.ts';
import { correlatedPopulation, expectileOfNormal, type StreamModel } from './population.ts';

/** Printed: c, α, deviation of the noise, M, n, and the correlation of neighbouring features. */
const THRESHOLD = 1.345;
const DECAY = 0.51;
const DEVIATION = 0.5;
const BATCHES = 20;
const PLAYERS = 200_000;
const CORRELATION = 0.5;
/** Chosen: γ as in the coverage table, τ of expectiles, κ₁ of the plug-in. */
const RATE = 0.5;
const TAU = 0.8;
const FLOOR = 0.01;
const LEVEL = 0.95;
const SIZE = 5;

const METHODS = ['random scaling', 'plug-in', 'batch means', 'batch means, online'] as const;

/** Streams of one model, design and budget. */
export type CoverageModelSetting = {
  readonly request: PlainRequest;
  readonly model: StreamModel;
  readonly features: number;
  /** ρ: features j and k have the correlation ρ^|j − k|. */
  readonly correlation: number;
  readonly players: number;
  readonly size: number;
};

/** By replication: the average, and half the length of the interval of every method, by coordinate. */
export type CoverageModelPart = readonly {
  readonly theta: readonly number[];
  readonly halves: readonly (readonly number[])[];
}[];

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
    maker: 'gdp',
    mu,
    model: { ...kinds[model], features },
    rate: RATE,
    decay: DECAY,
    inference: ['batch means', 'plug-in'],
  };
  return { request, model, features, correlation, players: PLAYERS, size: SIZE };
}

/** What the average tends to: ones, and for expectiles the expectile of the noise on top of the intercept. */
export function coverageTruth({ model, features }: CoverageModelSetting): readonly number[] {
  const truth = new Array<number>(features + 1).fill(1);
  if (model === 'expectile') truth[0] += expectileOfNormal(TAU, DEVIATION, THRESHOLD);
  return truth;
}

function part(setting: CoverageModelSetting, index: number, seed: string): CoverageModelPart {
  const { model, features, correlation, players } = setting;
  const plan = onlineSgdPlan(setting.request as unknown as OnlineSgdRequest);
  const { from, to } = replicationsOf(index, setting.size);
  const ends = batchEnds(players, plan.decay, BATCHES);
  return Array.from({ length: to - from }, (_, r) => {
    const sums = new Map<number, Float64Array>();
    const state = streamReplication(onlineSgd, {
      plan,
      population: correlatedPopulation(model, { features, correlation, deviation: DEVIATION }),
      players,
      seed: `${seed}/coverage-models/${model}/${features}/${correlation}/${from + r}`,
      checkpoints: [...new Set([...ends, players])].sort((a, b) => a - b),
      look(n, { scaling }) {
        sums.set(
          n,
          averageIterate(scaling).map((entry) => entry * n),
        );
      },
    });
    const theta = averageIterate(state.scaling);
    const asked = (query: Parameters<typeof estimateStream>[2]): number[] =>
      estimateStream(plan, state, { level: LEVEL, ...query }).intervals.map(([low, high]) => (high - low) / 2);
    const normal = (covariance: Float64Array): number[] =>
      normalIntervals(theta, covariance, players, { level: LEVEL }).map(({ low, high }) => (high - low) / 2);
    const halves = [
      asked({ method: 'random scaling' }),
      asked({ method: 'plug-in', hessian: 'regression', hessianFloor: FLOOR }),
      normal(batchMeansOf(ends, sums)),
      normal(batchMeansCovariance(state.batchMeans!)),
    ];
    return { theta: [...theta], halves };
  });
}

interface Line {
  readonly label: string;
  readonly replications: number;
  /** By method: share of intervals that hold the truth in %, and mean length × 100. */
  readonly coverage: readonly Measured[];
  readonly length: readonly Measured[];
}

function lineOf({ cell, parts }: CellResult<CoverageModelSetting, CoverageModelPart>): Line {
  const truth = coverageTruth(cell.setting);
  const replications = parts.flat();
  const over = (of: (half: number, gap: number) => number): readonly Measured[] =>
    METHODS.map((_, m) =>
      measuredMean(
        replications.map(
          ({ theta, halves }) =>
            measuredMean(theta.map((entry, j) => of(halves[m][j], Math.abs(entry - truth[j])))).mean,
        ),
      ),
    );
  return {
    label: cell.label,
    replications: replications.length,
    coverage: over((half, gap) => (gap <= half ? 100 : 0)),
    length: over((half) => 200 * half),
  };
}

/** The least number of replications that decides; below it only what is far outside does. */
const DECISIVE = 100;

function claimOf({ label, replications, coverage: [{ mean, error }] }: Line): ExperimentClaim {
  const outside = Math.max(92.5 - mean, mean - 97.5);
  // With few replications all may cover, and an error of 0 says nothing: that of a fair 95 % is the least believed.
  const believed = Math.max(error, Math.sqrt((95 * 5) / replications));
  const undecided = replications < DECISIVE ? outside <= 4 * believed : outside > 0 && outside <= 3 * believed;
  return {
    asked: `${label}: random scaling covers 92.5 % to 97.5 % at n = 200,000`,
    measured: `${plusMinus(mean, error, 1)} % over ${replications} replications and all coordinates`,
    met: !undecided && outside <= 0,
    ...(undecided ? { undecided: true } : {}),
  };
}

function report(results: readonly CellResult<CoverageModelSetting, CoverageModelPart>[]): ExperimentReport {
  const lines = results.map(lineOf);
  const rowsOf = (key: 'coverage' | 'length', decimals: number): readonly (readonly string[])[] =>
    lines.map((line) => [line.label, ...line[key].map(({ mean, error }) => plusMinus(mean, error, decimals))]);
  return {
    claims: lines.map(claimOf),
    tables: [
      {
        title: 'Coverage of 95 % intervals in %, at n = 200,000',
        columns: ['', ...METHODS],
        rows: rowsOf('coverage', 1),
        notes: [
          `${lines[0].replications} replications, all coordinates. Numbers to compare with are in a supplement that is not at hand.`,
        ],
      },
      { title: 'Length of the intervals × 100', columns: ['', ...METHODS], rows: rowsOf('length', 2), notes: [] },
    ],
    figures: [],
    data: lines as unknown as Json,
  };
}

/**
 * Rows that table 1 of the inference paper leaves to its supplement: more features, correlated ones, and other models.
 *
 * @theorem online-inference Table 1
 */
export const coverageModels: PaperExperiment<CoverageModelSetting, CoverageModelPart> = {
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
        parts: scale === 'full' ? 40 : 2,
      })),
    ),
  probe: (setting) => ({ ...setting, players: 2000, size: 1 }),
  part,
  report,
};
