import { seededRandom } from 'ldpkit';
import { unpackSymmetric } from 'ldpkit/inference';
import { normal } from 'ldpkit/mechanism';
import { symmetricEigen } from 'ldpkit/optimize';
import {
  type BoundedModelRequest,
  boundedModel,
  type CentralRecord,
  curvatureMoment,
  meanScore,
} from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, theory } from 'ldpkit/protocols/noisy-newton';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, dashedCurve, linearFigure, plainCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';

const { SQRT2, abs, hypot, max, min } = Math;

/** Pairs of records, and points θ at which their Hessians are taken. */
export type MatrixNoiseSetting = {
  readonly kind: 'huber' | 'logistic';
  readonly dimension: number;
  readonly pairs: number;
};

/** What was met. Lengths are of a Hessian of one record, so that n = 1, in units of B̄. */
export type MatrixNoiseChunk = {
  /** The largest distance between the distinct entries of two Hessians, of random pairs and of a pair along two axes. */
  readonly random: number;
  readonly axes: number;
  /** The largest eigenvalue, and the largest of the others: 0 for a matrix a·aᵀ. */
  readonly largest: number;
  readonly second: number;
  /** The largest difference between the Hessian of a mean and central differences of its score, over B̄; kinks are left out. */
  readonly slope: number;
};

type Result = CellResult<MatrixNoiseSetting, MatrixNoiseChunk>;

/** What is fitted: no intercept, so that features alone decide. */
export const requestOf = ({ kind, dimension }: MatrixNoiseSetting): BoundedModelRequest =>
  kind === 'huber'
    ? ({ kind, features: dimension, intercept: false, scale: 2 } as const)
    : ({ kind, features: dimension, intercept: false } as const);

/** The sensitivity of a Hessian that the certificate has. */
function sensitivityOf(plan: ReturnType<typeof newton>): number {
  return theory.certificate(plan).releases.find(({ what }) => what.startsWith('Hessian'))?.sensitivity ?? Number.NaN;
}

/** Claims, tables and figures. Nothing here is noise: bounds have to hold for every pair. */
export function matrixNoiseReport(results: readonly Result[]): ExperimentReport {
  const rows = results.map(({ cell, chunks }) => {
    const plan = newton({ mu: 1, records: 1, model: requestOf(cell.setting), force: true });
    const most = (of: (chunk: MatrixNoiseChunk) => number): number => max(...chunks.map(of));
    return {
      label: cell.label,
      ...cell.setting,
      claimed: sensitivityOf(plan) / plan.model.hessianBound,
      random: most((chunk) => chunk.random),
      axes: most((chunk) => chunk.axes),
      largest: most((chunk) => chunk.largest),
      second: most((chunk) => chunk.second),
      slope: most((chunk) => chunk.slope),
    };
  });
  const largest = max(...rows.map(({ random, claimed }) => random / claimed));
  const reached = min(...rows.map(({ axes, claimed }) => axes / claimed));
  const huber = rows.filter(({ kind }) => kind === 'huber');
  const dimensions = huber.map(({ dimension }) => dimension);
  return {
    claims: [
      {
        asked: 'two Hessians that differ in one record are at most √2·B̄/n apart in their distinct entries',
        measured: `at most ${digits(largest)} of that in ${rows.length} cells of random pairs`,
        met: rows.every(({ random, claimed }) => random <= claimed * (1 + 1e-12)),
      },
      {
        asked: 'and so far apart for records along two axes, within 1e-12: √2·B̄/n is exact',
        measured: `${digits(reached, 15)} of that`,
        met: rows.every(({ axes, claimed }) => abs(axes / claimed - 1) <= 1e-12),
      },
      {
        asked: 'as printed, 2B̄/n is √2 times too large: conservative, by that factor exactly',
        measured: `${digits(2 / max(...rows.map(({ axes }) => axes)), 6)} times the largest distance`,
        met: rows.every(({ axes }) => abs(2 / axes - SQRT2) <= 1e-12),
      },
      {
        asked: 'condition: the Hessian of one record is a·aᵀ with ‖a‖² ≤ B̄, within 1e-9',
        measured:
          `largest eigenvalue at most ${digits(max(...rows.map((row) => row.largest)))} B̄, the others within ` +
          `${digits(max(...rows.map((row) => row.second)), 1)} B̄ of 0`,
        met: rows.every((row) => row.largest <= 1 + 1e-9 && row.second <= 1e-9),
      },
      {
        asked: 'and the derivative of the mean score, by central differences within 1e-6·B̄',
        measured: `off by at most ${digits(max(...rows.map(({ slope }) => slope)), 1)} B̄`,
        met: rows.every(({ slope }) => slope <= 1e-6),
      },
    ],
    tables: [
      {
        title: 'Distances between Hessians of one record, in units of B̄',
        columns: ['loss', 'p', 'random pairs, largest', 'along two axes', 'claimed √2', 'printed'],
        rows: rows.map((row) => [
          row.kind,
          String(row.dimension),
          row.random.toFixed(4),
          row.axes.toFixed(12),
          row.claimed.toFixed(12),
          '2',
        ]),
        notes: ['Distinct entries: the lower triangle, each entry once, as the noise is added.'],
      },
    ],
    figures: [
      linearFigure({
        name: 'noisy-newton-matrix-noise',
        title: 'How far one record moves a Hessian',
        x: 'dimension p',
        y: 'n · distance/B̄',
        logarithmic: 'x',
        curves: [
          plainCurve('measured, random pairs', 0, dimensions, column(huber, 'random')),
          plainCurve('measured, along two axes', 1, dimensions, column(huber, 'axes')),
          dashedCurve('claimed: √2', 2, dimensions, column(huber, 'claimed')),
          claimedCurve('as printed: 2', 3, dimensions, () => 2),
        ],
      }),
    ],
    data: rows,
  };
}

const DIMENSIONS = [2, 4, 8];
const KINDS = ['huber', 'logistic'] as const;
const PAIRS = 1500;
const STEP = 1e-5;
/** In how many points a difference quotient is taken. */
const SLOPES = 20;

function chunk(setting: MatrixNoiseSetting, index: number, seed: string): MatrixNoiseChunk {
  const { kind, dimension, pairs } = setting;
  const model = boundedModel(requestOf(setting));
  const random = seededRandom(`${seed}/noisy matrix/${kind}/${dimension}`).stream(index);
  const vector = (size: number): Float64Array => Float64Array.from({ length: dimension }, () => size * normal(random));
  const draw = (): CentralRecord => ({
    features: vector(2),
    response: kind === 'huber' ? 0.5 * normal(random) : normal(random) > 0 ? 1 : 0,
  });
  const hessianOf = (record: CentralRecord, theta: Float64Array): Float64Array =>
    curvatureMoment(model, [record], theta).map((entry) => entry / model.hessianBound);
  const apart = (a: Float64Array, b: Float64Array): number => hypot(...a.map((entry, i) => entry - b[i]));
  const found = { random: 0, largest: 0, second: 0, slope: 0 };
  for (let k = 0; k < pairs; k++) {
    const theta = vector(0.2);
    const [a, b] = [hessianOf(draw(), theta), hessianOf(draw(), theta)];
    found.random = max(found.random, apart(a, b));
    if (k >= pairs / 10) continue;
    const { values } = symmetricEigen(unpackSymmetric(a, dimension), dimension);
    found.largest = max(found.largest, values[dimension - 1]);
    found.second = max(found.second, ...Array.from(values.subarray(0, dimension - 1), abs));
  }
  const [forth, back] = [new Float64Array(dimension), new Float64Array(dimension)];
  for (let k = 0; k < SLOPES; k++) {
    const theta = vector(0.2);
    const records = Array.from({ length: 5 }, draw);
    const hessian = unpackSymmetric(curvatureMoment(model, records, theta), dimension);
    const before = unpackSymmetric(
      curvatureMoment(
        model,
        records,
        theta.map((entry) => entry - 2 * STEP),
      ),
      dimension,
    );
    const after = unpackSymmetric(
      curvatureMoment(
        model,
        records,
        theta.map((entry) => entry + 2 * STEP),
      ),
      dimension,
    );
    // Where a residual crosses the threshold nearby, the Huber score has a kink and no derivative.
    if (kind === 'huber' && apart(before, after) > 0) continue;
    for (let j = 0; j < dimension; j++) {
      meanScore(
        model,
        records,
        theta.map((entry, i) => (i === j ? entry + STEP : entry)),
        forth,
      );
      meanScore(
        model,
        records,
        theta.map((entry, i) => (i === j ? entry - STEP : entry)),
        back,
      );
      for (let i = 0; i < dimension; i++) {
        const quotient = (forth[i] - back[i]) / (2 * STEP);
        found.slope = max(found.slope, abs(quotient - hessian[i * dimension + j]) / model.hessianBound);
      }
    }
  }
  // ‖x‖² = 2 along an axis: full weight, and a·aᵀ of norm B̄ where the curvature f″ is largest, at the inner product 0.
  const along = (axis: number): CentralRecord => ({
    features: Float64Array.from({ length: dimension }, (_, i) => (i === axis ? SQRT2 : 0)),
    response: 0,
  });
  const zero = new Float64Array(dimension);
  return { ...found, axes: apart(hessianOf(along(0), zero), hessianOf(along(1), zero)) };
}

/** The sensitivity of a Hessian. */
export const matrixNoise: TheoremValidation<MatrixNoiseSetting, MatrixNoiseChunk> = {
  paper: 'slides',
  theorems: ['Noisy Newton, scale of the matrix noise', 'Noisy Newton, Condition'],
  name: 'noisy-newton-matrix-noise',
  title: 'How far one record moves a Hessian',
  source: 'Slides of Avella-Medina (2023), noisy Newton, noise W and condition on the Hessian',
  summary:
    'Hessians of one record of Huber regression and of logistic regression with Mallows weights, at random points: distances of random ' +
    'pairs, and of a pair along two axes; their eigenvalues; and difference quotients of scores.',
  version: 1,
  cells: (scale) =>
    KINDS.flatMap((kind) =>
      DIMENSIONS.map((dimension) => ({
        key: `${kind}-${dimension}`,
        label: `${kind}, p = ${dimension}`,
        setting: { kind, dimension, pairs: PAIRS },
        chunks: scale === 'full' ? 50 : 1,
      })),
    ),
  smallRun: (setting) => ({ ...setting, pairs: 20 }),
  chunk,
  report: matrixNoiseReport,
};
