import { digits, type ExperimentClaim, plusMinus } from 'ldpkit/testing';
import type {
  CellResult,
  ExperimentCell,
  ExperimentReport,
  PaperExperiment,
  Scale,
} from '../../experiment/experiment.ts';
import { type Figure, type FigureCurve, linearFigure, logFigure, meanCurve } from '../../experiment/figure.ts';
import {
  type MeasuredRate,
  measure,
  printed,
  type RateCell,
  SYMBOLS,
  WHICH,
  type Which,
} from './convergence-measures.ts';
import {
  logarithmicGrid,
  type TrajectoryChunk,
  type TrajectorySetting,
  trajectoryChunk,
  trajectorySmallRun,
} from './trajectory.ts';

/** As printed: d, σ, n. */
const FEATURES = 5;

const DEVIATION = 2;

const PLAYERS = 300_000;

/** Chosen: see the summary. */
const RATE = 1;

const MU = 3;

const FIRST = 1000;

const FITTED = 30_000;

const POINTS = 21;

const LOSS_RECORDS = 2000;

const SIZE = 5;

/** α: those of the table, points between them for Figure 3, and 1. */
const DECAYS: readonly { readonly decay: number; readonly text: string }[] = [
  { decay: 1 / 3, text: '1/3' },
  { decay: 0.4, text: '0.4' },
  { decay: 1 / 2, text: '1/2' },
  { decay: 0.6, text: '0.6' },
  { decay: 2 / 3, text: '2/3' },
  { decay: 0.8, text: '0.8' },
  { decay: 1, text: '1' },
];

const MODELS = ['linear', 'logistic'] as const;

const GRID: readonly RateCell[] = MODELS.flatMap((model) => DECAYS.map(({ decay, text }) => ({ model, decay, text })));

function settingOf({ model, decay }: RateCell): TrajectorySetting {
  const kind = model === 'linear' ? { kind: 'huber', scale: DEVIATION } : { kind: 'logistic' };
  return {
    request: { variant: 'gdp', mu: MU, model: { ...kind, features: FEATURES }, rate: RATE, decay, inference: [] },
    model,
    features: FEATURES,
    deviation: model === 'linear' ? DEVIATION : 0,
    players: PLAYERS,
    checkpoints: logarithmicGrid(FIRST, PLAYERS, POINTS),
    lossRecords: model === 'logistic' ? LOSS_RECORDS : 0,
    size: SIZE,
  };
}

function cells(scale: Scale): readonly ExperimentCell<TrajectorySetting>[] {
  return GRID.map((cell) => ({
    key: `${cell.model}-${cell.text.replace(/[/.]/, '-')}`,
    label: `${cell.model}, α = ${cell.text}`,
    setting: settingOf(cell),
    chunks: scale === 'full' ? 40 : 4,
  }));
}

/**
 * Table 1 and Figure 3 of the non-asymptotic paper.
 *
 * @theorem online-rates Table 1
 * @theorem online-rates Figure 3
 */
export const convergenceRates: PaperExperiment<TrajectorySetting, TrajectoryChunk> = {
  name: 'convergence-rates',
  title: 'How fast LDP-SGD and LDP-ASGD converge, by the decay α of the steps',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Table 1, Figure 3',
  summary:
    'Parameter errors δ_n and δ̄_n for linear Huber regression with known scale, loss errors Δ_n and Δ̄_n for logistic regression; d = 5, ' +
    'n = 300,000, Mallows weights, Gaussian gradients, from 0, as in Sections 5.2 and 5.3. Exponents are slopes of log error against ' +
    'log n over the last decade, from n = 30,000.\n' +
    'Chosen here: η = 1 and μ = 3. With the printed η = 0.2 streams with α = 2/3 are still on their way from the start at n = 300,000 and ' +
    'have no exponent yet. What Table 1 prints are exponents of upper bounds: an error may fall faster, and where F is curved at its ' +
    'minimum, as it is here, losses do, since they are of the order of the squared parameter error.',
  version: 1,
  cells,
  smallRun: trajectorySmallRun,
  chunk: trajectoryChunk,
  report: (results: readonly CellResult<TrajectorySetting, TrajectoryChunk>[]) => ratesReport(results, GRID, FITTED),
};

/** Claims, tables and figures of the convergence rates. */
function ratesReport(
  results: readonly CellResult<TrajectorySetting, TrajectoryChunk>[],
  grid: readonly RateCell[],
  from: number,
): ExperimentReport {
  const measured = results.map((result, index) => measure(result, grid[index], from));
  const { checkpoints } = results[0].cell.setting;
  const shown = (exponent: number | undefined): string => (exponent === undefined ? 'none' : exponent.toFixed(3));
  const rows = measured.map((one, index) => {
    const expected = printed(one);
    const end = checkpoints.length - 1;
    return [
      index === 0 || measured[index - 1].model !== one.model ? one.model : '',
      one.text,
      ...WHICH.flatMap((which) => [
        plusMinus(-one.slope[which].slope, one.slope[which].error, 3),
        shown(expected[which]),
        digits(one.means[which][end].mean),
      ]),
    ];
  });
  const heads = (symbol: string): string[] => [`${symbol}: exponent`, 'printed', 'error at the end'];
  return {
    claims: measured.flatMap((one) => claimsOf(one, measured)),
    tables: [
      {
        title: 'Exponents e of errors that fall like n^(−e)',
        columns: ['', 'α', ...heads('last'), ...heads('average')],
        rows,
        notes: [
          `Slopes from n = 30,000 to 300,000 with jackknife standard errors over ${measured[0].replications} replications. Linear: δ_n and δ̄_n, ` +
            'squared parameter errors. Logistic: Δ_n and Δ̄_n, expected excess losses. Printed exponents are those of upper bounds.',
          'The average of a linear model falls like 1/n for α < 1/2 too: the bound n^(−2α) comes from the curvature of the score, whose mean ' +
            'effect is 0 for an odd score under symmetric noise. Above 1 an exponent still contains the start.',
        ],
      },
    ],
    figures: [
      ...(['linear', 'logistic'] as const).flatMap((model) =>
        WHICH.map((which) => errorFigure(measured, model, which, checkpoints)),
      ),
      orderFigure(measured),
    ],
    data: measured.map(({ model, text, slope, order }) => ({ model, decay: text, slope, order })),
  };
}

/** At the three α of the table: the exponent of the last iterate where it is exact, and bounds where they are bounds. */
function claimsOf(one: MeasuredRate, all: readonly MeasuredRate[]): readonly ExperimentClaim[] {
  const { model, text, slope, means } = one;
  if (text === '1') return [failureClaim(one, all)];
  if (!['1/3', '1/2', '2/3'].includes(text)) return [];
  const expected = printed(one);
  return WHICH.map((which) => {
    const exponent = -slope[which].slope;
    const { error } = slope[which];
    const asked = expected[which] ?? 0;
    const exact = model === 'linear' && which === 'last';
    return {
      asked: `${model}, α = ${text}: ${SYMBOLS[model][which]} ${claimedFall(asked, exact)}`,
      measured: `${plusMinus(exponent, error, 3)}; ${digits(means[which][means[which].length - 1].mean)} at n = 300,000`,
      met: exact ? Math.abs(exponent - asked) < 0.1 + 3 * error : exponent > asked - 3 * error,
    };
  });
}

/** What is asked of an exponent, in words; 0 is no rate. */
function claimedFall(exponent: number, exact: boolean): string {
  if (exponent === 0) return 'falls (printed exponent 0; to 3 standard errors)';
  const power = `falls like n^(−${digits(exponent)})`;
  return exact ? `${power} (here: within 0.1 and 3 standard errors)` : `${power} or faster (to 3 standard errors)`;
}

/** α = 1: hardly any progress in a decade, and far from where α = 2/3 is. */
function failureClaim(one: MeasuredRate, all: readonly MeasuredRate[]): ExperimentClaim {
  const { model, slope, means } = one;
  const end = means.last.length - 1;
  const other = all.find((cell) => cell.model === model && cell.text === '2/3') ?? one;
  const ratio = means.last[end].mean / other.means.last[end].mean;
  return {
    asked: `${model}, α = 1: neither estimator converges (here: exponents below 0.3, and errors 10 times those of α = 2/3)`,
    measured:
      `exponents ${plusMinus(-slope.last.slope, slope.last.error, 3)} and ${plusMinus(-slope.average.slope, slope.average.error, 3)}, ` +
      `last iterate ${digits(ratio)} times as far`,
    met: -slope.last.slope < 0.3 && -slope.average.slope < 0.3 && ratio > 10,
  };
}

/** Errors of one estimator along the stream, a curve for every α. */
function errorFigure(
  measured: readonly MeasuredRate[],
  model: RateCell['model'],
  which: Which,
  checkpoints: readonly number[],
): Figure {
  const curves = measured
    .filter((one) => one.model === model)
    .map(({ text, means }, style): FigureCurve => meanCurve(`α = ${text}`, style, checkpoints, means[which]));
  const what = model === 'linear' ? 'squared parameter error' : 'excess loss';
  const symbol = SYMBOLS[model][which];
  return logFigure({
    name: `errors-${model}-${which}`,
    title: `${model === 'linear' ? 'Linear' : 'Logistic'}: ${symbol}, ${which === 'last' ? 'last iterate' : 'average'}`,
    x: 'players n',
    y: `mean ${what}`,
    curves,
  });
}

/** Relative orders r and R of Figure 3: how much faster the average falls. */
function orderFigure(measured: readonly MeasuredRate[]): Figure {
  const lines = (['linear', 'logistic'] as const).flatMap((model, index): FigureCurve[] => {
    const ones = measured.filter((one) => one.model === model && one.decay < 1);
    const name = model === 'linear' ? 'r, parameters of a linear model' : 'R, loss of a logistic model';
    return [
      {
        name: `${name}: measured`,
        style: index,
        dashed: false,
        points: ones.map(({ decay, order: { slope, error } }) => ({
          x: decay,
          y: slope,
          low: slope - 2 * error,
          high: slope + 2 * error,
        })),
      },
      {
        name: `${name}: printed`,
        style: index,
        dashed: true,
        points: ones.map((one) => {
          const { last = 0, average = 0 } = printed(one);
          return { x: one.decay, y: average - last };
        }),
      },
    ];
  });
  return linearFigure({
    name: 'figure-3',
    title: 'Relative order of the average against the last iterate',
    x: 'α',
    y: 'relative order',
    curves: lines,
  });
}
