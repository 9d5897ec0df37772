import { edgeBias } from 'ldpkit/protocols/user-level-mean';
import {
  type Measured,
  measuredMean,
  otherSlopeClaim,
  powerLaw,
  rangeClaim,
  rateFit,
  slopeClaim,
} from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type Sweep,
  sweepResults,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { claimedCurve, measuredCurve } from '../../experiment/figure.ts';
import { meanRatio } from '../../experiment/statistics.ts';
import { type ScalarChunk, type ScalarSetting, scalarChunk, scalarSmallRun } from './scalar-runs.ts';
import {
  ERROR_COLUMNS,
  errorRows,
  forecastAlong,
  scalarCells,
  scalarSweep,
  sweepErrors,
  sweepFigure,
} from './scalar-sweeps.ts';

const { abs, sqrt } = Math;

const SPREAD = 0.3;
const BASE = {
  ...{ variant: 'twoRound', delta: 1e-6, spread: SPREAD, share: 0.4 },
  ...{ epsilon: 2, players: 4000, samples: 100 },
} as const;

const SWEEPS: readonly Sweep<ScalarSetting>[] = [
  scalarSweep({
    ...{ key: 'n', variable: 'players n', field: 'players', request: BASE, spread: SPREAD },
    ...{ xs: [1000, 4000, 16000], runs: [300, 150, 60] },
  }),
  scalarSweep({
    ...{ key: 'm', variable: 'samples m', field: 'samples', request: BASE, spread: SPREAD },
    ...{ xs: [25, 200, 1600], runs: 150 },
  }),
  scalarSweep({
    ...{ key: 'epsilon', variable: 'ε', field: 'epsilon', request: { ...BASE, players: 8000 }, spread: SPREAD },
    ...{ xs: [0.5, 2, 8], runs: [120, 80, 80] },
  }),
];

/** Much budget and wide samples, so that the bias at an edge is not hidden by noise. */
const EDGE = { delta: 1e-6, epsilon: 16, players: 4000, samples: 1000 } as const;
const EDGE_SPREAD = 0.9;
const [PRINTED, CORRECTED] = [
  { key: 'printed-edge', request: { ...EDGE, variant: 'printed', calibration: 'exact' } },
  { key: 'corrected-edge', request: { ...EDGE, variant: 'twoRound', spread: EDGE_SPREAD } },
].map((line) =>
  scalarSweep({
    ...{ ...line, variable: 'players n', field: 'players', spread: EDGE_SPREAD, mean: 'edge' },
    ...{ xs: [1000, 4000, 16000], runs: [120, 80, 40] },
  }),
);

type Result = CellResult<ScalarSetting, ScalarChunk>;

/** Mean of |error| at the largest n, over the bias at an edge: errors are of either sign, by the bin that was taken. */
function biasRatio(results: readonly Result[]): Measured {
  const last = sweepResults(PRINTED, results)[PRINTED.xs.length - 1];
  const bias = edgeBias({ samples: EDGE.samples, spread: EDGE_SPREAD });
  return measuredMean(last.chunks.flatMap(({ errors }) => errors.map((error) => abs(error) / bias)));
}

function report(results: readonly Result[]): ExperimentReport {
  const points = SWEEPS.map((sweep) => sweepErrors(sweep, results));
  const fits = points.map(rateFit);
  const laws = SWEEPS.map(forecastAlong);
  const [printed, corrected] = [PRINTED, CORRECTED].map((sweep) => sweepErrors(sweep, results));
  const [printedFit, correctedFit] = [printed, corrected].map(rateFit);
  const bias = edgeBias({ samples: EDGE.samples, spread: EDGE_SPREAD });
  const all = points.flatMap((line, i) => line.map((point) => ({ ...point, y: point.y / laws[i](point.x) })));
  return {
    // Logarithms of errors are nearly normal.
    claims: [
      // The interval grows with √ln n: by .035 of the slope between 1000 and 16000.
      slopeClaim({ what: 'slope of the error in n', expected: -0.5, slack: 0.05 }, fits[0]),
      // Bins are a whole number of B/√m, to .02 of the slope.
      slopeClaim({ what: 'slope of the error in m', expected: -0.5, slack: 0.03 }, fits[1]),
      // Exact calibration: .093 above −1 between .5 and 8.
      slopeClaim({ what: 'slope of the error in ε', expected: -1, slack: 0.11 }, fits[2]),
      // Not exactly 1: local means beyond the interval are rare, and the pilot is wrong more rarely.
      rangeClaim(
        'error over its closed form, all points',
        [0.97, 1.03],
        meanRatio(all, () => 1),
      ),
      otherSlopeClaim(
        'slope of the error in n of the printed rounds, mean at the edge of a bin',
        { printed: -0.5, apart: 0.25 },
        printedFit,
      ),
      rangeClaim('their bias at n = 16,000 over s/√(2πm)', [0.99, 1.01], biasRatio(results)),
      slopeClaim(
        { what: 'slope of the error in n, a pair of bins, mean at the edge', expected: -0.5, slack: 0.05 },
        correctedFit,
      ),
    ],
    tables: [
      {
        title: 'Root mean squared error of two rounds',
        columns: ERROR_COLUMNS,
        rows: [
          ...SWEEPS.flatMap((sweep, i) => errorRows(sweep, points[i], laws[i])),
          ...errorRows(CORRECTED, corrected, forecastAlong(CORRECTED)),
          ...errorRows(PRINTED, printed, forecastAlong(PRINTED)),
        ],
        notes: [
          'Claimed: √(s²/m + h²σ²)/√n₂, h half the interval, n₂ the players of round 2; of the printed rounds, its bias besides.',
        ],
      },
    ],
    figures: [
      ...SWEEPS.map((sweep, i) =>
        sweepFigure(sweep, {
          name: `user-level-two-round-error-${sweep.key}`,
          title: `Two rounds, error against ${sweep.variable}`,
          curves: [measuredCurve('measured', 0, points[i]), claimedCurve('closed form', 1, sweep.xs, laws[i])],
        }),
      ),
      sweepFigure(PRINTED, {
        name: 'user-level-two-round-error-edge',
        title: 'Two rounds, mean at the edge of a bin',
        curves: [
          measuredCurve('the most popular bin', 0, printed),
          measuredCurve('a pair of bins', 1, corrected),
          claimedCurve('a pair of bins, 1/√n', 1, CORRECTED.xs, powerLaw(correctedFit, -0.5)),
          claimedCurve('bias at the edge', 2, PRINTED.xs, () => bias),
          claimedCurve('as printed', 0, PRINTED.xs, (n) => printed[0].y * sqrt(PRINTED.xs[0] / n)),
        ],
      }),
    ],
    data: [...SWEEPS, PRINTED, CORRECTED].map((sweep, i) => ({
      sweep: sweep.key,
      points: [...points, printed, corrected][i],
    })),
  };
}

/** The two-round estimator: its rate in n, m and ε with a pair of bins, and the bias of the printed one at an edge. */
export const twoRoundErrorValidation: TheoremValidation<ScalarSetting, ScalarChunk> = {
  name: 'user-level-two-round-error',
  title: 'Error of the two-round user-level estimator',
  paper: 'slides',
  theorems: ['Theorem, two-round estimator, error', 'Algorithm, round 2, projection'],
  source:
    'Avella-Medina 2023 (slides), theorem on the two-round estimator: error of order B/√(mn) + B/(√(mn)·ε), up to logarithms',
  summary:
    'Two rounds with a pair of bins, δ = 1e-6, 40 % of the players in round 1, s = .3B public; local means are normal around a mean that is ' +
    'uniform on [−B/2, B/2]. Around n = 4000, m = 100, ε = 2 one is varied at a time (ε at n = 8000). The printed rounds, with the least ' +
    'noise their two releases allow, at ε = 16, s = .9B, m = 1000, with the mean at the edge of a bin.',
  version: 1,
  cells: (scale) => scalarCells([...SWEEPS, PRINTED, CORRECTED], scale),
  smallRun: scalarSmallRun,
  chunk: scalarChunk,
  report,
};
