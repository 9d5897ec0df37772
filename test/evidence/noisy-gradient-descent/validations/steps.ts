import { seededRandom } from 'ldpkit';
import { descend, descent } from 'ldpkit/protocols/noisy-gradient-descent';
import { digits, type Measured, meanClaim, measuredMean, plusMinus } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { type CurveFigure, claimedCurve, dashedCurve, linearFigure, meanCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';
import { minimise } from '../../noisy-fit/minimiser.ts';
import { drawRegression, REGRESSION_MODEL } from '../../noisy-fit/population.ts';
import { contraction } from '../../noisy-fit/rates.ts';

const { abs, ceil, log, log1p, max, min, sqrt } = Math;

/** Replications of one n and one μ. */
export type StepsSetting = { readonly mu: number; readonly records: number; readonly size: number };

/** ‖θ⁽ᵏ⁾ − θ̂‖ by replication and step, from θ⁽⁰⁾ = 0. */
export type StepsChunk = { readonly distances: readonly (readonly number[])[] };

type Result = CellResult<StepsSetting, StepsChunk>;

const SIZES = [500, 1000, 2000, 4000];

const SIZE = 5;

/** As good as without noise. */
const SILENT = 1e12;

const NOISY = { records: 1000, mu: 1 };

const DIMENSION = 4;

/** C by NumPy: descent on the mean loss of 10⁶ records needs 15.86, 18.21, 20.69, 23.27 steps at n = 500 to 4000. */
const GROWTH = 3.56;

const request = ({ mu, records }: StepsSetting) => ({ mu, records, model: REGRESSION_MODEL, regions: false });

function chunk(setting: StepsSetting, index: number, seed: string): StepsChunk {
  const plan = descent(request(setting));
  // The records of a smaller n are among those of a larger one.
  const random = seededRandom(`${seed}/noisy descent steps`);
  const distances = replicationsOf(index, setting.size).map((replication) => {
    random.seek(replication);
    const records = drawRegression(setting.records, random);
    const { theta } = minimise(plan.model, records, [1, 1, 1, 1]);
    return descend(plan, records, random).iterates.map((iterate) =>
      sqrt(iterate.reduce((sum, entry, j) => sum + (entry - theta[j]) ** 2, 0)),
    );
  });
  return { distances };
}

/** What is left of the start after so many steps, over 1/√n: one number a replication. */
const left = ({ cell, chunks }: Result, steps: number): readonly number[] =>
  chunks.flatMap(({ distances }) => distances.map((row) => (row[steps] / row[0]) * sqrt(cell.setting.records)));

function report(results: readonly Result[]): ExperimentReport {
  const silent = results.filter(({ cell }) => cell.setting.mu === SILENT);
  const rows = silent.map((result) => {
    const { records } = result.cell.setting;
    const { step, strongConvexity, steps } = descent(request(result.cell.setting));
    const needed = result.chunks.flatMap(({ distances }) => distances.map((row) => neededSteps(row, records)));
    return {
      records,
      steps,
      strongConvexity,
      rule: ceil((0.5 * log(records)) / -log1p(-step * strongConvexity)),
      largest: max(...left(result, steps)),
      // A third of the steps: fewer than C·log n for every τ₁ that could be believed in.
      third: min(...left(result, Math.floor(steps / 3))),
      needed: measuredMean(needed),
      all: needed,
    };
  });
  const [first] = rows;
  const sizes = rows.map(({ records }) => records);
  const line = growthLine(sizes, column(rows, 'all'));
  const noisy = noisyLine(results.filter(({ cell }) => cell.setting.mu !== SILENT)[0]);
  const proved = 0.5 / -log(contraction(descent(request(silent[0].cell.setting))));
  const looseness = noisy.bound.map((bound, k) => noisy.squared[k].mean / bound);
  const loosest = max(...looseness.slice(1));
  return {
    claims: [
      {
        asked:
          'after K = C·log n steps, C = ½/(−log(1 − ητ₁)), at most 1/√n of the start is left, in every replication',
        measured: `at most ${rows.map(({ largest, records }) => `${digits(largest, 2)}/√n at n = ${records}`).join(', ')}`,
        met: rows.every(({ largest }) => largest <= 1),
      },
      {
        asked: 'control: a third of those steps leaves more than 1/√n, in every replication',
        measured: `at least ${digits(min(...rows.map(({ third }) => third)))}/√n`,
        met: rows.every(({ third }) => third > 1),
      },
      meanClaim(
        {
          what: 'steps that are needed grow like C·log n: slope C in log n',
          expected: GROWTH,
          slack: 0.1,
          largestTolerance: 0.8,
        },
        line.slope,
      ),
      {
        // Needed steps of all n are from records in common, so that their means go together.
        asked: 'and along a straight line: means over replications are at most half a step from it',
        measured: `at most ${digits(line.bend, 2)}`,
        met: line.bend <= 0.5,
      },
      {
        asked: `and C is at most what is proved, ½/(−log(1 − ητ₁)) = ${digits(proved)}`,
        measured: `${digits(line.slope.mean)}, so that the rule asks for ${digits(proved / line.slope.mean)} times as many more steps`,
        met: line.slope.mean <= proved,
      },
      {
        asked: `with μ = ${NOISY.mu}: E‖θ⁽ᵏ⁾ − θ̂‖² is at most (1 − ητ₁)²ᵏ·‖θ⁽⁰⁾ − θ̂‖² + p·η²σ²/(1 − (1 − ητ₁)²) after every step`,
        measured: `at most ${digits(loosest)} times that`,
        met: looseness.slice(1).every((ratio) => ratio <= 1),
      },
    ],
    tables: [
      {
        title: 'Steps of gradient descent until 1/√n of the start is left',
        columns: ['n', 'K by the rule', 'needed, mean', 'left after K, over 1/√n', 'after K/3'],
        rows: rows.map(({ records, rule, needed, largest, third }) => [
          String(records),
          String(rule),
          plusMinus(needed.mean, needed.error),
          `at most ${digits(largest)}`,
          `at least ${digits(third)}`,
        ]),
        notes: [`τ₁ = ${first.strongConvexity} and η = 1, as by default; what is left is measured without noise.`],
      },
    ],
    figures: [
      linearFigure({
        name: 'gradient-descent-steps',
        title: 'Steps until 1/√n of the start is left',
        x: 'records n',
        y: 'steps K',
        logarithmic: 'x',
        curves: [
          meanCurve('needed, measured', 0, sizes, column(rows, 'needed')),
          claimedCurve(`fit: growth by ${digits(line.slope.mean)}·log n`, 2, sizes, line.at),
          {
            name: 'claimed to be enough: C·log n',
            style: 1,
            dashed: true,
            points: rows.map(({ records, rule }) => ({ x: records, y: rule })),
          },
        ],
      }),
      noisy.figure,
    ],
    data: rows.map(({ all, ...row }) => ({ ...row, runs: all.length })),
  };
}

/** The trajectories with noise: mean squared distances by step beside their bound. */
function noisyLine({ cell, chunks }: Result) {
  const plan = descent(request(cell.setting));
  const rows = chunks.flatMap(({ distances }) => distances);
  const squared = rows[0].map((_, k) => measuredMean(rows.map((row) => row[k] ** 2)));
  const shrink = contraction(plan) ** 2;
  const floor = (DIMENSION * (plan.step * plan.noise) ** 2) / (1 - shrink);
  const bound = squared.map((_, k) => shrink ** k * squared[0].mean + floor);
  const steps = squared.map((_, k) => k);
  const figure: CurveFigure = linearFigure({
    name: 'gradient-descent-distances',
    title: `Trajectories, n = ${cell.setting.records}, μ = ${cell.setting.mu}`,
    x: 'step k',
    y: 'E‖θ⁽ᵏ⁾ − θ̂‖²',
    logarithmic: 'y',
    curves: [meanCurve('measured', 0, steps, squared), dashedCurve('claimed bound', 1, steps, bound)],
  });
  return { squared, bound, figure };
}

/** The condition on K. */
export const steps: TheoremValidation<StepsSetting, StepsChunk> = {
  paper: 'slides',
  theorems: ['Theorem, noisy gradient descent, condition on K', 'Gradient Estimate Trajectories'],
  name: 'noisy-gradient-descent-steps',
  title: 'Steps that noisy gradient descent needs',
  source: 'Slides of Avella-Medina (2023), theorem on noisy gradient descent, K ≥ C·log n; trajectories',
  summary:
    'Huber regression with σ = 2 known, four coefficients 1, θ⁽⁰⁾ = 0, η = 1/B̄ and τ₁ a tenth of B̄, which the curvature along the way ' +
    'exceeds. Distances to the minimiser on the same records, without noise and at μ = 1.',
  version: 2,
  cells: (scale) =>
    [...SIZES.map((records) => ({ records, mu: SILENT })), NOISY].map(({ records, mu }) => ({
      key: mu === SILENT ? `n-${records}` : 'noisy',
      label: mu === SILENT ? `n = ${records}, without noise` : `n = ${records}, μ = ${mu}`,
      setting: { mu, records, size: SIZE },
      chunks: scale === 'full' ? 100 : mu === SILENT ? 14 : 4,
    })),
  smallRun: (setting) => ({ ...setting, records: 300, size: 1 }),
  chunk,
  report,
};

/** C with its standard error over replications, the line at n, and how far means are from it. */
interface GrowthLine {
  readonly slope: Measured;
  readonly at: (records: number) => number;
  readonly bend: number;
}

/** Steps until 1/√n of the start is left, by geometric interpolation between two of them; one more than there are if it never is. */
function neededSteps(row: readonly number[], records: number): number {
  const target = row[0] / sqrt(records);
  const after = row.findIndex((distance) => distance <= target);
  if (after < 0) return row.length;
  return after - 1 + log(row[after - 1] / target) / log(row[after - 1] / row[after]);
}

/** The least-squares line of needed steps in log n, replication by replication; and how far their means are from it. */
function growthLine(sizes: readonly number[], needed: readonly (readonly number[])[]): GrowthLine {
  const x = sizes.map((n) => log(n));
  const centre = x.reduce((sum, at) => sum + at, 0) / x.length;
  const spread = x.reduce((sum, at) => sum + (at - centre) ** 2, 0);
  const slopes = needed[0].map((_, r) => x.reduce((sum, at, i) => sum + (at - centre) * needed[i][r], 0) / spread);
  const means = needed.map((values) => measuredMean(values).mean);
  const level = means.reduce((sum, mean) => sum + mean, 0) / means.length;
  const slope = measuredMean(slopes);
  const at = (n: number): number => level + slope.mean * (log(n) - centre);
  return { slope, at, bend: max(...sizes.map((n, i) => abs(means[i] - at(n)))) };
}
