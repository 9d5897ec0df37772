import { seededRandom } from 'ldpkit';
import { randomScalingCoverage, randomScalingCriticalValue } from 'ldpkit/inference';
import { DEVIATIONS, type ExperimentClaim, type Measured, meanClaim, measuredMean } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { shareError } from '../../experiment/statistics.ts';
import { jointScalingCriticalValue, jointScalingLaw } from '../joint-scaling.ts';
import { coverageClaims, coverageParts } from './coverage-parts.ts';
import {
  type IntervalChunk,
  type IntervalRow,
  type IntervalSetting,
  intervalChunk,
  intervalSmallRun,
} from './interval-rows.ts';

const { abs, max, sqrt } = Math;

/** Printed: from .9 to .99; here from .5, where a scale that is off is seen on both sides. */
const LEVELS: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99];
const FEATURES = 5;
const BUDGETS: readonly number[] = [1, 2];

/**
 * What a finite n adds or takes: the path is smoother than its limit at its end, under μ = 1 the first steps still count at
 * n = 10,000 (coverage .84 at the level .8), and the joint statistic is above its point by .06 more often.
 */
const finiteOf = (players: number): number => (players > 50_000 ? 0.03 : 0.06);

/** Draws of the law of the joint statistic: its level .9 is known to .001. */
const DRAWS = 2 ** 13;

interface Line {
  readonly label: string;
  /** What a finite n may add. */
  readonly finite: number;
  readonly rows: readonly IntervalRow[];
  /** Share of coordinates that the intervals hold, by level. */
  readonly coverage: readonly Measured[];
}

/** Coverage by level: the mean over coordinates in a stream, so that errors do not count coordinates as independent. */
function coverageOf(rows: readonly IntervalRow[]): readonly Measured[] {
  return LEVELS.map((level) => {
    const critical = randomScalingCriticalValue(level);
    const { mean, error } = measuredMean(
      rows.map(({ scaled }) => scaled.filter((t) => abs(t) <= critical).length / scaled.length),
    );
    // With few streams all intervals of a level may hold: the error is never less than that of independent ones.
    return { mean, error: max(error, shareError(level, rows.length * rows[0].scaled.length)) };
  });
}

/** The largest distance of the distribution function of |t| of one coordinate from the exact one. */
function gapOf(rows: readonly IntervalRow[]): number {
  const sample = rows.map(({ scaled }) => abs(scaled[0])).sort((a, b) => a - b);
  return sample.reduce((gap, t, k) => {
    const share = randomScalingCoverage(t);
    return max(gap, abs((k + 1) / sample.length - share), abs(k / sample.length - share));
  }, 0);
}

function claimsOf({ label, finite, rows, coverage }: Line, joint: number): readonly ExperimentClaim[] {
  const gap = gapOf(rows);
  const uniform = measuredMean(
    rows.map(({ scaled }) => scaled.reduce((sum, t) => sum + randomScalingCoverage(abs(t)), 0) / scaled.length),
  );
  // P(D > 2.1/√count) = 3e-4 for a sample from its own law.
  const gapBound = 2.1 / sqrt(rows.length) + finite;
  const inside = rows.filter((row) => row.joint <= joint).length / rows.length;
  const tolerance = DEVIATIONS * shareError(0.9, rows.length) + finite;
  return [
    meanClaim(
      {
        what: `the probability that the pivotal law gives to [0, |t|], in the mean over coefficients, ${label}`,
        ...{ expected: 0.5, slack: 0.6 * finite },
      },
      uniform,
    ),
    ...coverageClaims({ label, coverage }, LEVELS, finite),
    {
      asked: `|t| of the intercept has the pivotal law, ${label}: largest distance of the distribution functions at most ${gapBound.toFixed(3)}`,
      measured: gap.toFixed(3),
      met: gap <= gapBound,
    },
    {
      asked: `the joint statistic of two coefficients is below its 90 % point with probability .9, ${label}: ± ${tolerance.toFixed(3)}`,
      measured: inside.toFixed(3),
      met: abs(inside - 0.9) <= tolerance,
    },
  ];
}

function report(results: readonly CellResult<IntervalSetting, IntervalChunk>[]): ExperimentReport {
  const joint = jointScalingCriticalValue(jointScalingLaw(2, DRAWS, seededRandom('joint law')), 0.9);
  const lines = results.map(({ cell, chunks }): Line => {
    const rows = chunks.flat();
    return { label: cell.label, finite: finiteOf(cell.setting.players), rows, coverage: coverageOf(rows) };
  });
  return {
    claims: lines.flatMap((line) => claimsOf(line, joint)),
    ...coverageParts(lines, LEVELS, {
      table: `Coverage of random scaling intervals, ${lines[0].rows.length} streams of n = ${results[0].cell.setting.players.toLocaleString('en-US')}`,
      name: 'figure-3',
      title: 'Figure 3, random scaling: coverage against level, p = 5',
      curve: 'random scaling, ',
      coefficients: FEATURES + 1,
    }),
  };
}

/** Corollaries 3 and 4 and Figure 3 of the inference paper. */
export const randomScaling: TheoremValidation<IntervalSetting, IntervalChunk> = {
  name: 'online-random-scaling',
  paper: 'online-inference',
  theorems: ['Corollary 3', '(2.5)', 'Corollary 4', 'Figure 3'],
  title: 'Random scaling: the pivotal law, and coverage at every level',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent, Corollaries 3, 4, Figure 3',
  summary:
    'Linear Huber regression on p = 5 standard normal features and an intercept, noise of deviation 0.5, μ = 1 and 2, α = 0.51, as in ' +
    'Figure 3; γ = 0.5 and the start at the truth are chosen here, and n is smaller than the printed 200,000 but for the last cells ' +
    'of the full scale. Of Figure 3 the intervals by random scaling are measured, not those by plug-in beside them.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [10_000, 200_000] : [10_000]).flatMap((players) =>
      BUDGETS.map((mu) => ({
        key: `mu-${mu}-players-${players}`,
        label: `μ = ${mu}, n = ${players.toLocaleString('en-US')}`,
        setting: {
          request: {
            variant: 'gdp',
            mu,
            model: { kind: 'huber', features: FEATURES },
            rate: 0.5,
            decay: 0.51,
            start: new Array<number>(FEATURES + 1).fill(1),
            inference: [],
          },
          players,
          size: players > 10_000 ? 10 : 125,
        },
        chunks: scale === 'full' ? 20 : 2,
      })),
    ),
  smallRun: intervalSmallRun,
  chunk: intervalChunk,
  report,
};
