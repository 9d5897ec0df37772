import { digits, plusMinus, powerLaw, rateFit, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../../experiment/experiment.ts';
import { claimedCurve, measuredCurve, plainCurve } from '../../experiment/figure.ts';
import { column, rootPoints } from '../../experiment/statistics.ts';
import { logFigure } from '../../shared/log-figure.ts';

const { log, max, min } = Math;

/** n, and how far out an added record is; 0 for leaving records out. */
export type InfluenceSetting = { readonly records: number; readonly outlier: number; readonly size: number };

/** A number for every replication. */
export type InfluenceChunk = {
  /** Mean over records left out of ‖θ̂₋z − θ̂‖², and of the square of what M⁻¹Ψ/n misses of it; empty for outliers. */
  readonly moved: readonly number[];
  readonly missed: readonly number[];
  /** n·‖θ̂₊z − θ̂‖ of an added record, largest of four, over B/λ_min(M); and with a score without bound. */
  readonly bounded: readonly number[];
  readonly unbounded: readonly number[];
};

/**
 * Claims, tables and figures, slopes from 30 replications. The bound B/λ_min holds with the curvature
 * along the way, which one record of 400 lowers by a few per cent at most: hence 1.05.
 */
export function influenceReport(results: readonly CellResult<InfluenceSetting, InfluenceChunk>[]): ExperimentReport {
  const left = results.filter(({ cell }) => cell.setting.outlier === 0);
  const outliers = results.filter(({ cell }) => cell.setting.outlier > 0);
  const sizes = left.map(({ cell }) => cell.setting.records);
  const of = (field: 'moved' | 'missed') =>
    rootPoints(
      sizes,
      left.map(({ chunks }) => chunks.flatMap((chunk) => chunk[field])),
    );
  const [moved, missed] = [of('moved'), of('missed')];
  const [movedFit, missedFit] = [rateFit(moved), rateFit(missed)];
  const far = outliers.map(({ cell, chunks }) => ({
    outlier: cell.setting.outlier,
    bounded: max(...chunks.flatMap((chunk) => chunk.bounded)),
    unbounded: min(...chunks.flatMap((chunk) => chunk.unbounded)),
  }));
  const at = far.map(({ outlier }) => outlier);
  const [near, farthest] = [far[0], far[far.length - 1]];
  const growth = log(farthest.unbounded / near.unbounded) / log(farthest.outlier / near.outlier);
  const largest = max(...far.map(({ bounded }) => bounded));
  return {
    claims: [
      slopeClaim(
        { what: 'slope in n of what M⁻¹Ψ/n misses of leaving one record out', expected: -2, slack: 0.1 },
        missedFit,
      ),
      slopeClaim({ what: 'slope in n of the move itself', expected: -1, slack: 0.05 }, movedFit),
      {
        asked: 'bounded, since Ψ is: n‖θ̂₊z − θ̂‖ at most 1.05·B/λ_min(M) for every record that was added',
        measured: `at most ${digits(largest)}·B/λ_min(M), ${digits(farthest.bounded)} for the farthest`,
        met: largest <= 1.05,
      },
      {
        asked:
          'control: with the score of least squares the same records move the estimate without bound, slope 1 ± 0.15 in how far out they are',
        measured: `slope ${digits(growth)}, at least ${digits(farthest.unbounded)}·B/λ_min(M) for the farthest`,
        met: Math.abs(growth - 1) <= 0.15,
      },
    ],
    tables: [
      {
        title: 'Leaving one record out',
        columns: ['n', 'move', 'missed by M⁻¹Ψ/n'],
        rows: sizes.map((n, i) => [
          String(n),
          ...[moved[i], missed[i]].map(({ y, relative }) => plusMinus(y, y * relative)),
        ]),
        notes: ['Root mean squares over ten records and all replications.'],
      },
      {
        title: 'Adding one record to 400, n·move over B/λ_min(M)',
        columns: ['how far out', 'Huber, largest', 'least squares, smallest'],
        rows: far.map(({ outlier, bounded, unbounded }) => [String(outlier), digits(bounded), digits(unbounded)]),
        notes: ['Of four records a replication: two signs of the response, features as they are and far out.'],
      },
    ],
    figures: [
      logFigure({
        name: 'm-estimation-leave-one-out',
        title: 'Leaving one record out',
        x: 'records n',
        y: 'distance',
        curves: [
          measuredCurve('move of the estimate', 0, moved),
          measuredCurve('missed by M⁻¹Ψ/n', 1, missed),
          claimedCurve('claimed slope −1', 0, sizes, powerLaw(movedFit, -1)),
          claimedCurve('claimed slope −2', 1, sizes, powerLaw(missedFit, -2)),
        ],
      }),
      logFigure({
        name: 'm-estimation-outliers',
        title: 'Adding one record that is far out',
        x: 'how far out',
        y: 'n · move over B/λ_min(M)',
        curves: [
          plainCurve('Huber, largest', 0, at, column(far, 'bounded')),
          plainCurve('least squares, smallest', 1, at, column(far, 'unbounded')),
          claimedCurve('claimed bound', 0, at, () => 1),
        ],
      }),
    ],
    data: { move: { ...movedFit }, missed: { ...missedFit }, outliers: far.map((row) => ({ ...row })) },
  };
}
