import type { FigurePoint } from '../../../src/simulation/figure.ts';

const { abs, log, max, sqrt } = Math;

/** A mean and its standard error. */
export interface MeanError {
  readonly mean: number;
  readonly error: number;
}

/** Mean of numbers and its standard error; the error of a single number is 0. */
export function meanError(values: readonly number[]): MeanError {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: sqrt(squares / max(1, count - 1) / count) };
}

/** A fitted exponent and its standard error. */
export interface Slope {
  readonly slope: number;
  readonly error: number;
}

/**
 * The weighted least-squares slope of log y against log x, from independent means and their standard errors.
 *
 * Law: the weights are the inverse squares of the relative standard errors. Where the points scatter about the line by more than
 * that, the standard error grows with them (by the root of χ² over its degrees of freedom).
 */
export function fittedSlope(x: readonly number[], means: readonly MeanError[]): Slope {
  const u = x.map(log);
  const v = means.map(({ mean }) => log(mean));
  const weights = means.map(({ mean, error }) => (mean / error) ** 2);
  const total = weights.reduce((a, b) => a + b, 0);
  const centre = (values: readonly number[]): number => values.reduce((sum, z, i) => sum + weights[i] * z, 0) / total;
  const [middle, level] = [centre(u), centre(v)];
  let spread = 0;
  let along = 0;
  for (let i = 0; i < u.length; i++) {
    spread += weights[i] * (u[i] - middle) ** 2;
    along += weights[i] * (u[i] - middle) * (v[i] - level);
  }
  const slope = along / spread;
  const misfit = u.reduce((sum, z, i) => sum + weights[i] * (v[i] - level - slope * (z - middle)) ** 2, 0);
  return { slope, error: sqrt(max(1, misfit / max(1, u.length - 2)) / spread) };
}

/** Whether a fitted exponent is the claimed one, but for a finite-size deviation and 4.5 standard errors. */
export function isSlope({ slope, error }: Slope, claimed: number, deviation: number): boolean {
  return abs(slope - claimed) <= deviation + 4.5 * error;
}

/** Means as points, with error bars of two standard errors that stay positive. */
export function meanPoints(x: readonly number[], means: readonly MeanError[]): readonly FigurePoint[] {
  return means.map(({ mean, error }, i) => ({
    x: x[i],
    y: mean,
    low: max(mean - 2 * error, mean / 3),
    high: mean + 2 * error,
  }));
}

/** Numbers as points without error bars. */
export function plainPoints(x: readonly number[], y: readonly number[]): readonly FigurePoint[] {
  return y.map((value, i) => ({ x: x[i], y: value }));
}

/** A number in so many significant digits. */
export function digits(value: number, count: number = 3): string {
  return String(Number(value.toPrecision(count)));
}

/** A mean and its standard error in three significant digits. */
export function shown({ mean, error }: MeanError): string {
  return `${digits(mean)} ± ${digits(error, 2)}`;
}

/** A fitted exponent: `-2.01 ± 0.02`. */
export function shownSlope({ slope, error }: Slope): string {
  return `${slope.toFixed(3)} ± ${error.toFixed(3)}`;
}
