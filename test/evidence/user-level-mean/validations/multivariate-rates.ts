import { expectedSquaredError } from 'ldpkit/protocols/user-level-mean';
import { DEVIATIONS, exactSlope, otherSlopeClaim, powerLaw, rateFit, slopeClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type Sweep,
  sweepCells,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, measuredCurve } from '../../experiment/figure.ts';
import { LOST_NOTE, lostClaim } from '../../shared/lost-runs.ts';
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

const { sqrt, tanh } = Math;

const BASE = { players: 12_000, samples: 25 } as const;

/** ε of the split budget: ε/d is 3 to .375 for each coordinate. */
const SPLIT_EPSILON = 6;

const ROTATED = vectorSweep({
  ...{ key: 'rotated', variable: 'dimension d', field: 'dimension' },
  ...{ request: { ...BASE, variant: 'vector', form: 'sign', epsilon: 2 }, xs: [4, 16, 64], runs: [34, 6, 3] },
});
const SPLIT = vectorSweep({
  ...{ key: 'split', variable: 'dimension d', field: 'dimension' },
  ...{
    request: { ...BASE, players: 20_000, variant: 'coordinates', epsilon: SPLIT_EPSILON },
    xs: [2, 5, 16],
    runs: [60, 8, 6],
  },
});
const SWEEPS = [ROTATED, SPLIT];

/** 1/tanh(ε/2d). */
const splitPrice = (d: number): number => 1 / tanh(SPLIT_EPSILON / (2 * d));

/** √E‖error‖² by closed forms. */
function claimedAt(sweep: Sweep<VectorSetting>): (d: number) => number {
  return (d) => {
    const setting = sweep.setting(d, 0, 'quick');
    return sqrt(expectedSquaredError(vectorPlanOf(setting), setting.spread / sqrt(d)));
  };
}

function report(results: readonly CellResult<VectorSetting, VectorChunk>[]): ExperimentReport {
  const errors = SWEEPS.map((sweep) => vectorErrors(sweep, results));
  const [rotated, split] = errors.map(({ points }) => points);
  const [rotatedFit, splitFit] = [rotated, split].map(rateFit);
  return {
    // The logarithm of a root mean square of k coordinates deviates by 1/√(2k), and is nearly normal.
    claims: [
      // More coordinates have fewer players each, who search longer: .05 of the slope.
      slopeClaim(
        {
          ...{ what: 'slope of the error in d, one rotated coordinate of each player' },
          ...{ expected: 0.5, slack: 0.05, largestTolerance: 0.25 },
        },
        rotatedFit,
      ),
      // By hand the error is s√(π/2)/(√(mn)·tanh(ε/2d)), s√d the same for every d: of the slope 1 for large d is left .77 from 2 to 16.
      slopeClaim(
        {
          ...{
            what: 'slope of the error in d, all coordinates with a split budget, by 1/tanh(ε/2d), which is d for large d',
          },
          ...{ expected: exactSlope(SPLIT.xs, SPLIT.xs.map(splitPrice)), slack: 0.06, largestTolerance: 0.35 },
        },
        splitFit,
      ),
      {
        ...otherSlopeClaim('', { printed: 1, apart: 0.1 }, rotatedFit),
        asked: `control: the slope with a rotation is not that of a split budget, 1, by at least .1 beyond ${DEVIATIONS} standard errors`,
      },
      lostClaim(errors.flatMap(({ groups }) => groups)),
    ],
    tables: [
      {
        title: 'Root mean squared norm of the error',
        columns: [...ERROR_COLUMNS, 'of all runs'],
        rows: [
          ...untrimmedRows(errorRows(ROTATED, rotated, claimedAt(ROTATED)), errors[0].groups),
          ...untrimmedRows(errorRows(SPLIT, split, claimedAt(SPLIT)), errors[1].groups),
        ],
        notes: ['Claimed: the closed forms for coordinates that are located.', LOST_NOTE],
      },
    ],
    figures: [
      logFigure({
        name: 'user-level-multivariate-rates',
        title: 'Error against the dimension',
        x: 'dimension d',
        y: 'root mean squared norm of the error, in units of B, without lost runs',
        curves: [
          measuredCurve('rotated, ε = 2', 0, rotated),
          measuredCurve('coordinate-wise, ε = 6', 1, split),
          claimedCurve('√d', 0, ROTATED.xs, powerLaw(rotatedFit, 0.5)),
          claimedCurve(
            '1/tanh(ε/2d)',
            1,
            SPLIT.xs,
            (d) => (splitFit.level * splitPrice(d)) / splitPrice(splitFit.centre),
          ),
        ],
      }),
    ],
    data: { rotated, split },
  };
}

/** The error grows like d coordinate by coordinate, and like √d after a rotation. */
export const multivariateRatesValidation: TheoremValidation<VectorSetting, VectorChunk> = {
  name: 'user-level-multivariate-rates',
  title: 'Error of the user-level mean against the dimension',
  paper: 'slides',
  theorems: ['Results for the multivariate case, coordinate-wise', 'Results for the multivariate case, preprocessing'],
  source:
    'Avella-Medina 2023 (slides), results for the multivariate case: d/(√(mn)·ε) coordinate by coordinate, √d/(√(mn)·ε) rotated',
  summary:
    'n = 12,000 with a rotation and 20,000 without, m = 25; samples in the unit ball, .3 away from a mean of norm ½ in a random direction whatever d, so that only the ' +
    'dimension differs. One bit for a rotated coordinate of each player, and one bit for every coordinate at ε/d.',
  version: 1,
  cells: (scale) => sweepCells(SWEEPS, scale, scale === 'full' ? FULL_PARTS : 1),
  smallRun: vectorSmallRun,
  chunk: vectorChunk,
  report,
};
