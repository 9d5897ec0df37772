import type { PlainRequest } from 'ldpkit';
import { digits, type ExperimentClaim, type Measured, plusMinus } from 'ldpkit/testing';
import { type CellResult, type ExperimentReport, type PaperExperiment, rowCells } from '../../experiment/experiment.ts';
import { type BoxGroup, type Figure, logFigure, meanCurve } from '../../experiment/figure.ts';
import { columnMeans, fiveNumbers } from '../../experiment/statistics.ts';
import {
  logarithmicGrid,
  type TrajectoryChunk,
  type TrajectorySetting,
  trajectoryChunk,
  trajectorySmallRun,
} from './trajectory.ts';

/** As in Sections 5.1 and 5.2; Figure 2 itself prints the budgets alone. */
const FEATURES = 5;
const DEVIATION = 2;
const RATE = 0.2;
const DECAY = 0.5;
const PLAYERS = 300_000;
const POINTS = 12;
const SIZE = 5;

/** Checkpoints whose distribution is shown: n ≈ 10,000, 30,000, 100,000 and 300,000. */
const BOXES = [4, 6, 9, 11];

const BUDGETS: readonly { readonly key: string; readonly label: string; readonly budget: PlainRequest }[] = [
  { key: 'mu-1', label: 'μ = 1', budget: { mu: 1 } },
  { key: 'uniform-1-2', label: 'μ uniform on [1, 2]', budget: { budgets: { rule: 'uniform', low: 1, high: 2 } } },
  { key: 'mu-2', label: 'μ = 2', budget: { mu: 2 } },
];

function settingOf(budget: PlainRequest): TrajectorySetting {
  const model = { kind: 'huber-scale', features: FEATURES };
  return {
    request: { variant: 'gdp', ...budget, model, rate: RATE, decay: DECAY, inference: [] },
    model: 'linear',
    features: FEATURES,
    deviation: DEVIATION,
    players: PLAYERS,
    checkpoints: logarithmicGrid(1000, PLAYERS, POINTS),
    lossRecords: 0,
    size: SIZE,
  };
}

interface Line {
  readonly label: string;
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
}

type Which = 'last' | 'average';
const NAMES: Readonly<Record<Which, string>> = { last: 'LDP-SGD', average: 'LDP-ASGD' };
const WHICH: readonly Which[] = ['last', 'average'];

/** ‖θ̂ − θ*‖, not squared: what Figure 2 draws. */
const root = (rows: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  rows.map((row) => row.map(Math.sqrt));

function report(results: readonly CellResult<TrajectorySetting, TrajectoryChunk>[]): ExperimentReport {
  const { checkpoints } = results[0].cell.setting;
  const lines = results.map(
    ({ cell, chunks }): Line => ({
      label: cell.label,
      last: root(chunks.flatMap((chunk) => chunk.last)),
      average: root(chunks.flatMap((chunk) => chunk.average)),
    }),
  );
  const end = checkpoints.length - 1;
  const means = lines.map((line) => ({ last: columnMeans(line.last), average: columnMeans(line.average) }));
  const shown = ({ mean, error }: Measured): string => plusMinus(mean, error, 4);
  return {
    claims: [...WHICH.map((which) => betweenClaim(lines, which, end)), steadierClaim(lines[2], end)],
    tables: [
      {
        title: 'Parameter distance at n = 300,000',
        columns: ['budget', 'E[1/μ²]', 'LDP-SGD', 'LDP-ASGD'],
        rows: lines.map(({ label }, index) => [
          label,
          ['1', '0.5', '0.25'][index],
          shown(means[index].last[end]),
          shown(means[index].average[end]),
        ]),
        notes: [
          `Means ± standard errors of ${lines[0].last.length} replications; all parameters count, the scale included.`,
          'For budgets uniform on [1, 2] the guarantee is that of the largest, μ = 2, and the noise in the limit that of the mean of ' +
            '1/μ², 1/2: as if all had μ = √2.',
        ],
      },
    ],
    figures: [trajectories(lines, means, checkpoints), boxes(lines[2], checkpoints)],
    data: means.map((mean, index) => ({
      budget: lines[index].label,
      last: mean.last,
      average: mean.average,
    })),
  };
}

/** That the mean distance for budgets uniform on [1, 2] lies between the two others: all meet the same people. */
function betweenClaim(lines: readonly Line[], which: Which, end: number): ExperimentClaim {
  const [one, uniform, two] = lines.map((line) => columnMeans(line[which])[end].mean);
  return {
    asked: `printed: the distance of ${NAMES[which]} for budgets uniform on [1, 2] lies between those for μ = 1 and μ = 2`,
    measured: `${digits(one)} for μ = 1, ${digits(uniform)} for uniform, ${digits(two)} for μ = 2`,
    met: two < uniform && uniform < one,
  };
}

function steadierClaim({ last, average }: Line, end: number): ExperimentClaim {
  const spread = (rows: readonly (readonly number[])[]): readonly [number, number] => {
    const [, first, median, third] = fiveNumbers(rows.map((row) => row[end]));
    return [median, third - first];
  };
  const [lastMedian, lastSpread] = spread(last);
  const [averageMedian, averageSpread] = spread(average);
  return {
    asked:
      'printed: at μ = 2 and the largest n the average has a smaller distance and varies less than the last iterate',
    measured: `median ${digits(averageMedian)} against ${digits(lastMedian)}, quartiles ${digits(averageSpread)} against ${digits(lastSpread)} apart`,
    met: averageMedian < lastMedian && averageSpread < lastSpread,
  };
}

function trajectories(
  lines: readonly Line[],
  means: readonly Readonly<Record<Which, readonly Measured[]>>[],
  checkpoints: readonly number[],
): Figure {
  return logFigure({
    name: 'figure-2-trajectories',
    title: 'Parameter distance along the stream',
    x: 'players n',
    y: 'mean ‖θ̂ − θ*‖',
    curves: WHICH.flatMap((which, w) =>
      lines.map(({ label }, index) =>
        meanCurve(`${NAMES[which]}, ${label}`, 3 * w + index, checkpoints, means[index][which]),
      ),
    ),
  });
}

function boxes(line: Line, checkpoints: readonly number[]): Figure {
  return {
    kind: 'boxes',
    name: 'figure-2-boxes',
    title: 'Parameter distance over replications, μ = 2',
    y: { label: '‖θ̂ − θ*‖', logarithmic: true },
    groups: BOXES.map(
      (k): BoxGroup => ({
        name: `n = ${checkpoints[k].toLocaleString('en-US')}`,
        boxes: WHICH.map((which, style) => ({
          name: NAMES[which],
          style,
          five: fiveNumbers(line[which].map((row) => row[k])),
        })),
      }),
    ),
    levels: [],
  };
}

/**
 * Figure 2 of the non-asymptotic paper.
 *
 * @theorem online-rates Figure 2
 */
export const budgets: PaperExperiment<TrajectorySetting, TrajectoryChunk> = {
  name: 'budgets',
  title: 'Budgets that differ from player to player',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Figure 2',
  summary:
    'Linear regression for coefficients and scale, Gaussian gradients with μ = 1, μ = 2, and μ drawn for every player from the uniform ' +
    'law on [1, 2] by public coins. The figure prints neither d nor the steps: here they are those of Section 5.1, d = 5, η = 0.2, ' +
    'α = 1/2, n = 300,000, σ = 2, from 0 with scale 1. All budgets meet the same people.',
  version: 1,
  cells: rowCells(BUDGETS, ({ budget }) => settingOf(budget), { quick: 4, full: 40 }),
  smallRun: trajectorySmallRun,
  chunk: trajectoryChunk,
  report,
};
