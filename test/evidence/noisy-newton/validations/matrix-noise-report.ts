import type { BoundedModelRequest } from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, theory } from 'ldpkit/protocols/noisy-newton';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../../experiment/experiment.ts';
import { claimedCurve, dashedCurve, plainCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';

const { abs, max, min, SQRT2 } = Math;

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
      {
        kind: 'curves',
        name: 'noisy-newton-matrix-noise',
        title: 'How far one record moves a Hessian',
        x: { label: 'dimension p', logarithmic: true },
        y: { label: 'n · distance/B̄', logarithmic: false },
        curves: [
          plainCurve('measured, random pairs', 0, dimensions, column(huber, 'random')),
          plainCurve('measured, along two axes', 1, dimensions, column(huber, 'axes')),
          dashedCurve('claimed: √2', 2, dimensions, column(huber, 'claimed')),
          claimedCurve('as printed: 2', 3, dimensions, () => 2),
        ],
        levels: [],
      },
    ],
    data: rows,
  };
}
