const { exp, log, max, sqrt } = Math;

/** A mean over replications and its standard error. */
export interface Measured {
  readonly mean: number;
  readonly error: number;
}

/**
 * The mean of numbers, with its standard error; for a single number the standard error is 0.
 *
 * @example
 * ```ts
 * import { measuredMean } from 'ldpkit/testing';
 * console.log(measuredMean([1, 2, 3]).mean); // 2
 * ```
 */
export function measuredMean(values: readonly number[]): Measured {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: sqrt(squares / max(1, count - 1) / count) };
}

/** A positive number that was measured at x > 0. */
export interface RatePoint {
  readonly x: number;
  readonly y: number;
  /** Standard error of y divided by y, which is the standard error of log y. */
  readonly relative: number;
}

/** Means > 0 against x. */
export function ratePoints(x: readonly number[], means: readonly Measured[]): readonly RatePoint[] {
  return means.map(({ mean, error }, i) => ({ x: x[i], y: mean, relative: error / mean }));
}

/** The exponent of a power law and its standard error. */
export interface Slope {
  readonly slope: number;
  readonly error: number;
}

/** A power law y = level·(x/centre)^slope. */
export interface RateFit extends Slope {
  /** The geometric mean of x, by the weights of the points. */
  readonly centre: number;
  readonly level: number;
}

/**
 * The weighted least-squares line of log y on log x.
 *
 * Law: weights are inverse variances of log y, so the standard error needs no residuals: it is valid if y is a power
 * law.
 * Shape: at least two different x; points independent of each other, relative standard errors > 0.
 *
 * @example
 * ```ts
 * import { rateFit, ratePoints } from 'ldpkit/testing';
 * const means = [0.1, 0.05, 0.025].map((mean) => ({ mean, error: mean / 50 }));
 * console.log(rateFit(ratePoints([100, 200, 400], means)).slope.toFixed(3)); // -1.000
 * ```
 */
export function rateFit(points: readonly RatePoint[]): RateFit {
  let [weight, sumX, sumY] = [0, 0, 0];
  for (const { x, y, relative } of points) {
    const w = relative ** -2;
    weight += w;
    sumX += w * log(x);
    sumY += w * log(y);
  }
  const [centre, level] = [sumX / weight, sumY / weight];
  let [along, spread] = [0, 0];
  for (const { x, y, relative } of points) {
    const w = relative ** -2;
    along += w * (log(x) - centre) * (log(y) - level);
    spread += w * (log(x) - centre) ** 2;
  }
  return { slope: along / spread, error: 1 / sqrt(spread), centre: exp(centre), level: exp(level) };
}

/** The slope of log y in log x by plain least squares, for numbers without noise. */
export function exactSlope(x: readonly number[], y: readonly number[]): number {
  return rateFit(y.map((value, i) => ({ x: x[i], y: value, relative: 1 }))).slope;
}

/** The power law of a fit with another slope: the claimed slope at the measured level. */
export function powerLaw({ centre, level }: Pick<RateFit, 'centre' | 'level'>, slope: number): (x: number) => number {
  return (x) => level * (x / centre) ** slope;
}
