import { seededRandom } from 'ldpkit';
import { fillSphere } from 'ldpkit/mechanism';
import { printedSphereConstant, sphereConstant } from 'ldpkit/optimize';
import { DEVIATIONS, digits, type Measured, meansClaim, rateFit, ratePoints, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { chunksMean } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';

type Setting = {
  readonly dimension: number;
  /** Directions of a chunk. */
  readonly draws: number;
};

/** Sums over directions of |⟨u, x⟩|/‖x‖ and of its square. */
type Chunk = { readonly sum: number; readonly squares: number };

function chunk({ dimension, draws }: Setting, index: number, seed: string): Chunk {
  const random = seededRandom(`${seed}/sphere/${dimension}/${index}`);
  const x = Float64Array.from({ length: dimension }, (_, i) => Math.sin(i + 1));
  const norm = Math.hypot(...x);
  const u = new Float64Array(dimension);
  let [sum, squares] = [0, 0];
  for (let k = 0; k < draws; k++) {
    fillSphere(u, random);
    let inner = 0;
    for (let i = 0; i < dimension; i++) inner += u[i] * x[i];
    const value = Math.abs(inner) / norm;
    sum += value;
    squares += value * value;
  }
  return { sum, squares };
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const dimensions = results.map(({ cell }) => cell.setting.dimension);
  const constants = results.map(({ cell, chunks }): Measured => {
    const { mean, error } = chunksMean(chunks.length * cell.setting.draws, chunks);
    return { mean: 1 / mean, error: error / mean ** 2 };
  });
  const exact = dimensions.map(sphereConstant);
  const printed = dimensions.map(printedSphereConstant);
  const factors = constants.map(({ mean, error }, i) => ({
    mean: printed[i] / mean,
    error: (printed[i] * error) / mean ** 2,
  }));
  const scores = constants.map(({ mean, error }, i) => (printed[i] - mean) / error);
  const small = scores.filter((_, i) => dimensions[i] <= 20);
  return {
    // Means of tens of thousands of bounded numbers: nearly normal, 7e-6 for each dimension.
    claims: [
      meansClaim('‖x‖ = C·E|⟨u, x⟩| with C = √π·Γ((p + 1)/2)/Γ(p/2)', constants, exact),
      meansClaim(
        'as printed, √π·p·Γ((p − 1)/2)/(2Γ(p/2)): p/(p − 1) times too large',
        factors,
        dimensions.map((p) => p / (p - 1)),
      ),
      {
        asked: `as printed: refuted for p ≤ 20 by ${DEVIATIONS} standard errors`,
        measured: `${digits(Math.min(...small))} standard errors or more`,
        met: small.every((score) => score >= DEVIATIONS),
      },
      // √p is reached from below, C over √(πp/2) being 1 − 1/(4p) or so: the slack.
      slopeClaim(
        { what: 'log-log slope of the constant in p', expected: 0.5, slack: 0.06, largestTolerance: 0.1 },
        rateFit(ratePoints(dimensions, constants)),
      ),
    ],
    tables: [
      {
        title: 'The constant of lemma 16',
        columns: ['p', 'measured', 'exact', 'as printed', 'printed over measured'],
        rows: dimensions.map((p, i) => [
          String(p),
          `${digits(constants[i].mean, 5)} ± ${digits(constants[i].error, 2)}`,
          digits(exact[i], 6),
          digits(printed[i], 6),
          digits(factors[i].mean, 4),
        ]),
        notes: [
          `One x in every dimension, ${(results[0].chunks.length * results[0].cell.setting.draws).toLocaleString('en-US')} directions.`,
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'lemma-16',
        title: '‖x‖ over the mean of |⟨u, x⟩|',
        x: 'dimension p',
        y: 'constant C',
        curves: [
          meanCurve('measured', 0, dimensions, constants),
          dashedCurve('√π·Γ((p + 1)/2)/Γ(p/2)', 1, dimensions, exact),
          dashedCurve('as printed', 2, dimensions, printed),
        ],
      }),
    ],
    data: constants.map((constant, i) => ({
      dimension: dimensions[i],
      ...constant,
      exact: exact[i],
      printed: printed[i],
    })),
  };
}

/** Lemma 16: a norm is a mean over directions. */
export const lemma16: TheoremValidation<Setting, Chunk> = {
  name: 'euclidean-median-lemma-16',
  title: 'A norm as a mean over directions',
  paper: 'noninteractive',
  theorems: ['Lemma 16'],
  source: `${PAPER}, lemma 16`,
  summary:
    'The mean of |⟨u, x⟩| over random directions u, for one x in each of several dimensions, which are chosen here.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [2, 3, 5, 10, 20, 50, 200, 1000] : [2, 3, 5, 10, 20, 50]).map((dimension) => ({
      key: `dimension-${dimension}`,
      label: `p = ${dimension}`,
      setting: { dimension, draws: scale === 'full' ? Math.min(200_000, 20_000_000 / dimension) : 40_000 },
      chunks: scale === 'full' ? 5 : 1,
    })),
  smallRun: (setting) => ({ ...setting, draws: 5 }),
  chunk,
  report,
};
