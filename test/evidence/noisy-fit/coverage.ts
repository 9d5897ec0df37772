import { seededRandom } from 'ldpkit';
import { gdpEpsilon } from 'ldpkit/privacy';
import { fitIntervals } from 'ldpkit/protocols/noisy-gradient-descent';
import type { ExperimentClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type PaperExperiment,
  replicationsOf,
} from '../experiment/experiment.ts';
import { type Figure, logFigure } from '../experiment/figure.ts';
import { drawRegression, type NoisyAlgorithm, SMALL_RUN, squaredDistance } from './population.ts';
import { minimaxErrorRate } from './rates.ts';

const { abs, sqrt } = Math;

/** Replications of one number of records. */
export type NoisyCoverageSetting = { readonly mu: number; readonly records: number; readonly size: number };

/** What came of them, summed over replications. */
export type NoisyCoverageChunk = {
  readonly count: number;
  /** Intervals that held their coefficient, by coefficient; and those without the correction for injected noise. */
  readonly covered: readonly number[];
  readonly uncorrected: readonly number[];
  /** Sums of the lengths of intervals, and of ‖θ⁽ᴷ⁾ − θ₀‖². */
  readonly length: number;
  readonly squared: number;
};

const MU = 1;
const LEVEL = 0.95;
const NORMAL_95 = 1.959963984540054;
const DIMENSION = 4;
const SIZE = 50;
/** δ at which the lower bound is drawn. */
const DELTA = 1e-5;

/** n, and the coverage that the authors' code reaches. */
const SIZES: readonly { readonly records: number; readonly authors: number }[] = [
  { records: 500, authors: 0.923 },
  { records: 1000, authors: 0.925 },
  { records: 2000, authors: 0.939 },
  { records: 4000, authors: 0.943 },
];

/** How far a coverage may be from 95 %. */
const TOLERANCE = 0.02;

/** Coverage of private 95 % intervals of one algorithm, and its error beside the lower-bound curve. */
export function noisyCoverageExperiment(
  algorithm: NoisyAlgorithm,
): PaperExperiment<NoisyCoverageSetting, NoisyCoverageChunk> {
  return {
    name: `${algorithm.key}-coverage`,
    title: `Coverage of private 95 % intervals of ${algorithm.name}`,
    source: 'Avella-Medina, Bradshaw, Loh (2023), simulations of linear regression',
    summary:
      `Huber regression with σ = 2 known, four coefficients 1, μ = ${MU} for iterates and sandwich together. ` +
      algorithm.summary,
    version: 1,
    cells: (scale) =>
      SIZES.map(({ records }) => ({
        key: `n-${records}`,
        label: `n = ${records}`,
        setting: { mu: MU, records, size: SIZE },
        chunks: scale === 'full' ? 40 : 4,
      })),
    smallRun: (setting) => ({ ...setting, records: SMALL_RUN, size: 1 }),
    chunk: (setting, chunk, seed) => coverageChunk(algorithm, setting, chunk, seed),
    report: (results) => report(algorithm, results),
  };
}

function coverageChunk(
  { run }: NoisyAlgorithm,
  { mu, records, size }: NoisyCoverageSetting,
  chunk: number,
  seed: string,
): NoisyCoverageChunk {
  const covered: number[] = new Array(DIMENSION).fill(0);
  const uncorrected: number[] = new Array(DIMENSION).fill(0);
  let length = 0;
  let squared = 0;
  const random = seededRandom(`${seed}/noisy coverage/${records}`);
  for (const replication of replicationsOf(chunk, size)) {
    random.seek(replication);
    const result = run(mu, drawRegression(records, random), random);
    const { sampling = new Float64Array(DIMENSION * DIMENSION) } = result.region ?? {};
    fitIntervals(result, { level: LEVEL }).forEach(({ low, high }, j) => {
      if (low <= 1 && 1 <= high) covered[j]++;
      if (abs(result.theta[j] - 1) <= NORMAL_95 * sqrt(sampling[j * (DIMENSION + 1)])) uncorrected[j]++;
      length += (high - low) / DIMENSION;
    });
    squared += squaredDistance(result.theta);
  }
  return { count: size, covered, uncorrected, length, squared };
}

interface Row {
  readonly records: number;
  readonly authors: number;
  readonly count: number;
  readonly covered: number;
  readonly byCoefficient: readonly number[];
  readonly uncorrected: number;
  readonly length: number;
  readonly error: number;
}

function rowOf({ cell, chunks }: CellResult<NoisyCoverageSetting, NoisyCoverageChunk>, index: number): Row {
  const count = chunks.reduce((sum, chunk) => sum + chunk.count, 0);
  const share = (of: (chunk: NoisyCoverageChunk) => readonly number[]): readonly number[] =>
    Array.from({ length: DIMENSION }, (_, j) => chunks.reduce((sum, chunk) => sum + of(chunk)[j], 0) / count);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const byCoefficient = share(({ covered }) => covered);
  return {
    records: cell.setting.records,
    authors: SIZES[index].authors,
    count,
    covered: mean(byCoefficient),
    byCoefficient,
    uncorrected: mean(share(({ uncorrected }) => uncorrected)),
    length: chunks.reduce((sum, chunk) => sum + chunk.length, 0) / count,
    error: sqrt(chunks.reduce((sum, chunk) => sum + chunk.squared, 0) / count),
  };
}

function report(
  algorithm: NoisyAlgorithm,
  results: readonly CellResult<NoisyCoverageSetting, NoisyCoverageChunk>[],
): ExperimentReport {
  const rows = results.map(rowOf);
  const claims = rows.map(
    ({ records, covered, authors, count }): ExperimentClaim => ({
      asked: `n = ${records}: coverage within ${TOLERANCE} of ${LEVEL} (the authors' code: ${authors})`,
      measured: `${covered.toFixed(3)} over ${count} replications of ${DIMENSION} coefficients`,
      met: abs(covered - LEVEL) <= TOLERANCE,
    }),
  );
  return {
    claims,
    tables: [
      {
        title: `Private 95 % intervals of ${algorithm.name}, μ = ${MU}`,
        columns: ['n', 'coverage', 'authors', 'by coefficient', 'without the correction', 'length', '√E‖θ − θ₀‖²'],
        rows: rows.map(({ records, covered, authors, byCoefficient, uncorrected, length, error }) => [
          String(records),
          covered.toFixed(3),
          String(authors),
          byCoefficient.map((share) => share.toFixed(3)).join(' '),
          uncorrected.toFixed(3),
          length.toFixed(3),
          error.toFixed(3),
        ]),
        notes: ['Without the correction intervals know nothing of the noise of the steps.'],
      },
    ],
    figures: [errorFigure(algorithm, rows)],
    data: rows,
  };
}

function errorFigure({ key, name }: NoisyAlgorithm, rows: readonly Row[]): Figure {
  const epsilon = gdpEpsilon(MU, DELTA);
  const curve = rows.map(({ records }) => ({
    x: records,
    y: minimaxErrorRate({ deviation: 2, dimension: DIMENSION, records, epsilon, delta: DELTA }),
  }));
  return logFigure({
    name: `${key}-error`,
    title: `Error of ${name} beside the lower-bound curve of Cai, Wang and Zhang`,
    x: 'n',
    y: '‖θ − θ₀‖',
    curves: [
      { name, style: 0, dashed: false, points: rows.map(({ records, error }) => ({ x: records, y: error })) },
      {
        name: `lower bound up to a constant, (${epsilon.toFixed(2)}, ${DELTA})`,
        style: 1,
        dashed: true,
        points: curve,
      },
    ],
  });
}
