import { digits, type ExperimentClaim, plusMinus, type RatePoint, type Slope, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../experiment/experiment.ts';
import { measuredCurve } from '../experiment/figure.ts';
import { column, jackknifeSlope, rootPoints } from '../experiment/statistics.ts';
import { logFigure } from '../shared/log-figure.ts';
import { minimaxErrorRate } from './rates.ts';

const { log, min, sqrt } = Math;

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
function pairedSlope(xs: readonly number[], results: readonly Result[]): Slope {
  // A chunk of one cell has more replications than one of another: those of the same number have the same coins.
  const size = min(...results.map(({ cell }) => cell.setting.size));
  const chosen = results.map(({ cell, chunks }) => {
    const byNumber = new Map(
      chunks.flatMap((chunk, p) => chunk.privacy.map((value, i) => [p * cell.setting.size + i, value] as const)),
    );
    return Array.from({ length: chunks.length * size }, (_, number) => byNumber.get(number) ?? Number.NaN);
  });
  const rows = chosen[0].map((_, r) => chosen.map((values) => values[r]));
  const { slope, error } = jackknifeSlope(xs, rows, 0);
  return { slope: slope / 2, error: error / 2 };
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
      pairedSlope(column(inRecords, 'records'), column(inRecords, 'result')),
    ),
    slopeClaim(
      { what: 'slope in ε of the part for privacy', expected: -1, slack: SLACK, largestTolerance: LARGEST_TOLERANCE },
      pairedSlope(column(inMu, 'epsilon'), column(inMu, 'result')),
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
