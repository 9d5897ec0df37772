import { exactSlope, meanClaim, rateFit, slopeClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type Sweep,
  sweepCells,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, measuredCurve } from '../../experiment/figure.ts';
import { meanRatio } from '../../experiment/statistics.ts';
import { LOST_NOTE, lostClaim } from '../../shared/lost-runs.ts';
import { bitPrice, playersWorth } from '../closed-forms.ts';
import { ERROR_COLUMNS, errorRows } from './scalar-sweeps.ts';
import {
  FULL_PARTS,
  untrimmedRows,
  type VectorChunk,
  type VectorSetting,
  vectorChunk,
  vectorErrors,
  vectorPlanOf,
  vectorSmallRun,
  vectorSweep,
} from './vector-runs.ts';

const { PI, sqrt } = Math;

const DIMENSION = 8;
// At ε = 4 a bit is nearly the sign itself: few players find the mean soon, and their number can vary much.
const BASE = {
  ...{ variant: 'vector', form: 'sign', epsilon: 4, players: 4000, samples: 25 },
  dimension: DIMENSION,
} as const;

const ALONG_EPSILON = vectorSweep({
  ...{ key: 'epsilon', variable: 'ε', field: 'epsilon', request: BASE, xs: [0.5, 2, 8], runs: [14, 10, 16] },
  change: playersWorth(2000),
});
const SWEEPS: readonly Sweep<VectorSetting>[] = [
  vectorSweep({
    ...{ key: 'n', variable: 'players n', field: 'players', request: BASE, xs: [2000, 9000, 40_000] },
    runs: [22, 8, 7],
  }),
  vectorSweep({
    ...{ key: 'm', variable: 'samples m', field: 'samples', request: BASE, xs: [4, 36, 324], runs: [12, 4, 12] },
  }),
  ALONG_EPSILON,
];

/** Errors are compared as they are or, along ε, times √n. */
const unitOf = (sweep: Sweep<VectorSetting>, x: number): number =>
  sweep.variable === 'ε' ? sqrt(vectorPlanOf(sweep.setting(x, 0, 'quick')).players) : 1;

/** d·s·√(π/2)/(κ√(mn)) by hand, s√d = .3: all players at thresholds that are right. */
function claimedAt(sweep: Sweep<VectorSetting>): (x: number) => number {
  return (x) => {
    const setting = sweep.setting(x, 0, 'quick');
    const { players, samples, epsilon } = vectorPlanOf(setting);
    const level = setting.spread * sqrt(DIMENSION) * sqrt(PI / 2) * bitPrice(epsilon);
    return (unitOf(sweep, x) * level) / sqrt(players * samples);
  };
}

function report(results: readonly CellResult<VectorSetting, VectorChunk>[]): ExperimentReport {
  const laws = SWEEPS.map(claimedAt);
  const errors = SWEEPS.map((sweep) => vectorErrors(sweep, results));
  const points = errors.map((one, i) =>
    one.points.map((point) => ({ ...point, y: point.y * unitOf(SWEEPS[i], point.x) })),
  );
  const fits = points.map(rateFit);
  const all = points.flatMap((line, i) => line.map((point) => ({ ...point, x: 1, y: point.y / laws[i](point.x) })));
  return {
    // The logarithm of a root mean square of k coordinates deviates by 1/√(2k), and is nearly normal.
    claims: [
      // More players waste fewer of them in the search: .03 of the slope.
      slopeClaim({ what: 'slope of the error in n', expected: -0.5, slack: 0.04, largestTolerance: 0.25 }, fits[0]),
      slopeClaim({ what: 'slope of the error in m', expected: -0.5, slack: 0.03, largestTolerance: 0.25 }, fits[1]),
      // tanh(ε/2) is .245, .762 and .999 at ε = .5, 2 and 8; of its slope .818 between .5 and 2 is left .51 up to 8.
      slopeClaim(
        {
          ...{ what: 'slope of the error times √n in ε, by 1/tanh(ε/2) from .5 to 8, which is 1/ε for small ε' },
          ...{
            expected: exactSlope(ALONG_EPSILON.xs, ALONG_EPSILON.xs.map(bitPrice)),
            slack: 0.03,
            largestTolerance: 0.25,
          },
        },
        fits[2],
      ),
      // Some players search, and say less.
      meanClaim(
        {
          what: 'error over that of all players at the mean, all points',
          expected: 1.06,
          slack: 0.06,
          largestTolerance: 0.22,
        },
        meanRatio(all, () => 1),
      ),
      lostClaim(errors.flatMap(({ groups }) => groups)),
    ],
    tables: [
      {
        title: 'Root mean squared norm of the error in eight dimensions, along ε times √n',
        columns: [...ERROR_COLUMNS, 'of all runs'],
        rows: SWEEPS.flatMap((sweep, i) =>
          untrimmedRows(
            errorRows(sweep, points[i], laws[i]),
            errors[i].groups,
            sweep.xs.map((x) => unitOf(sweep, x)),
          ),
        ),
        notes: ['Claimed: d·s·√(π/2)/(κ√(mn)), all players at thresholds that are right.', LOST_NOTE],
      },
    ],
    figures: SWEEPS.map((sweep, i) =>
      logFigure({
        name: `user-level-multivariate-error-${sweep.key}`,
        title: `Mean in eight dimensions, error against ${sweep.variable}`,
        x: sweep.variable,
        y: `root mean squared norm of the error${sweep.variable === 'ε' ? ' · √n' : ''}, in units of B, without lost runs`,
        curves: [measuredCurve('measured', 0, points[i]), claimedCurve('closed form', 1, sweep.xs, laws[i])],
      }),
    ),
    data: SWEEPS.map(({ key }, i) => ({ sweep: key, points: points[i] })),
  };
}

/** The rate of the multivariate theorem in n, m and ε, with its constant. */
export const multivariateErrorValidation: TheoremValidation<VectorSetting, VectorChunk> = {
  name: 'user-level-multivariate-error',
  title: 'Error of the user-level mean in eight dimensions',
  paper: 'slides',
  theorems: ['Theorem, multivariate case, error'],
  source:
    'Avella-Medina 2023 (slides), theorem of the multivariate case: error of order B/√(mn) + B√d/(√(mn)·ε), up to logarithms',
  summary:
    'One bit for a rotated coordinate of each player, d = 8; samples in the unit ball, .3 away from a mean of norm ½. Around n = 4000, ' +
    'm = 25, ε = 4 one of the three is varied at a time, ε from ½ to 8 with n in proportion to 1/κ²; d is varied by user-level-multivariate-rates.',
  version: 1,
  cells: (scale) => sweepCells(SWEEPS, scale, scale === 'full' ? FULL_PARTS : 1),
  smallRun: vectorSmallRun,
  chunk: vectorChunk,
  report,
};
