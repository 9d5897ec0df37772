import type { Json } from 'ldpkit';
import { study } from 'ldpkit/protocols/user-level-mean';
import { digits, type RatePoint } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentCell,
  type Scale,
  type Sweep,
  sweepCells,
  sweepResults,
} from '../../experiment/experiment.ts';
import type { CurveFigure, FigureCurve } from '../../experiment/figure.ts';
import { rootPoints } from '../../experiment/statistics.ts';
import { type ScalarChunk, type ScalarSetting, squaresOf } from './scalar-runs.ts';

/** Chunks of a cell, and how many times the replications of a chunk, at the full scale. */
const FULL_PARTS = 4;
const FULL_TIMES = 5;

/** What a sweep of scalar plans keeps fixed. */
export interface ScalarSweep {
  readonly key: string;
  readonly variable: string;
  /** The field of the request that differs. */
  readonly field: 'players' | 'samples' | 'epsilon';
  readonly xs: readonly number[];
  readonly request: { readonly [name: string]: Json };
  /** What else differs. */
  readonly change?: (x: number) => { readonly [name: string]: Json };
  readonly spread: number;
  readonly mean?: ScalarSetting['mean'];
  /** Replications at the quick scale, for all values or for each. */
  readonly runs: number | readonly number[];
}

/** A sweep of scalar plans in one field of their request. */
export function scalarSweep({
  request,
  field,
  change,
  spread,
  mean = 'anywhere',
  runs,
  ...rest
}: ScalarSweep): Sweep<ScalarSetting> {
  return {
    ...rest,
    setting: (x, place, scale) => ({
      request: { ...request, [field]: x, ...change?.(x) },
      spread,
      mean,
      runs: (typeof runs === 'number' ? runs : runs[place]) * (scale === 'full' ? FULL_TIMES : 1),
    }),
  };
}

/** The cells of sweeps: at the full scale twenty times the replications. */
export function scalarCells(
  sweeps: readonly Sweep<ScalarSetting>[],
  scale: Scale,
): readonly ExperimentCell<ScalarSetting>[] {
  return sweepCells(sweeps, scale, scale === 'full' ? FULL_PARTS : 1);
}

/** Root mean squared errors along a sweep. */
export function sweepErrors(
  sweep: Sweep<ScalarSetting>,
  results: readonly CellResult<ScalarSetting, ScalarChunk>[],
): readonly RatePoint[] {
  return rootPoints(sweep.xs, sweepResults(sweep, results).map(squaresOf));
}

/** The setting of a value of a sweep, for closed forms. */
export function settingAt(sweep: Sweep<ScalarSetting>, x: number): ScalarSetting {
  return sweep.setting(x, 0, 'quick');
}

/** The error that is forecast along a sweep by closed forms, all logarithms in them. */
export function forecastAlong(sweep: Sweep<ScalarSetting>): (x: number) => number {
  return (x) => {
    const { request, spread } = settingAt(sweep, x);
    // One request in the words of the study: `dimension` is the only field it has besides those of the variant.
    return study.forecast({ ...request, dimension: 1 } as unknown as Parameters<typeof study.forecast>[0], { spread })
      .error;
  };
}

/** A figure of one sweep. */
export function sweepFigure(
  sweep: Sweep<ScalarSetting>,
  { name, title, curves }: { readonly name: string; readonly title: string; readonly curves: readonly FigureCurve[] },
): CurveFigure {
  return {
    ...{ kind: 'curves', name, title },
    x: { label: sweep.variable, logarithmic: true },
    y: { label: 'root mean squared error, in units of B', logarithmic: true },
    curves,
    levels: [],
  };
}

/** Rows of a table: the value, the error, what is claimed, and the one over the other. */
export function errorRows(
  { key, variable }: { readonly key: string; readonly variable: string },
  points: readonly RatePoint[],
  law: (x: number) => number,
): readonly (readonly string[])[] {
  return points.map(({ x, y, relative }) => [
    key,
    `${variable} = ${digits(x)}`,
    `${digits(y)} ± ${digits(y * relative, 2)}`,
    digits(law(x)),
    digits(y / law(x)),
  ]);
}

/** The heads of {@link errorRows}. */
export const ERROR_COLUMNS: readonly string[] = ['sweep', 'at', 'measured', 'claimed', 'ratio'];
