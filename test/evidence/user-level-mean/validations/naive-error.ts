import { rangeClaim, rateFit, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, Sweep, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, measuredCurve } from '../../experiment/figure.ts';
import { meanRatio } from '../../experiment/statistics.ts';
import { naiveError } from '../closed-forms.ts';
import { planOf, type ScalarChunk, type ScalarSetting, scalarChunk, scalarSmallRun } from './scalar-runs.ts';
import { ERROR_COLUMNS, errorRows, scalarCells, scalarSweep, settingAt, sweepErrors } from './scalar-sweeps.ts';

const DELTA = 1e-6;
const SPREAD = 0.3;
const BASE = { variant: 'naive', delta: DELTA, epsilon: 1, players: 800, samples: 100 } as const;

// Logarithms of errors over k runs deviate by 1/√(2k): slopes at the quick scale by about .01 in n and m and .02 in ε.
const SWEEPS: readonly Sweep<ScalarSetting>[] = [
  scalarSweep({
    ...{ key: 'n', variable: 'players n', field: 'players', request: BASE, spread: SPREAD },
    ...{ xs: [100, 800, 6400], runs: [1600, 600, 200] },
  }),
  scalarSweep({
    ...{ key: 'm', variable: 'samples m', field: 'samples', request: BASE, spread: SPREAD },
    ...{ xs: [10, 100, 1000], runs: 600 },
  }),
  scalarSweep({
    ...{ key: 'epsilon', variable: 'ε', field: 'epsilon', request: BASE, spread: SPREAD },
    ...{ xs: [0.25, 0.7, 2], runs: 600 },
  }),
];

/** √(s²/m + σ²)/√n, σ exact for the sensitivity 2B. */
function claimedAt(sweep: Sweep<ScalarSetting>): (x: number) => number {
  return (x) => {
    const { players, samples, epsilon, bound } = planOf(settingAt(sweep, x));
    return naiveError({ players, samples, spread: SPREAD }, { epsilon, delta: DELTA }, bound);
  };
}

function report(results: readonly CellResult<ScalarSetting, ScalarChunk>[]): ExperimentReport {
  const points = SWEEPS.map((sweep) => sweepErrors(sweep, results));
  const fits = points.map(rateFit);
  const laws = SWEEPS.map(claimedAt);
  const all = points.map((sweep, i) => meanRatio(sweep, laws[i]));
  return {
    // Each claim is about a number whose logarithm is nearly normal.
    claims: [
      slopeClaim({ what: 'slope of the error in n', expected: -0.5 }, fits[0]),
      slopeClaim({ what: 'slope of the error in m: it does not improve', expected: 0 }, fits[1]),
      // Exact calibration is a little below the classical √(2·ln(1.25/δ))·2B/ε, and less so the larger ε is: .071 from .25 to 2.
      slopeClaim({ what: 'slope of the error in ε', expected: -1, slack: 0.08 }, fits[2]),
      ...SWEEPS.map(({ key }, i) => rangeClaim(`error over its closed form, along ${key}`, [1, 1], all[i])),
    ],
    tables: [
      {
        title: 'Root mean squared error of the naive estimator',
        columns: ERROR_COLUMNS,
        rows: SWEEPS.flatMap((sweep, i) => errorRows(sweep, points[i], laws[i])),
        notes: ['Claimed: √(s²/m + σ²)/√n with the least σ that hides the sensitivity 2B at (ε, δ).'],
      },
    ],
    figures: SWEEPS.map((sweep, i) =>
      logFigure({
        name: `user-level-naive-error-${sweep.key}`,
        title: `Naive estimator, error against ${sweep.variable}`,
        x: sweep.variable,
        y: 'root mean squared error, in units of B',
        curves: [measuredCurve('measured', 0, points[i]), claimedCurve('closed form', 1, sweep.xs, laws[i])],
      }),
    ),
    data: SWEEPS.map(({ key }, i) => ({ sweep: key, points: points[i] })),
  };
}

/** The slides' naive estimator: its error falls with the players and with ε, and not with the samples of each. */
export const naiveErrorValidation: TheoremValidation<ScalarSetting, ScalarChunk> = {
  name: 'user-level-naive-error',
  title: 'Error of the naive user-level estimator',
  paper: 'slides',
  theorems: ['A naive estimator, error'],
  source: 'Avella-Medina 2023 (slides), a naive estimator: error of order B/√(mn) + B/(√n·ε)',
  summary:
    'Noisy local means with noise calibrated exactly for the sensitivity 2B, δ = 1e-6. Local means are normal around a mean that is ' +
    'uniform on [−B/2, B/2], with s = .3B. Around n = 800, m = 100, ε = 1 one of the three is varied at a time.',
  version: 1,
  cells: (scale) => scalarCells(SWEEPS, scale),
  smallRun: scalarSmallRun,
  chunk: scalarChunk,
  report,
};
