import { averageIterate } from '../../../src/inference/random-scaling.ts';
import type { PlainRequest } from '../../../src/protocol/contract.ts';
import type { Json } from '../../../src/protocol/digest.ts';
import { type CellResult, type ExperimentReport, replicationsOf } from '../../../src/simulation/paper-experiment.ts';
import { streamReplication } from '../../../src/simulation/stream.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { type OnlinePlan, type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { onlineSgd } from '../protocol.ts';
import { linearPopulation } from '../reproductions/population.ts';
import { columnMeans, digits, type MeanError, meanError, plusMinus } from '../reproductions/statistics.ts';
import { claimedCurve, DEVIATIONS, measuredCurve, ratioClaim } from './claims.ts';
import { huberLimit } from './huber-limit.ts';

/** Streams of one mechanism. */
export type CovarianceSetting = {
  readonly request: PlainRequest;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** θ̄_n − θ*, by replication, checkpoint and coordinate. */
export type CovariancePart = readonly (readonly (readonly number[])[])[];

const FEATURES = 1;
const DEVIATION = 0.5;
const CHECKPOINTS: readonly number[] = [500, 1000, 2000, 4000, 8000];

/** What the n of the last checkpoint leaves: without noise of the order n^(α − 1)/(ηm), and the curvature of the score. */
const FINITE = 0.15;

const MECHANISMS: readonly { readonly key: string; readonly label: string; readonly budget: PlainRequest }[] = [
  { key: 'gdp', label: 'Gaussian, μ = 3', budget: { maker: 'gdp', mu: 3 } },
  {
    key: 'budgets',
    label: 'Gaussian, μ = 2.5 and 5 in turn',
    budget: { maker: 'gdp', budgets: { rule: 'list', mus: [2.5, 5] } },
  },
  { key: 'gaussian', label: 'Gaussian, ε = 8, δ = 0.01', budget: { maker: 'gaussian', epsilon: 8, delta: 0.01 } },
  { key: 'laplace', label: 'Laplace, ε = 10', budget: { maker: 'laplace', epsilon: 10 } },
  { key: 'priv-unit', label: 'PrivUnitG, ε = 6', budget: { maker: 'privUnit', epsilon: 6 } },
];

function settingOf(budget: PlainRequest): CovarianceSetting {
  const model = { kind: 'huber', features: FEATURES };
  const request = { ...budget, model, rate: 1, decay: 0.6, start: [1, 1], inference: [] };
  return { request, checkpoints: CHECKPOINTS, size: 60 };
}

function planOf({ request }: CovarianceSetting): OnlinePlan {
  return onlineSgdPlan(request as unknown as OnlineSgdRequest);
}

function part(setting: CovarianceSetting, index: number, seed: string): CovariancePart {
  const plan = planOf(setting);
  const population = linearPopulation(FEATURES, DEVIATION);
  const { checkpoints, size } = setting;
  const { from, to } = replicationsOf(index, size);
  return Array.from({ length: to - from }, (_, r) => {
    const looks: number[][] = [];
    streamReplication(onlineSgd, {
      plan,
      population,
      players: checkpoints[checkpoints.length - 1],
      seed: `${seed}/covariance/${from + r}`,
      checkpoints,
      look: (__, state) => void looks.push(Array.from(averageIterate(state.scaling), (entry) => entry - 1)),
    });
    return looks;
  });
}

interface Line {
  readonly label: string;
  /** Mean over coordinates of n·(θ̄_n − θ*)_i² over what is claimed, at every checkpoint. */
  readonly ratios: readonly MeanError[];
  /** n times the product of two coordinates over the root of the product of their variances, at the end. */
  readonly correlation: MeanError;
  /** The trace at the checkpoints, times n. */
  readonly traces: readonly MeanError[];
  readonly trace: number;
  readonly clear: number;
}

function lineOf({ cell, parts }: CellResult<CovarianceSetting, CovariancePart>): Line {
  const { setting, label } = cell;
  const { checkpoints } = setting;
  const plan = planOf(setting);
  const limit = huberLimit(plan, DEVIATION);
  const clear = huberLimit({ ...plan, noise: { law: 'none' } }, DEVIATION);
  const rows = parts.flat();
  const end = checkpoints.length - 1;
  return {
    label,
    ratios: columnMeans(
      rows.map((looks) => looks.map(([a, b], k) => (checkpoints[k] * (a ** 2 / limit[0] + b ** 2 / limit[1])) / 2)),
    ),
    correlation: meanError(
      rows.map((looks) => (checkpoints[end] * looks[end][0] * looks[end][1]) / Math.sqrt(limit[0] * limit[1])),
    ),
    traces: columnMeans(rows.map((looks) => looks.map(([a, b], k) => checkpoints[k] * (a ** 2 + b ** 2)))),
    trace: limit[0] + limit[1],
    clear: clear[0] + clear[1],
  };
}

function report(results: readonly CellResult<CovarianceSetting, CovariancePart>[]): ExperimentReport {
  const lines = results.map(lineOf);
  const end = CHECKPOINTS.length - 1;
  return {
    claims: lines.flatMap(({ label, ratios, correlation, traces, clear }) => {
      const last = traces[end];
      return [
        ratioClaim(
          `variance of √n(θ̄ − θ*) over that of A⁻¹SA⁻¹, in the mean over coordinates, ${label}`,
          ratios[end],
          FINITE,
        ),
        {
          asked: `correlation of the two coordinates, ${label}: 0, by symmetry, within ${DEVIATIONS} standard errors and ${FINITE}`,
          measured: plusMinus(correlation.mean, correlation.error),
          met: Math.abs(correlation.mean) <= DEVIATIONS * correlation.error + FINITE,
        },
        {
          asked: `S needs the noise of privacy, ${label}: the trace is above that without it by ${DEVIATIONS} standard errors`,
          measured: `${plusMinus(last.mean, last.error, 2)}, ${digits(clear)} without`,
          met: last.mean - DEVIATIONS * last.error > clear,
        },
      ];
    }),
    tables: [
      {
        title: `n·E‖θ̄_n − θ*‖² at n = ${CHECKPOINTS[end].toLocaleString('en-US')}`,
        columns: ['mechanism', 'measured', 'tr A⁻¹SA⁻¹', 'without privacy', 'ratio of variances'],
        rows: lines.map(({ label, traces, trace, clear, ratios }) => [
          label,
          plusMinus(traces[end].mean, traces[end].error, 2),
          digits(trace, 4),
          digits(clear, 4),
          plusMinus(ratios[end].mean, ratios[end].error),
        ]),
        notes: [
          'A and S of the weighted Huber score by quadrature; the variance of the noise is that of each mechanism.',
        ],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'covariance',
        title: 'Total variance of √n(θ̄_n − θ*)',
        x: { label: 'players n', logarithmic: true },
        y: { label: 'n·E‖θ̄_n − θ*‖²', logarithmic: true },
        curves: lines.flatMap(({ label, traces, trace }, style) => [
          measuredCurve(`measured, ${label}`, style, CHECKPOINTS, traces),
          claimedCurve(`limit, ${label}`, style, CHECKPOINTS, () => trace),
        ]),
        levels: [{ name: 'limit without privacy', value: lines[0].clear }],
      },
    ],
    data: lines.map(
      ({ label, ratios, traces, trace }): Json => ({
        label,
        ratios: ratios.map((ratio) => ({ ...ratio })),
        traces: traces.map((mean) => ({ ...mean })),
        trace,
      }),
    ),
  };
}

/** Corollary 1 of the non-asymptotic paper. */
export const covariance: TheoremValidation<CovarianceSetting, CovariancePart> = {
  name: 'online-covariance',
  paper: 'online-rates',
  theorems: ['Corollary 1', '(4.1)'],
  title: 'The covariance of the average is the sandwich with the noise of privacy in it',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Corollary 1, (4.1)',
  summary:
    'Weighted Huber regression of y = 1 + z + 0.5·e on a standard normal z, from the truth, η = 1, α = 0.6, under the three mechanisms ' +
    'of the paper and PrivUnitG, and under budgets that differ from player to player, whose 1/μ² enters by its mean.',
  version: 1,
  cells: (scale) =>
    MECHANISMS.map(({ key, label, budget }) => ({
      key,
      label,
      setting: settingOf(budget),
      parts: scale === 'full' ? 40 : 3,
    })),
  probe: (setting) => ({ ...setting, checkpoints: [500], size: 1 }),
  part,
  report,
};
