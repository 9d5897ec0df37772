import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import { claimedCurve, measuredCurve, rangeClaim, rateFit, slopeClaim } from '../../../src/simulation/rate-fit.ts';
import type { Sweep } from '../../../src/simulation/sweep.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { oneBitError } from '../theory.ts';
import { planOf, type ScalarPart, type ScalarSetting, scalarPart, scalarProbe } from './scalar-runs.ts';
import {
  ERROR_COLUMNS,
  errorRows,
  meanRatio,
  scalarCells,
  scalarSweep,
  settingAt,
  sweepErrors,
  sweepFigure,
} from './scalar-sweeps.ts';

const SPREAD = 0.3;
const BASE = { maker: 'oneBit', epsilon: 1, players: 4000, samples: 100, spread: SPREAD } as const;

const SWEEPS: readonly Sweep<ScalarSetting>[] = [
  scalarSweep({
    ...{ key: 'n', variable: 'players n', field: 'players', request: BASE, spread: SPREAD },
    ...{ xs: [2000, 8000, 32000], runs: [300, 120, 50] },
  }),
  scalarSweep({
    ...{ key: 'm', variable: 'samples m', field: 'samples', request: BASE, spread: SPREAD },
    ...{ xs: [25, 200, 1600], runs: [120, 60, 120] },
  }),
  scalarSweep({
    ...{ key: 'epsilon', variable: 'ε', field: 'epsilon', request: BASE, spread: SPREAD },
    ...{ xs: [0.5, 1, 2], runs: [200, 60, 200] },
  }),
];

/** s√(π/2)/(√(mn)·tanh(ε/2)): all players at a threshold that is right. */
function claimedAt(sweep: Sweep<ScalarSetting>): (x: number) => number {
  return (x) => {
    const { players, samples, epsilon } = planOf(settingAt(sweep, x));
    return oneBitError({ players, samples, spread: SPREAD }, epsilon);
  };
}

function report(results: readonly CellResult<ScalarSetting, ScalarPart>[]): ExperimentReport {
  const points = SWEEPS.map((sweep) => sweepErrors(sweep, results));
  const fits = points.map(rateFit);
  const laws = SWEEPS.map(claimedAt);
  const all = points.flatMap((line, i) => line.map((point) => ({ ...point, y: point.y / laws[i](point.x) })));
  return {
    // Logarithms of errors are nearly normal: beyond 4 standard errors comes with probability 6e-5 for each claim. Below 4000
    // players some search for the mean with what they say: .04 of a slope.
    claims: [
      slopeClaim({ what: 'slope of the error in n', expected: -0.5, slack: 0.04 }, fits[0]),
      slopeClaim({ what: 'slope of the error in m', expected: -0.5, slack: 0.04 }, fits[1]),
      // 1/tanh(ε/2) has the slope −.91 between .5 and 2.
      slopeClaim({ what: 'slope of the error in ε', expected: -1, slack: 0.15 }, fits[2]),
      // Those who search, at most .4 of all, say less: between 1 and 1/√.6.
      rangeClaim(
        'error over that of all players at the mean, all points',
        [1, 1.3],
        meanRatio(all, () => 1),
      ),
    ],
    tables: [
      {
        title: 'Root mean squared error of one bit a player',
        columns: ERROR_COLUMNS,
        rows: SWEEPS.flatMap((sweep, i) => errorRows(sweep, points[i], laws[i])),
        notes: ['Claimed: s√(π/2)/√(mn)·(e^ε + 1)/(e^ε − 1), without δ and without logarithms.'],
      },
    ],
    figures: SWEEPS.map((sweep, i) =>
      sweepFigure(sweep, {
        name: `user-level-one-bit-error-${sweep.key}`,
        title: `One bit a player, error against ${sweep.variable}`,
        curves: [measuredCurve('measured', 0, points[i]), claimedCurve('closed form', 1, sweep.xs, laws[i])],
      }),
    ),
    data: SWEEPS.map(({ key }, i) => ({ sweep: key, points: points[i].map((point) => ({ ...point })) })),
  };
}

/** The rate of the two-round theorem reached with one bit of each player, without δ. */
export const oneBitErrorValidation: TheoremValidation<ScalarSetting, ScalarPart> = {
  name: 'user-level-one-bit-error',
  title: 'Error of the user-level mean by one bit of each player',
  paper: 'slides',
  theorems: ['Theorem, two-round estimator, error'],
  source:
    'Avella-Medina 2023 (slides), theorem on the two-round estimator: the rate B/(√(mn)·ε), by signs in place of bins',
  summary:
    'One bit of each player in rounds, pure ε, s = .3B public; local means are normal around a mean that is uniform on [−B/2, B/2]. Around ' +
    'n = 4000, m = 100, ε = 1 one of the three is varied at a time.',
  version: 1,
  cells: (scale) => scalarCells(SWEEPS, scale),
  probe: scalarProbe,
  part: scalarPart,
  report,
};
