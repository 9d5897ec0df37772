import { digits, type ExperimentClaim, type Measured, measuredMean } from 'ldpkit/testing';
import type { CellResult } from '../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, meanCurve } from '../experiment/figure.ts';

const { abs, exp, log, max, min, sqrt } = Math;

/** Collections of so many players by one variant. */
export type ForecastSetting = {
  readonly variant: string;
  readonly epsilon: number;
  readonly dimension: number;
  /** n. */
  readonly players: number;
  /** Of the polynomial, where settings differ in it. */
  readonly degree?: number;
};

/** What came of a chunk, and what was forecast without running it. */
export type ForecastChunk = {
  /** Excess risk of every collection. */
  readonly excess: readonly number[];
  readonly forecast: number;
  /** Standard deviation of one draw of the forecast. */
  readonly deviation: number;
};

/** One setting, measured and forecast. */
export interface ForecastLine<Setting extends ForecastSetting> {
  readonly setting: Setting;
  readonly excess: Measured;
  readonly forecast: number;
  /** log(measured/forecast), and its standard error. */
  readonly ratio: number;
  readonly error: number;
}

/** What a forecast may be off by: closed forms take noise for normal and leave out terms of second order in 1/n. */
const FACTOR = 2;

/** A setting with its forecast from so many draws. */
export function forecastLine<Setting extends ForecastSetting>(
  { cell: { setting }, chunks }: CellResult<Setting, ForecastChunk>,
  draws: number,
): ForecastLine<Setting> {
  const excess = measuredMean(chunks.flatMap((one) => one.excess));
  const [{ forecast, deviation }] = chunks;
  const error = sqrt((excess.error / excess.mean) ** 2 + (deviation / forecast) ** 2 / draws);
  return { setting, excess, forecast, ratio: log(excess.mean / forecast), error };
}

/**
 * The claim that simulated collections have the excess risk that was forecast, within a factor 2, and are known well enough for it. Says what
 * factor the standard errors make of it.
 *
 * Law: beyond the factor by 3 standard errors of the log-ratio: for a forecast that is right 3 + log 2/error of them, 5 or more.
 */
export function forecastClaim(
  lines: readonly ForecastLine<ForecastSetting>[],
  largestTolerance: number,
): ExperimentClaim {
  const ratios = lines.map(({ ratio }) => exp(ratio));
  const widened = FACTOR * exp(3 * max(...lines.map(({ error }) => error)));
  return {
    asked: `excess risk of simulated collections within a factor ${FACTOR} of the forecast, with 3 standard errors within ${digits(widened)} at most, every variant, ε, p and n`,
    measured: `ratios ${digits(min(...ratios))} to ${digits(max(...ratios))}`,
    met: lines.every(({ ratio, error }) => abs(ratio) <= log(FACTOR) + 3 * error && error <= largestTolerance),
  };
}

/** What a line is called. */
export function forecastName({ setting }: ForecastLine<ForecastSetting>): string {
  const degree = setting.degree === undefined ? '' : `, degree ${setting.degree}`;
  return `${setting.variant}, ε = ${setting.epsilon}, p = ${setting.dimension}${degree}`;
}

/** The heads of {@link forecastRows}. */
export const FORECAST_COLUMNS: readonly string[] = ['reports', 'n', 'measured', 'forecast', 'ratio'];

/** Rows of a table: the variant, the players, both risks and the one over the other. */
export function forecastRows(lines: readonly ForecastLine<ForecastSetting>[]): readonly (readonly string[])[] {
  return lines.map((line) => [
    forecastName(line),
    line.setting.players.toLocaleString('en-US'),
    `${digits(line.excess.mean)} ± ${digits(line.excess.error, 2)}`,
    digits(line.forecast),
    `${digits(exp(line.ratio))} (log ± ${digits(line.error, 2)})`,
  ]);
}

/** Two curves against the players: what was measured, and dashed what was forecast. */
export function forecastCurves(
  name: string,
  style: number,
  lines: readonly ForecastLine<ForecastSetting>[],
): readonly FigureCurve[] {
  const sorted = [...lines].sort((a, b) => a.setting.players - b.setting.players);
  const players = sorted.map(({ setting }) => setting.players);
  const measured = sorted.map(({ excess }) => excess);
  const forecast = sorted.map((line) => line.forecast);
  return [
    meanCurve(`${name}: measured`, style, players, measured),
    dashedCurve(`${name}: forecast`, style, players, forecast),
  ];
}
