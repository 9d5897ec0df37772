import type { FigurePoint, FiveNumbers } from '../../../src/simulation/figure.ts';

const { log, max, sqrt } = Math;

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

/** Means over replications at every checkpoint. `rows[r][k]` is replication r at checkpoint k. */
export function columnMeans(rows: readonly (readonly number[])[]): readonly MeanError[] {
  return rows[0].map((_, k) => meanError(rows.map((row) => row[k])));
}

/** The least-squares slope of log(mean over replications) against log n, over the checkpoints from `from` on. */
export interface Slope {
  readonly slope: number;
  /** Its standard error by the jackknife over replications. */
  readonly error: number;
}

/**
 * How fast an error falls: see {@link Slope}. A replication's errors at different checkpoints depend on each other, which the
 * jackknife over whole replications takes into account.
 */
export function logSlope(checkpoints: readonly number[], rows: readonly (readonly number[])[], from: number): Slope {
  const used = checkpoints.map((n, k) => (n >= from ? k : -1)).filter((k) => k >= 0);
  const x = used.map((k) => log(checkpoints[k]));
  const count = rows.length;
  const sums = used.map((k) => rows.reduce((sum, row) => sum + row[k], 0));
  const whole = lineSlope(
    x,
    sums.map((sum) => log(sum / count)),
  );
  if (count < 2) return { slope: whole, error: 0 };
  const without = rows.map((row) =>
    lineSlope(
      x,
      sums.map((sum, i) => log((sum - row[used[i]]) / (count - 1))),
    ),
  );
  const { mean } = meanError(without);
  const squares = without.reduce((sum, slope) => sum + (slope - mean) ** 2, 0);
  return { slope: whole, error: sqrt(((count - 1) / count) * squares) };
}

function lineSlope(x: readonly number[], y: readonly number[]): number {
  const meanX = meanError(x).mean;
  const meanY = meanError(y).mean;
  let along = 0;
  let spread = 0;
  for (let i = 0; i < x.length; i++) {
    along += (x[i] - meanX) * (y[i] - meanY);
    spread += (x[i] - meanX) ** 2;
  }
  return along / spread;
}

/** The 5 %, 25 %, 50 %, 75 % and 95 % points of numbers, interpolated. */
export function fiveNumbers(values: readonly number[]): FiveNumbers {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  return [at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)];
}

/** Means as points of a curve, with error bars of two standard errors that stay positive. */
export function meanPoints(
  checkpoints: readonly number[],
  means: readonly MeanError[],
  bars: boolean = true,
): readonly FigurePoint[] {
  return means.map(({ mean, error }, k) =>
    bars
      ? { x: checkpoints[k], y: mean, low: max(mean - 2 * error, mean / 3), high: mean + 2 * error }
      : { x: checkpoints[k], y: mean },
  );
}

/** A number in so many significant digits, without an exponent where it needs none. */
export function digits(value: number, count: number = 3): string {
  return String(Number(value.toPrecision(count)));
}

/** A number and its standard error: `0.512 ± 0.013`. */
export function plusMinus(value: number, error: number, decimals: number = 3): string {
  return `${value.toFixed(decimals)} ± ${error.toFixed(decimals)}`;
}
