import { exactSlope, meanClaim, rateFit, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, Scale, Sweep, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, measuredCurve } from '../../experiment/figure.ts';
import { meanRatio } from '../../experiment/statistics.ts';
import { bitPrice, playersWorth } from '../closed-forms.ts';
import { planOf, type ScalarChunk, type ScalarSetting, scalarChunk, scalarSmallRun } from './scalar-runs.ts';
import { ERROR_COLUMNS, errorRows, scalarCells, scalarSweep, settingAt, sweepErrors } from './scalar-sweeps.ts';

const { PI, sqrt } = Math;

const SPREAD = 0.3;
// At ε = 4 a bit is nearly the sign itself: few players find the mean soon, and their number can vary much.
const BASE = { variant: 'oneBit', epsilon: 4, players: 2000, samples: 100, spread: SPREAD } as const;

/** A sweep in ε, n in proportion to 1/κ². */
const alongEpsilon = (key: string, xs: readonly number[], runs: readonly number[]): Sweep<ScalarSetting> =>
  scalarSweep({
    ...{ key, variable: 'ε', field: 'epsilon', request: BASE, spread: SPREAD, xs, runs, change: playersWorth(500) },
  });

const SWEEPS: readonly Sweep<ScalarSetting>[] = [
  scalarSweep({
    ...{ key: 'n', variable: 'players n', field: 'players', request: BASE, spread: SPREAD },
    ...{ xs: [1000, 5000, 25_000], runs: [400, 60, 60] },
  }),
  scalarSweep({
    ...{ key: 'm', variable: 'samples m', field: 'samples', request: BASE, spread: SPREAD },
    ...{ xs: [25, 200, 1600], runs: [200, 60, 200] },
  }),
  alongEpsilon('epsilon', [0.25, 1, 4], [100, 100, 250]),
];
/** At the full scale, where 1/tanh(ε/2) is 2/ε. */
const SMALL = alongEpsilon('small-epsilon', [0.1, 0.22, 0.5], [20, 20, 40]);

const sweepsOf = (results: readonly CellResult<ScalarSetting, ScalarChunk>[]): readonly Sweep<ScalarSetting>[] =>
  results.some(({ cell }) => cell.key.startsWith(SMALL.key)) ? [...SWEEPS, SMALL] : SWEEPS;

/** Errors are compared as they are or, along ε, times √n. */
const unitOf = (sweep: Sweep<ScalarSetting>, x: number): number =>
  sweep.variable === 'ε' ? sqrt(planOf(settingAt(sweep, x)).players) : 1;

/** s√(π/2)/√(mn)·(e^ε + 1)/(e^ε − 1), by hand: all players at a threshold that is right. */
function claimedAt(sweep: Sweep<ScalarSetting>): (x: number) => number {
  return (x) => {
    const { players, samples, epsilon } = planOf(settingAt(sweep, x));
    return ((unitOf(sweep, x) * SPREAD * sqrt(PI / 2)) / sqrt(samples * players)) * bitPrice(epsilon);
  };
}

function report(results: readonly CellResult<ScalarSetting, ScalarChunk>[]): ExperimentReport {
  const sweeps = sweepsOf(results);
  const points = sweeps.map((sweep) =>
    sweepErrors(sweep, results).map((point) => ({ ...point, y: point.y * unitOf(sweep, point.x) })),
  );
  const fits = points.map(rateFit);
  const laws = sweeps.map(claimedAt);
  const all = points.flatMap((line, i) => line.map((point) => ({ ...point, x: 1, y: point.y / laws[i](point.x) })));
  const slopeOf = (i: number): number => exactSlope(sweeps[i].xs, sweeps[i].xs.map(laws[i]));
  return {
    // Logarithms of errors are nearly normal.
    claims: [
      // A thousand players search a little longer: .02 of a slope; of many samples the mean is found a little later: .02 too.
      slopeClaim({ what: 'slope of the error in n', expected: -0.5, slack: 0.04, largestTolerance: 0.2 }, fits[0]),
      slopeClaim({ what: 'slope of the error in m', expected: -0.5, slack: 0.04, largestTolerance: 0.2 }, fits[1]),
      // tanh(ε/2) is .124, .462 and .964 at ε = .25, 1 and 4: its slope is .95 from .25 to 1, and .74 from .25 to 4.
      slopeClaim(
        {
          ...{ what: 'slope of the error times √n in ε, by 1/tanh(ε/2) from .25 to 4' },
          ...{ expected: slopeOf(2), slack: 0.04, largestTolerance: 0.25 },
        },
        fits[2],
      ),
      // The slope of tanh(ε/2) is .99 from .1 to .5.
      ...(fits.length > SWEEPS.length
        ? [
            slopeClaim(
              {
                ...{ what: 'slope of the error times √n in ε from .1 to .5: the order 1/ε' },
                ...{ expected: -1, slack: 0.05, largestTolerance: 0.4 },
              },
              fits[3],
            ),
          ]
        : []),
      // A tenth of the players searches in each of two or three rounds, and says less: between 1 and 1/√.7 = 1.2.
      meanClaim(
        {
          what: 'error over that of all players at the mean, all points',
          expected: 1.1,
          slack: 0.1,
          largestTolerance: 0.22,
        },
        meanRatio(all, () => 1),
      ),
    ],
    tables: [
      {
        title: 'Root mean squared error of one bit a player, along ε times √n',
        columns: ERROR_COLUMNS,
        rows: sweeps.flatMap((sweep, i) => errorRows(sweep, points[i], laws[i])),
        notes: ['Claimed: s√(π/2)/√(mn)·(e^ε + 1)/(e^ε − 1), without δ and without logarithms.'],
      },
    ],
    figures: sweeps.map((sweep, i) =>
      logFigure({
        name: `user-level-one-bit-error-${sweep.key}`,
        title: `One bit a player, error against ${sweep.variable}`,
        x: sweep.variable,
        y: `root mean squared error${sweep.variable === 'ε' ? ' · √n' : ''}, in units of B`,
        curves: [measuredCurve('measured', 0, points[i]), claimedCurve('closed form', 1, sweep.xs, laws[i])],
      }),
    ),
    data: sweeps.map(({ key }, i) => ({ sweep: key, points: points[i] })),
  };
}

/** The rate of the two-round theorem reached with one bit of each player, without δ. */
export const oneBitErrorValidation: TheoremValidation<ScalarSetting, ScalarChunk> = {
  name: 'user-level-one-bit-error',
  title: 'Error of the user-level mean by one bit of each player',
  paper: 'slides',
  theorems: ['Theorem, two-round estimator, error'],
  source:
    'Avella-Medina 2023 (slides), theorem on the two-round estimator: the rate B/(√(mn)·ε), by signs in place of bins',
  summary:
    'One bit of each player in rounds, pure ε, s = .3B public; local means are normal around a mean that is uniform on [−B/2, B/2]. Around ' +
    'n = 2000, m = 100, ε = 4 one of the three is varied at a time, ε from ¼ to 4 with n in proportion to 1/κ²; at the full scale also ' +
    'from .1 to ½.',
  version: 1,
  cells: (scale: Scale) => scalarCells(scale === 'full' ? [...SWEEPS, SMALL] : SWEEPS, scale),
  smallRun: scalarSmallRun,
  chunk: scalarChunk,
  report,
};
