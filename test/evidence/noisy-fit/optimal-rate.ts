import { seededRandom } from 'ldpkit';
import { gdpEpsilon } from 'ldpkit/privacy';
import { digits, type ExperimentClaim, plusMinus, type RatePoint, type Slope, slopeClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  type TheoremValidation,
} from '../experiment/experiment.ts';
import { logFigure, measuredCurve } from '../experiment/figure.ts';
import { column, rootPoints } from '../experiment/statistics.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { minimise } from './minimiser.ts';
import { drawRegression, REGRESSION_MODEL, SMALL_RUN, squaredDistance } from './population.ts';
import { pairedSlope } from './privacy-error-report.ts';
import { minimaxErrorRate } from './rates.ts';

const { log, min, sqrt } = Math;

const FULL_PARTS = 10;
/** Replications of a chunk of the cell where privacy dominates, and of the others, which share their coins. */
const DOMINATED = 50;
const SHARED = 16;

/** The remark on optimal rates: errors beside the lower bound of Cai, Wang and Zhang. */
export function optimalRateValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  design: OptimalRateDesign,
): TheoremValidation<OptimalRateSetting, OptimalRateChunk> {
  const { name, key } = algorithm;
  const { records: sizes, mus } = design;
  const cells = [
    ...sizes.map((records) => ({ mu: mus[0], records, size: records === sizes[0] ? DOMINATED : SHARED })),
    ...mus.slice(1).map((mu) => ({ mu, records: sizes[0], size: SHARED })),
  ];
  const largest = Math.max(...sizes);
  return {
    paper: 'slides',
    theorems: ['Remark, optimal rates of convergence'],
    name: `${key}-optimal-rate`,
    title: `Error of ${name} beside the lower-bound curve`,
    source: 'Slides of Avella-Medina (2023), remark on optimal rates; Cai, Wang, Zhang (2021), The cost of privacy',
    summary:
      'Huber regression with σ = 2 known, four coefficients 1, all of μ for the steps, θ⁽⁰⁾ = 0. The curve is ' +
      `σ·(√(p/n) + p·√log(1/δ)/(nε)) at δ = ${DELTA} and the ε that μ implies there. The lower bound is quoted, not proved here, and its ` +
      'constant is not stated. The part of the error that is for ' +
      'privacy, the distance to the minimiser on the same records, is measured by itself against that term; K is what its rule says ' +
      'at the largest n, so that the √K that an algorithm has on top of the rate does not change.',
    version: 2,
    cells: (scale) =>
      cells.map((setting) => ({
        key: `mu-${String(setting.mu).replace('.', '-')}-n-${setting.records}`,
        label: `μ = ${setting.mu}, n = ${setting.records}`,
        setting,
        chunks: scale === 'full' ? FULL_PARTS : 1,
      })),
    smallRun: (setting) => ({ ...setting, mu: 1, records: SMALL_RUN, size: 1 }),
    chunk({ mu, records, size }, chunk, seed) {
      const request = { model: REGRESSION_MODEL, regions: false, force: true };
      const { steps } = algorithm.plan({ ...request, mu, records: largest });
      const plan = algorithm.plan({ ...request, mu, records, steps });
      // Cells meet the same coins, and those of one n the same records: their errors differ by the rate and little else.
      const random = seededRandom(`${seed}/noisy optimal rate/${records}`);
      const coins = seededRandom(`${seed}/noisy optimal rate/coins`);
      const squared: number[] = [];
      const privacy: number[] = [];
      for (const replication of replicationsOf(chunk, size)) {
        random.seek(replication);
        coins.seek(replication);
        const drawn = drawRegression(records, random);
        const { theta } = algorithm.fit(plan, drawn, coins);
        const minimiser = minimise(plan.model, drawn, [1, 1, 1, 1]);
        squared.push(squaredDistance(theta));
        privacy.push(theta.reduce((sum, entry, i) => sum + (entry - minimiser.theta[i]) ** 2, 0));
      }
      return { squared, privacy, epsilon: gdpEpsilon(mu, DELTA) };
    },
    report: (results) => optimalRateReport(algorithm, design, results),
  };
}

/** Replications of one n and one μ. */
export type OptimalRateSetting = { readonly mu: number; readonly records: number; readonly size: number };

/** By replication ‖θ⁽ᴷ⁾ − θ₀‖² and ‖θ⁽ᴷ⁾ − θ̂‖², and the ε that μ implies at δ. */
export type OptimalRateChunk = {
  readonly squared: readonly number[];
  readonly privacy: readonly number[];
  readonly epsilon: number;
};

/** Where it is measured, and which multiples of the curve and of its privacy term errors have. */
export interface OptimalRateDesign {
  /** n, the least first. */
  readonly records: readonly number[];
  /** μ, the least first, at which n grows. */
  readonly mus: readonly number[];
  /** Where the privacy part is at the least n and μ, as multiples of its term; and the whole error, of the curve. */
  readonly ranges: { readonly privacy: readonly [number, number]; readonly whole: readonly [number, number] };
}

/** δ at which the curve is drawn. */
export const DELTA = 1e-5;
const DIMENSION = 4;
const DEVIATION = 2;
/** A score that is not linear where noise is large, and ε that is not proportional to μ. */
const SLACK = 0.1;
const LARGEST_TOLERANCE = 0.24;

type Result = CellResult<OptimalRateSetting, OptimalRateChunk>;

/** The lower-bound curve, and its privacy term alone. */
const curve = (records: number, epsilon: number): number =>
  minimaxErrorRate({ deviation: DEVIATION, dimension: DIMENSION, records, epsilon, delta: DELTA });
const privacyTerm = (records: number, epsilon: number): number =>
  (DEVIATION * DIMENSION * sqrt(-log(DELTA))) / (records * epsilon);

const all = ({ chunks }: Result, field: 'squared' | 'privacy'): readonly number[] =>
  chunks.flatMap((chunk) => chunk[field]);

/** Slopes of root mean squares over replications that every cell has, with the same coins. */
function sharedSlope(xs: readonly number[], results: readonly Result[]): Slope {
  // A chunk of one cell has more replications than one of another: those of the same number have the same coins.
  const size = min(...results.map(({ cell }) => cell.setting.size));
  return pairedSlope(
    xs,
    results.map(({ cell, chunks }) => {
      const byNumber = new Map(
        chunks.flatMap((chunk, p) => chunk.privacy.map((value, i) => [p * cell.setting.size + i, value] as const)),
      );
      return Array.from({ length: chunks.length * size }, (_, number) => byNumber.get(number) ?? Number.NaN);
    }),
  );
}

/** Claims, tables and figures. Slopes share their coins; ranges are 4.5 standard errors or more from where errors are. */
export function optimalRateReport(
  { name, key }: { readonly name: string; readonly key: string },
  { mus, records: sizes, ranges }: OptimalRateDesign,
  results: readonly Result[],
): ExperimentReport {
  const rows = results.map((result) => {
    const { mu, records } = result.cell.setting;
    const { epsilon } = result.chunks[0];
    return { result, mu, records, epsilon, term: privacyTerm(records, epsilon), bound: curve(records, epsilon) };
  });
  const inRecords = rows.filter(({ mu }) => mu === mus[0]);
  const inMu = rows.filter(({ records }) => records === sizes[0]);
  const points = (field: 'squared' | 'privacy'): readonly RatePoint[] =>
    rootPoints(
      column(inRecords, 'records'),
      inRecords.map(({ result }) => all(result, field)),
    );
  const root = (result: Result, field: 'squared' | 'privacy') => rootPoints([1], [all(result, field)])[0];
  const [first] = inRecords;
  const [error, apart] = [root(first.result, 'squared'), root(first.result, 'privacy')];
  const within = (what: string, [low, high]: readonly [number, number], { y, relative }: RatePoint, by: number) => ({
    asked: `${what} ${low} to ${high} times`,
    measured: plusMinus(y / by, (y / by) * relative),
    met: y / by >= low && y / by <= high,
  });
  const at = `at n = ${first.records}, μ = ${first.mu}`;
  const claims: ExperimentClaim[] = [
    slopeClaim(
      {
        what: 'slope in n of the part for privacy, ‖θ⁽ᴷ⁾ − θ̂‖',
        expected: -1,
        slack: SLACK,
        largestTolerance: LARGEST_TOLERANCE,
      },
      sharedSlope(column(inRecords, 'records'), column(inRecords, 'result')),
    ),
    slopeClaim(
      { what: 'slope in ε of the part for privacy', expected: -1, slack: SLACK, largestTolerance: LARGEST_TOLERANCE },
      sharedSlope(column(inMu, 'epsilon'), column(inMu, 'result')),
    ),
    within(`the part for privacy ${at} is its term σp√log(1/δ)/(nε)`, ranges.privacy, apart, first.term),
    within(`the whole error ${at} is the curve`, ranges.whole, error, first.bound),
    {
      asked:
        'there the part for privacy is at least half of the mean squared error: without noise it would be below that range',
      measured: `${digits((apart.y / error.y) ** 2)} of it; its term is ${digits(first.term / first.bound)} of the curve`,
      met: (apart.y / error.y) ** 2 >= 0.5,
    },
  ];
  return {
    claims,
    tables: [
      {
        title: `Errors of ${name}`,
        columns: ['μ', 'ε', 'n', '√E‖θ⁽ᴷ⁾ − θ₀‖²', 'over the curve', '√E‖θ⁽ᴷ⁾ − θ̂‖²', 'over the privacy term'],
        rows: rows.map(({ result, mu, records, epsilon, term, bound }) => {
          const [whole, chunk] = [root(result, 'squared'), root(result, 'privacy')];
          return [
            String(mu),
            digits(epsilon),
            String(records),
            plusMinus(whole.y, whole.y * whole.relative),
            digits(whole.y / bound),
            plusMinus(chunk.y, chunk.y * chunk.relative),
            digits(chunk.y / term),
          ];
        }),
        notes: [
          'The constant of the curve is not stated: multiples of it are what they are for this model and this K.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: `${key}-optimal-rate`,
        title: `Error of ${name} beside the lower-bound curve of Cai, Wang and Zhang, μ = ${mus[0]}`,
        x: 'records n',
        y: 'root mean square of the error',
        curves: [
          measuredCurve('to θ₀, measured', 0, points('squared')),
          measuredCurve('to θ̂, measured', 1, points('privacy')),
          {
            name: 'lower bound up to a constant',
            style: 0,
            dashed: true,
            points: inRecords.map(({ records, bound }) => ({ x: records, y: bound })),
          },
          {
            name: 'its privacy term',
            style: 1,
            dashed: true,
            points: inRecords.map(({ records, term }) => ({ x: records, y: term })),
          },
        ],
      }),
    ],
    data: rows.map(({ result, mu, records, epsilon, term, bound }) => ({
      mu,
      records,
      epsilon,
      term,
      curve: bound,
      error: root(result, 'squared').y,
      privacy: root(result, 'privacy').y,
    })),
  };
}
