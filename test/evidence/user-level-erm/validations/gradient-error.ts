import { digestOf, type Json, seededRandom } from 'ldpkit';
import { uniform } from 'ldpkit/mechanism';
import { userLevelErm } from 'ldpkit/protocols/user-level-erm';
import { conduct } from 'ldpkit/simulate';
import { digits, exactSlope, meanClaim, rateFit, slopeClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  sweepCells,
  sweepResults,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { dashedCurve, logFigure, measuredCurve } from '../../experiment/figure.ts';
import { column, meanRatio, rootPoints } from '../../experiment/statistics.ts';
import { keptRuns, LOST_NOTE, lostClaim } from '../../shared/lost-runs.ts';
import { bitPrice, playersWorth } from '../../user-level-mean/closed-forms.ts';
import { drawRecords, gradientUsed, populationOf, squaresPlan, sweepsAround } from './records.ts';

const { PI, sqrt } = Math;

interface GradientSetting {
  readonly [name: string]: Json;
  readonly epsilon: number;
  readonly players: number;
  readonly samples: number;
  readonly dimension: number;
  /** Replications of one chunk. */
  readonly runs: number;
}

interface GradientChunk {
  readonly [name: string]: Json;
  /** Squared errors of all coordinates of a gradient, run after run. */
  readonly squares: readonly number[];
}

// At ε = 4 a bit is nearly the sign itself: few players find the mean soon, and their number can vary much.
const BASE = { epsilon: 4, players: 4000, samples: 8, dimension: 3 } as const;

/** Standard deviation of a coordinate of a record's gradient at the minimiser: that of a residual uniform on [−½, ½], E x_j² = 1. */
const SPREAD = sqrt(1 / 12);

/** √(mn)·√E‖ĝ − g‖² by hand: d·s·√(π/2)·(e^ε + 1)/(e^ε − 1). */
const lawAt = ({ players, samples, dimension, epsilon }: GradientSetting): number =>
  (dimension * SPREAD * sqrt(PI / 2) * bitPrice(epsilon)) / sqrt(players * samples);

const sweep = sweepsAround<GradientSetting>(BASE);

const SWEEPS = [
  sweep('n', ['players n', 'players'], [800, 4000, 20_000], [120, 20, 18]),
  sweep('m', ['samples m', 'samples'], [4, 12, 36], [70, 10, 70]),
  sweep('epsilon', ['ε', 'epsilon'], [0.5, 2, 8], [34, 40, 60], playersWorth(1000)),
  sweep('d', ['dimension d', 'dimension'], [2, 4, 16], [70, 16, 12], () => ({ players: 5000 })),
];

/** The gradient at the minimiser, asked of all players at once: one iteration from there. */
const planOf = ({ runs: _, ...setting }: GradientSetting) =>
  squaresPlan({ ...BASE, ...setting, iterations: 1 }, { predict: false, spread: SPREAD });

function chunk(setting: GradientSetting, index: number, seed: string): GradientChunk {
  const { players, samples, dimension, runs } = setting;
  const plan = planOf(setting);
  const key = `${seed} ${digestOf(setting)} ${index}`;
  // The model behind the responses is where a descent starts, 0: there gradients are symmetric, so that signs are not skewed.
  const records = drawRecords(players * samples, new Array<number>(dimension).fill(0), key);
  const population = populationOf(records, players);
  const signs = seededRandom(`${key} signs`);
  const squares: number[] = [];
  for (let run = 0; run < runs; run++) {
    // A player whose responses have other signs is as likely: so each run has players of its own, and the gradient that all of
    // them come from is 0.
    signs.seek(run);
    for (let i = 0; i < players; i++) {
      if (uniform(signs) < 0.5) continue;
      for (let record = i * samples; record < (i + 1) * samples; record++) {
        records.responses[record] = -records.responses[record];
      }
    }
    const { iterates } = conduct(userLevelErm, plan, population, { seed: `${key} ${run}` }).estimate;
    const used = gradientUsed(iterates[0], iterates[1], plan.step);
    for (let j = 0; j < dimension; j++) squares.push(used[j] ** 2);
  }
  return { squares };
}

function report(results: readonly CellResult<GradientSetting, GradientChunk>[]): ExperimentReport {
  const groups = SWEEPS.map((line) =>
    sweepResults(line, results).map(({ cell, chunks }) =>
      keptRuns(
        chunks.flatMap(({ squares }) => squares),
        cell.setting.dimension,
      ),
    ),
  );
  const settings = SWEEPS.map((line) => line.xs.map((x, place) => line.setting(x, place, 'quick')));
  const roots = groups.map((line, i) => rootPoints(SWEEPS[i].xs, column(line, 'squares')));
  // Along ε, times √n.
  const units = SWEEPS.map(({ key }, i) => settings[i].map(({ players }) => (key === 'epsilon' ? sqrt(players) : 1)));
  const points = roots.map((line, i) => line.map((point, k) => ({ ...point, y: point.y * units[i][k] })));
  const laws = settings.map((line, i) => line.map((setting, k) => lawAt(setting) * units[i][k]));
  const fits = points.map(rateFit);
  const all = points.flatMap((line, i) => line.map((point, k) => ({ ...point, x: 1, y: point.y / laws[i][k] })));
  return {
    // The logarithm of a root mean square of k coordinates deviates by 1/√(2k), and is nearly normal.
    claims: [
      // With 800 players thresholds are a little late: .01 of the slope.
      slopeClaim({ what: 'slope of the error in n', expected: -0.5, slack: 0.03, largestTolerance: 0.25 }, fits[0]),
      // Means of four records are not normal yet, and their median is nearer by .05: .025 of the slope.
      slopeClaim({ what: 'slope of the error in m', expected: -0.5, slack: 0.04, largestTolerance: 0.25 }, fits[1]),
      // (e^ε + 1)/(e^ε − 1) is 4.083, 1.313 and 1.001 at ε = .5, 2 and 8: least squares of its logarithm.
      slopeClaim(
        {
          ...{ what: 'slope of the error times √n in ε, by 1/tanh(ε/2) from .5 to 8, which is 1/ε for small ε' },
          ...{ expected: exactSlope(SWEEPS[2].xs, laws[2]), slack: 0.03, largestTolerance: 0.25 },
        },
        fits[2],
      ),
      // B grows like √d here: with coordinates that are as large whatever d, √d·B is d.
      slopeClaim(
        { what: 'slope of the error in d, where B grows like √d', expected: 1, slack: 0.03, largestTolerance: 0.25 },
        fits[3],
      ),
      meanClaim(
        { what: 'error over its closed form, all points', expected: 1, slack: 0.05, largestTolerance: 0.15 },
        meanRatio(all, () => 1),
      ),
      lostClaim(groups.flat()),
    ],
    tables: [
      {
        title: 'Error of the mean gradient at the minimiser',
        columns: ['sweep', 'at', 'n', 'measured', 'of all runs', 'claimed', 'ratio'],
        rows: SWEEPS.flatMap(({ key, variable }, i) =>
          roots[i].map(({ x, y, relative }, k) => [
            key,
            `${variable} = ${digits(x)}`,
            String(settings[i][k].players),
            `${digits(y)} ± ${digits(y * relative, 2)}`,
            digits(groups[i][k].untrimmed),
            digits(laws[i][k] / units[i][k]),
            digits(points[i][k].y / laws[i][k]),
          ]),
        ),
        notes: [
          'Claimed: d·√((π/2)/(mn))·s/κ, s the standard deviation of a coordinate of a record’s gradient, κ = tanh(ε/2).',
          LOST_NOTE,
        ],
      },
    ],
    figures: SWEEPS.map(({ key, variable, xs }, i) =>
      logFigure({
        name: `user-level-gradient-error-${key}`,
        title: `Error of a mean gradient against ${variable}`,
        x: variable,
        y: `root mean squared ‖ĝ − g‖${key === 'epsilon' ? ' · √n' : ''}, without lost runs`,
        curves: [measuredCurve('measured', 0, points[i]), dashedCurve('closed form', 1, xs, laws[i])],
      }),
    ),
    data: SWEEPS.map(({ key }, i) => ({
      sweep: key,
      points: points[i].map((point, k) => ({ ...point, untrimmed: groups[i][k].untrimmed })),
    })),
  };
}

/** The error of one gradient at a fixed model, with its constant. */
export const gradientErrorValidation: TheoremValidation<GradientSetting, GradientChunk> = {
  name: 'user-level-gradient-error',
  title: 'Error of one private gradient',
  paper: 'slides',
  theorems: ['Bounding the noise terms'],
  source: 'Avella-Medina 2023 (slides), bounding the noise terms: at a fixed θ the error is of order B√d/(√(mn)·ε)',
  summary:
    'Least squares with features uniform in the ball of radius √(d + 2), E xxᵀ = I, responses uniform on [−½, ½]; the gradient at the ' +
    'minimiser of the population risk, by one bit of each player, less its expectation, 0. Around n = 4000, m = 8, d = 3, ε = 4 one of ' +
    'them is varied at a time, d at n = 5000, and ε from ½ to 8 with n in proportion to 1/κ². s is public.',
  version: 2,
  cells: (scale) => sweepCells(SWEEPS, scale, scale === 'full' ? 4 : 1),
  smallRun: (setting) => ({ ...setting, players: 400, runs: 1 }),
  chunk,
  report,
};
