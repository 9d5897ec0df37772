import type { Measured, Slope } from 'ldpkit/testing';
import type { CellResult } from '../../experiment/experiment.ts';
import { columnMeans, jackknifeSlope } from '../../experiment/statistics.ts';
import { rateExponents } from '../bounds.ts';
import type { TrajectoryChunk, TrajectorySetting } from './trajectory.ts';

/** One cell of the experiment. */
export interface RateCell {
  readonly model: 'linear' | 'logistic';
  /** α. */
  readonly decay: number;
  readonly text: string;
}

/** Which estimator: the last iterate or the average. */
export type Which = 'last' | 'average';
/** Both of them. */
export const WHICH: readonly Which[] = ['last', 'average'];

/** What is measured of each model, and how it is called. */
export const SYMBOLS: Readonly<Record<RateCell['model'], Readonly<Record<Which, string>>>> = {
  linear: { last: 'δ_n', average: 'δ̄_n' },
  logistic: { last: 'Δ_n', average: 'Δ̄_n' },
};

/** What came of a cell. */
export interface MeasuredRate extends RateCell {
  readonly slope: Readonly<Record<Which, Slope>>;
  readonly means: Readonly<Record<Which, readonly Measured[]>>;
  readonly replications: number;
  /** The relative order, how much faster the average falls: the slope of the last iterate less that of the average. */
  readonly order: Slope;
}

/** Slopes and means of a cell, from the number of players `from` on. */
export function measure(
  { cell, chunks }: CellResult<TrajectorySetting, TrajectoryChunk>,
  which: RateCell,
  from: number,
): MeasuredRate {
  const { checkpoints } = cell.setting;
  const loss = which.model === 'logistic';
  const last = chunks.flatMap((chunk) => (loss ? chunk.lastLoss : chunk.last));
  const average = chunks.flatMap((chunk) => (loss ? chunk.averageLoss : chunk.average));
  const slopes = { last: jackknifeSlope(checkpoints, last, from), average: jackknifeSlope(checkpoints, average, from) };
  // Errors of the two slopes are taken as independent: on the safe side, since they share their streams.
  const order = {
    slope: slopes.last.slope - slopes.average.slope,
    error: Math.hypot(slopes.last.error, slopes.average.error),
  };
  return {
    ...which,
    slope: slopes,
    means: { last: columnMeans(last), average: columnMeans(average) },
    replications: last.length,
    order,
  };
}

/** The printed exponents e of n^(−e); undefined where nothing is printed. */
export function printed({ model, decay }: RateCell): Readonly<Record<Which, number | undefined>> {
  if (decay >= 1) return { last: undefined, average: undefined };
  const { last, average, lastLoss, averageLoss } = rateExponents(decay);
  return model === 'linear' ? { last, average } : { last: lastLoss, average: averageLoss };
}
