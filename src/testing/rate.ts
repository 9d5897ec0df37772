import { type Measured, measuredMean, rootMeans } from './mean.ts';

const { exp, log, max, sqrt } = Math;

/** A positive number that was measured at x > 0. */
export interface RatePoint {
  readonly x: number;
  readonly y: number;
  /** Standard error of y over y: that of log y. */
  readonly relative: number;
}

/** Means > 0 against x. */
export function ratePoints(x: readonly number[], means: readonly Measured[]): readonly RatePoint[] {
  return means.map(({ mean, error }, i) => ({ x: x[i], y: mean, relative: error / mean }));
}

/** Root mean squares against x, from the squared errors of every x. */
export function rootPoints(x: readonly number[], groups: readonly (readonly number[])[]): readonly RatePoint[] {
  return ratePoints(x, rootMeans(groups));
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
 * Law: weights are inverse variances of log y, so that the standard error needs no residuals: it is that of a power law.
 * Shape: at least two different x; points independent of each other, relative standard errors > 0.
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

/**
 * The same line where few parts stand behind every mean, so that their standard errors are uncertain themselves.
 *
 * Law: where the points scatter about the line by more than they should, the standard error grows with them, by the root of χ² over
 * its degrees of freedom.
 */
export function scatteredFit(points: readonly RatePoint[]): RateFit {
  const fit = rateFit(points);
  const law = powerLaw(fit, fit.slope);
  const misfit = points.reduce((sum, { x, y, relative }) => sum + (log(y / law(x)) / relative) ** 2, 0);
  return { ...fit, error: fit.error * sqrt(max(1, misfit / max(1, points.length - 2))) };
}

/** The slope of log y in log x by plain least squares, for numbers without noise. */
export function exactSlope(x: readonly number[], y: readonly number[]): number {
  return rateFit(y.map((value, i) => ({ x: x[i], y: value, relative: 1 }))).slope;
}

/**
 * How fast the mean over replications falls with the checkpoints from `from` on, by plain least squares. `rows[r][k]` is replication r
 * at checkpoint k.
 *
 * Law: a replication's errors at different checkpoints depend on each other, which the standard error, by the jackknife over whole
 * replications, takes into account; that of a single replication is 0.
 */
export function jackknifeSlope(
  checkpoints: readonly number[],
  rows: readonly (readonly number[])[],
  from: number,
): Slope {
  const used = checkpoints.map((n, k) => (n >= from ? k : -1)).filter((k) => k >= 0);
  const x = used.map((k) => checkpoints[k]);
  const count = rows.length;
  const sums = used.map((k) => rows.reduce((sum, row) => sum + row[k], 0));
  const slope = exactSlope(x, sums);
  if (count < 2) return { slope, error: 0 };
  const without = rows.map((row) =>
    exactSlope(
      x,
      sums.map((sum, i) => sum - row[used[i]]),
    ),
  );
  // The error of the mean has 1/(count − 1)/count where the jackknife has (count − 1)/count.
  return { slope, error: (count - 1) * measuredMean(without).error };
}

/** The power law of a fit with another slope: what is claimed, at the level that was measured. */
export function powerLaw({ centre, level }: Pick<RateFit, 'centre' | 'level'>, slope: number): (x: number) => number {
  return (x) => level * (x / centre) ** slope;
}

/** The weighted geometric mean of what was measured over what a law says, with its standard error. */
export function meanRatio(points: readonly RatePoint[], law: (x: number) => number): Measured {
  let [weight, sum] = [0, 0];
  for (const { x, y, relative } of points) {
    weight += relative ** -2;
    sum += relative ** -2 * log(y / law(x));
  }
  const mean = exp(sum / weight);
  return { mean, error: mean / sqrt(weight) };
}
