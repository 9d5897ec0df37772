import { seededRandom } from 'ldpkit';
import { sandwich as sandwichOf, unpackSymmetric } from 'ldpkit/inference';
import { boundedModel, scoreMoment } from 'ldpkit/protocols/noisy-gradient-descent';
import {
  digits,
  type Measured,
  meanClaim,
  measuredMean,
  plusMinus,
  powerLaw,
  rateFit,
  slopeClaim,
  toleranceOf,
} from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { claimedCurve, linearFigure, logFigure, meanCurve, measuredCurve } from '../../experiment/figure.ts';
import { column, rootPoints } from '../../experiment/statistics.ts';
import { minimise } from '../../noisy-fit/minimiser.ts';
import { drawRegression, REGRESSION_MODEL } from '../../noisy-fit/population.ts';

const { abs, sqrt } = Math;

/** Replications of one number of records. */
export type SandwichSetting = { readonly records: number; readonly size: number };

/** A number for every replication. */
export type SandwichChunk = {
  /** ‖θ̂ − θ₀‖², and the trace of M⁻¹QM⁻¹/n. */
  readonly squared: readonly number[];
  readonly trace: readonly number[];
  /** The share of the coefficients that their 95 % intervals held: by the sandwich, and by half of it. */
  readonly covered: readonly number[];
  readonly half: readonly number[];
};

type Result = CellResult<SandwichSetting, SandwichChunk>;

const DIMENSION = 4;
const TRUTH = [1, 1, 1, 1];
const NORMAL_95 = 1.959963984540054;
const LEVEL = 0.95;
/** n, and chunks at the quick scale. */
const SIZES: readonly (readonly [number, number])[] = [
  [250, 8],
  [500, 6],
  [1000, 4],
  [2000, 3],
];
const SIZE = 50;
/** Of order p/n: with 250 records residuals are a little smaller at θ̂ than at θ₀. */
const SLACK = 3;

function chunk({ records: count, size }: SandwichSetting, index: number, seed: string): SandwichChunk {
  const model = boundedModel(REGRESSION_MODEL);
  const random = seededRandom(`${seed}/noisy sandwich/${count}`);
  const found = { squared: [] as number[], trace: [] as number[], covered: [] as number[], half: [] as number[] };
  for (const replication of replicationsOf(index, size)) {
    random.seek(replication);
    const records = drawRegression(count, random);
    const { theta, hessian, curvatures } = minimise(model, records, TRUTH);
    const gradient = unpackSymmetric(scoreMoment(model, records, theta), DIMENSION);
    const { covariance } = sandwichOf({ dimension: DIMENSION, hessian, gradient, hessianFloor: curvatures[0] });
    const share = (variances: Float64Array): number =>
      TRUTH.filter((at, j) => abs(theta[j] - at) <= NORMAL_95 * sqrt(variances[j * (DIMENSION + 1)] / count)).length /
      DIMENSION;
    found.squared.push(TRUTH.reduce((sum, at, j) => sum + (theta[j] - at) ** 2, 0));
    found.trace.push(TRUTH.reduce((sum, _, j) => sum + covariance[j * (DIMENSION + 1)], 0) / count);
    found.covered.push(share(covariance));
    found.half.push(share(covariance.map((entry) => entry / 2)));
  }
  return found;
}

function report(results: readonly Result[]): ExperimentReport {
  const all = ({ chunks }: Result, field: keyof SandwichChunk): readonly number[] =>
    chunks.flatMap((chunk) => chunk[field]);
  const sizes = results.map(({ cell }) => cell.setting.records);
  const points = rootPoints(
    sizes,
    results.map((result) => all(result, 'squared')),
  );
  const fit = rateFit(points);
  const rows = results.map((result, i) => {
    const trace = measuredMean(all(result, 'trace'));
    const squared = measuredMean(all(result, 'squared'));
    return {
      records: sizes[i],
      count: all(result, 'squared').length,
      covered: measuredMean(all(result, 'covered')),
      half: measuredMean(all(result, 'half')),
      trace: trace.mean,
      ratio: { mean: squared.mean / trace.mean, error: squared.error / trace.mean },
    };
  });
  const near = (what: string, expected: number, of: (row: (typeof rows)[number]) => Measured) =>
    rows.map((row) =>
      meanClaim({ what: `n = ${row.records}: ${what}`, expected, slack: SLACK / row.records }, of(row)),
    );
  return {
    claims: [
      ...near('coverage of 95 % intervals by M⁻¹QM⁻¹/n', LEVEL, ({ covered }) => covered),
      ...near('E‖θ̂ − θ₀‖² over the trace of M⁻¹QM⁻¹/n', 1, ({ ratio }) => ratio),
      slopeClaim({ what: 'slope of √E‖θ̂ − θ₀‖² in n', expected: -0.5, slack: 0.02 }, fit),
      {
        asked: 'control: half of that variance is distinguished at every n',
        measured: rows.map(({ half, records }) => `${half.mean.toFixed(3)} at n = ${records}`).join(', '),
        met: rows.every(({ half, records }) => abs(half.mean - LEVEL) > toleranceOf(half.error, SLACK / records)),
      },
    ],
    tables: [
      {
        title: 'The minimiser without privacy, and its sandwich',
        columns: ['n', 'coverage', 'by half of it', '√E‖θ̂ − θ₀‖²', 'of the sandwich', 'ratio of squares', 'runs'],
        rows: rows.map(({ records, covered, half, trace, ratio, count }, i) => [
          String(records),
          plusMinus(covered.mean, covered.error),
          plusMinus(half.mean, half.error),
          plusMinus(points[i].y, points[i].y * points[i].relative),
          digits(sqrt(trace)),
          plusMinus(ratio.mean, ratio.error),
          String(count),
        ]),
        notes: [],
      },
    ],
    figures: [
      logFigure({
        name: 'm-estimation-sandwich-error',
        title: 'Error of the minimiser without privacy',
        x: 'records n',
        y: '√E‖θ̂ − θ₀‖²',
        curves: [
          measuredCurve('measured', 0, points),
          {
            name: 'claimed: √ of the trace of M⁻¹QM⁻¹/n',
            style: 1,
            dashed: true,
            points: rows.map(({ records, trace }) => ({ x: records, y: sqrt(trace) })),
          },
          claimedCurve('claimed slope −½', 2, sizes, powerLaw(fit, -0.5)),
        ],
      }),
      linearFigure({
        name: 'm-estimation-sandwich-coverage',
        title: 'Coverage of 95 % intervals without privacy',
        x: 'records n',
        y: 'coverage',
        logarithmic: 'x',
        curves: [
          meanCurve('sandwich', 0, sizes, column(rows, 'covered')),
          meanCurve('half of the variance', 1, sizes, column(rows, 'half')),
          claimedCurve('claimed', 2, sizes, () => LEVEL),
        ],
      }),
    ],
    data: rows,
  };
}

/** Asymptotic normality of M-estimators. */
export const sandwich: TheoremValidation<SandwichSetting, SandwichChunk> = {
  paper: 'slides',
  theorems: ['M-estimators: properties, asymptotic normality'],
  name: 'm-estimation-normality',
  title: 'The sandwich of an M-estimator',
  source: 'Slides of Avella-Medina (2023), properties of M-estimators, V = M⁻¹QM⁻¹',
  summary:
    'Huber regression with σ = 2 known and Mallows weights, four coefficients 1; minimisers and sandwiches without privacy. As a control ' +
    'intervals by half of that variance.',
  version: 1,
  cells: (scale) =>
    SIZES.map(([records, chunks]) => ({
      key: `n-${records}`,
      label: `n = ${records}`,
      setting: { records, size: SIZE },
      chunks: scale === 'full' ? 100 : chunks,
    })),
  smallRun: (setting) => ({ ...setting, records: 100, size: 1 }),
  chunk,
  report,
};
