import { seededRandom } from 'ldpkit';
import { ellipsoidDistance } from 'ldpkit/inference';
import { fitEllipsoid, fitIntervals } from 'ldpkit/protocols/noisy-gradient-descent';
import {
  type ExperimentClaim,
  type Measured,
  meanClaim,
  measuredMean,
  plusMinus,
  powerLaw,
  rateFit,
  slopeClaim,
} from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  type TheoremValidation,
} from '../experiment/experiment.ts';
import {
  type CurveFigure,
  claimedCurve,
  linearFigure,
  logFigure,
  measuredCurve,
  measuredPoints,
} from '../experiment/figure.ts';
import { column, pooledMeans } from '../experiment/statistics.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { minimise } from './minimiser.ts';
import { drawRegression, REGRESSION_MODEL, SMALL_RUN, squaredDistance } from './population.ts';

const { abs, hypot, sqrt } = Math;

const DIMENSION = 4;
const TRUTH = [1, 1, 1, 1];
const NORMAL_95 = 1.959963984540054;
const SIZE = 20;
/** n, and chunks at the quick scale. */
const SIZES: readonly (readonly [number, number])[] = [
  [500, 26],
  [1000, 12],
  [2000, 6],
  [4000, 4],
];
const FULL_PARTS = 100;

/** Part 3 of the theorem of an algorithm: normal around θ₀ with the sandwich. */
export function normalityValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
): TheoremValidation<NormalitySetting, NormalityChunk> {
  const { name, key } = algorithm;
  return {
    paper: 'slides',
    theorems: [`Theorem, ${name}, part 3`],
    name: `${key}-normality`,
    title: `Asymptotic normality of ${name}`,
    source: `Slides of Avella-Medina (2023), theorem on ${name}, part 3; Avella-Medina, Bradshaw, Loh (2023), simulations`,
    summary:
      'Huber regression with σ = 2 known, four coefficients 1, an intercept among them, μ = 1 for iterates and sandwich together, K from ' +
      'its rule, θ⁽⁰⁾ = 0. Private 95 % intervals are counted with the covariance of the injected noise, and with the sandwich alone; the noise of the steps is ' +
      'measured as the distance to the minimiser on the same records.',
    version: 2,
    cells: (scale) =>
      SIZES.map(([records, chunks]) => ({
        key: `n-${records}`,
        label: `n = ${records}`,
        setting: { mu: 1, records, size: SIZE },
        chunks: scale === 'full' ? FULL_PARTS : chunks,
      })),
    smallRun: (setting) => ({ ...setting, records: SMALL_RUN, size: 1 }),
    chunk: (setting, chunk, seed) => normalityChunk(algorithm, setting, chunk, seed),
    report: (results) => normalityReport(algorithm, results),
  };
}

function normalityChunk<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  { mu, records, size }: NormalitySetting,
  chunk: number,
  seed: string,
): NormalityChunk {
  const plan = algorithm.plan({ mu, records, model: REGRESSION_MODEL });
  const random = seededRandom(`${seed}/noisy normality/${records}`);
  const covered: number[] = [];
  const uncorrected: number[] = [];
  const joint: number[] = [];
  const standardised: number[] = [];
  const noise: number[] = [];
  const clean: number[] = [];
  const injected: number[] = [];
  const trace = (matrix: Float64Array): number => TRUTH.reduce((sum, _, j) => sum + matrix[j * (DIMENSION + 1)], 0);
  for (const replication of replicationsOf(chunk, size)) {
    random.seek(replication);
    const drawn = drawRegression(records, random);
    const fit = algorithm.fit(plan, drawn, random);
    if (fit.region === undefined) throw new RangeError('"plan" expected one with regions');
    const { region, theta } = fit;
    const share = (of: (j: number) => boolean): number => TRUTH.filter((_, j) => of(j)).length / DIMENSION;
    const intervals = fitIntervals(fit, { level: 0.95 });
    covered.push(share((j) => intervals[j].low <= TRUTH[j] && TRUTH[j] <= intervals[j].high));
    uncorrected.push(share((j) => abs(theta[j] - TRUTH[j]) <= NORMAL_95 * sqrt(region.sampling[j * (DIMENSION + 1)])));
    joint.push(ellipsoidDistance(fitEllipsoid(fit, { level: 0.95 }), TRUTH) <= 1 ? 1 : 0);
    standardised.push(
      TRUTH.reduce((sum, at, j) => sum + (theta[j] - at) ** 2 / region.covariance[j * (DIMENSION + 1)], 0) / DIMENSION,
    );
    const minimiser = minimise(plan.model, drawn, TRUTH).theta;
    noise.push(theta.reduce((sum, entry, j) => sum + (entry - minimiser[j]) ** 2, 0));
    clean.push(squaredDistance(minimiser));
    injected.push(trace(region.injected));
  }
  return { covered, uncorrected, joint, standardised, noise, clean, injected, steps: plan.steps };
}

/** Replications of one number of records. */
export type NormalitySetting = { readonly mu: number; readonly records: number; readonly size: number };

/** What came of them, a number for every replication. */
export type NormalityChunk = {
  /** The share of the coefficients that their 95 % intervals held; and with the sandwich alone. */
  readonly covered: readonly number[];
  readonly uncorrected: readonly number[];
  /** 1 where the 95 % ellipsoid held all coefficients, else 0. */
  readonly joint: readonly number[];
  /** Mean over coefficients of (θ⁽ᴷ⁾ − θ₀)² over its variance as released. */
  readonly standardised: readonly number[];
  /** ‖θ⁽ᴷ⁾ − θ̂‖² and ‖θ̂ − θ₀‖². */
  readonly noise: readonly number[];
  readonly clean: readonly number[];
  /** Trace of the covariance by the noise of steps, as released. */
  readonly injected: readonly number[];
  readonly steps: number;
};

const LEVEL = 0.95;
/** What small n may do to coverage, ellipsoids and squared errors, besides chance. */
const SLACK = { covered: 0.008, joint: 0.01, standardised: 0.05, noise: 0.05, slope: 0.05 } as const;
const LARGEST_TOLERANCE = { covered: 0.03, joint: 0.049, standardised: 0.22, noise: 0.24, slope: 0.49 } as const;
/** How far the sandwich alone falls short at the least n, at least. */
const SHORT = 0.05;

type Field = Exclude<keyof NormalityChunk, 'steps'>;

/** What was measured at one n. Spreads are pooled over all n, so that none looks certain by chance. */
interface Row {
  readonly records: number;
  readonly steps: number;
  readonly count: number;
  readonly covered: Measured;
  readonly uncorrected: Measured;
  readonly joint: Measured;
  readonly standardised: Measured;
  /** E‖θ⁽ᴷ⁾ − θ̂‖² over E‖θ̂ − θ₀‖²: variance by noise over variance by sampling, as they are. */
  readonly ratio: Measured;
  /** E‖θ⁽ᴷ⁾ − θ̂‖² over the trace of the covariance by noise, as released. */
  readonly noise: Measured;
}

function rowsOf(results: readonly CellResult<NormalitySetting, NormalityChunk>[]): readonly Row[] {
  const values = (field: Field): readonly (readonly number[])[] =>
    results.map(({ chunks }) => chunks.flatMap((chunk) => chunk[field]));
  const [covered, uncorrected, joint, standardised] = (
    ['covered', 'uncorrected', 'joint', 'standardised'] as const
  ).map((field) => pooledMeans(values(field)));
  const [noise, clean, injected] = (['noise', 'clean', 'injected'] as const).map((field) =>
    values(field).map(measuredMean),
  );
  // Squares vary alike at every n, relative to their mean.
  const spread = pooledMeans(values('noise').map((all, i) => all.map((value) => value / noise[i].mean)));
  const others = pooledMeans(values('clean').map((all, i) => all.map((value) => value / clean[i].mean)));
  return results.map(({ cell, chunks }, i) => {
    const mean = noise[i].mean / clean[i].mean;
    const relative = hypot(spread[i].error, others[i].error);
    const asReleased = noise[i].mean / injected[i].mean;
    return {
      records: cell.setting.records,
      steps: chunks[0].steps,
      count: chunks.reduce((sum, chunk) => sum + chunk.covered.length, 0),
      covered: covered[i],
      uncorrected: uncorrected[i],
      joint: joint[i],
      standardised: standardised[i],
      ratio: { mean, error: mean * relative },
      noise: { mean: asReleased, error: asReleased * spread[i].error },
    };
  });
}

/**
 * Claims, tables and figures of the intervals of `name`. Of 960 replications and more shares of four coefficients
 * have a nearly normal mean: a false alarm has a probability below 1e-3.
 */
export function normalityReport(
  { name, key }: { readonly name: string; readonly key: string },
  results: readonly CellResult<NormalitySetting, NormalityChunk>[],
): ExperimentReport {
  const rows = rowsOf(results);
  const all = (
    what: string,
    expected: number,
    field: 'covered' | 'joint' | 'standardised' | 'noise',
  ): ExperimentClaim =>
    meanClaim(
      { what: `${what}, all n together`, expected, slack: SLACK[field], largestTolerance: LARGEST_TOLERANCE[field] },
      pooled(rows, field),
    );
  const ratios = rows.map(({ records, steps, ratio }) => ({
    x: records / steps,
    y: ratio.mean,
    relative: ratio.error / ratio.mean,
  }));
  const fit = rateFit(ratios);
  return {
    claims: [
      all('coverage of private 95 % intervals', LEVEL, 'covered'),
      all('coverage of the private 95 % ellipsoid', LEVEL, 'joint'),
      all('mean squared error over its variance', 1, 'standardised'),
      all('E‖θ⁽ᴷ⁾ − θ̂‖² over the variance by noise', 1, 'noise'),
      slopeClaim(
        {
          what: 'slope of E‖θ⁽ᴷ⁾ − θ̂‖² over E‖θ̂ − θ₀‖² in n/K',
          expected: -1,
          slack: SLACK.slope,
          largestTolerance: LARGEST_TOLERANCE.slope,
        },
        fit,
      ),
      printedClaim(rows),
    ],
    tables: [
      {
        title: `Private 95 % regions of ${name}, μ = 1`,
        columns: [
          'n',
          'K',
          'coverage',
          'sandwich alone',
          'ellipsoid',
          'squared error/variance',
          'noise/sampling',
          'noise/as released',
          'runs',
        ],
        rows: rows.map(({ records, steps, covered, uncorrected, joint, standardised, ratio, noise, count }) => [
          String(records),
          String(steps),
          ...[covered, uncorrected, joint, standardised, ratio, noise].map(({ mean, error }) => plusMinus(mean, error)),
          String(count),
        ]),
        notes: [
          'Sandwich alone: as printed, in the limit of large n, where the noise of the steps has no part in the variance.',
        ],
      },
    ],
    figures: [
      coverageFigure(name, key, rows),
      logFigure({
        name: `${key}-noise-share`,
        title: `Variance by noise over variance by sampling, ${name}`,
        x: 'n/K',
        y: 'E‖θ⁽ᴷ⁾ − θ̂‖² over E‖θ̂ − θ₀‖²',
        curves: [
          measuredCurve('measured', 0, ratios),
          claimedCurve(
            'claimed: slope −1, so that only the sandwich remains',
            1,
            column(ratios, 'x'),
            powerLaw(fit, -1),
          ),
        ],
      }),
    ],
    data: rows,
  };
}

/** A mean over the replications of all n. */
function pooled(rows: readonly Row[], field: 'covered' | 'joint' | 'standardised' | 'noise'): Measured {
  const whole = rows.reduce((sum, { count }) => sum + count, 0);
  return {
    mean: rows.reduce((sum, row) => sum + (row.count / whole) * row[field].mean, 0),
    error: hypot(...rows.map((row) => (row.count / whole) * row[field].error)),
  };
}

/** The sandwich alone says too little at the least n, and is less wrong at the largest. */
function printedClaim(rows: readonly Row[]): ExperimentClaim {
  const [least, largest] = [rows[0], rows[rows.length - 1]];
  const short = LEVEL - least.uncorrected.mean;
  const still = LEVEL - largest.uncorrected.mean;
  return {
    asked:
      `the printed limit, the sandwich alone, is for large n: its intervals fall short by at least ${SHORT} at n = ${least.records}, ` +
      `and by less at n = ${largest.records}`,
    measured: `short by ${plusMinus(short, least.uncorrected.error)} and ${plusMinus(still, largest.uncorrected.error)}`,
    met: short >= SHORT && still < short,
  };
}

function coverageFigure(name: string, key: string, rows: readonly Row[]): CurveFigure {
  const records = rows.map((row) => row.records);
  const line = (of: (row: Row) => Measured) => measuredPoints(records, rows.map(of));
  return linearFigure({
    name: `${key}-normality`,
    title: `Coverage of private 95 % intervals of ${name}, μ = 1`,
    x: 'records n',
    y: 'coverage',
    logarithmic: 'x',
    curves: [
      { name: 'measured', style: 0, dashed: false, points: line(({ covered }) => covered) },
      { name: 'measured, sandwich alone', style: 1, dashed: false, points: line(({ uncorrected }) => uncorrected) },
      claimedCurve('claimed', 2, records, () => LEVEL),
    ],
  });
}
