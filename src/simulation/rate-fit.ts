import type { FigureCurve, FigurePoint } from './figure.ts';
import type { ExperimentClaim } from './paper-experiment.ts';

const { abs, exp, log, max, min, sqrt } = Math;

/** A claim is met within so many standard errors: one that is true fails with a probability of 6e-5. */
export const DEVIATIONS = 4;

/** A positive number that was measured at x > 0. */
export interface RatePoint {
  readonly x: number;
  readonly y: number;
  /** Standard error of y over y: that of log y. */
  readonly relative: number;
}

/** A power law y = level·(x/centre)^slope. */
export interface RateFit {
  readonly slope: number;
  /** Standard error of the slope. */
  readonly error: number;
  /** The geometric mean of x, by the weights of the points. */
  readonly centre: number;
  readonly level: number;
}

/**
 * The weighted least-squares line of log y on log x.
 *
 * Law: weights are inverse variances of log y, so that the standard error needs no residuals: it is that of a power law.
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

/** A root mean square and its relative standard error. */
export interface RootMean {
  readonly value: number;
  readonly relative: number;
}

/**
 * Root mean squares of several groups of errors, given their squares.
 *
 * Law: squares of every group are taken to vary alike, relative to their mean; what they do is pooled over the groups, so that a group
 * whose largest errors did not come up by chance does not look more certain than the others.
 */
export function rootMeans(groups: readonly (readonly number[])[]): readonly RootMean[] {
  const means = groups.map((squares) => squares.reduce((sum, square) => sum + square, 0) / squares.length);
  let [sum, freedom] = [0, 0];
  groups.forEach((squares, g) => {
    for (const square of squares) sum += (square / means[g] - 1) ** 2;
    freedom += squares.length - 1;
  });
  const variation = sqrt(sum / max(1, freedom));
  return means.map((mean, g) => ({ value: sqrt(mean), relative: variation / (2 * sqrt(groups[g].length)) }));
}

/** Root mean squares against x. */
export function ratePoints(xs: readonly number[], groups: readonly (readonly number[])[]): readonly RatePoint[] {
  return rootMeans(groups).map(({ value, relative }, i) => ({ x: xs[i], y: value, relative }));
}

/** What is said of a slope. */
export interface SlopeLaw {
  /** Of what, in what, for example `slope of the error in n`. */
  readonly what: string;
  readonly expected: number;
  /** What a slope may be off for known reasons, for example logarithms; 0 by default. */
  readonly slack?: number;
}

/** The claim that a slope is as expected, within {@link DEVIATIONS} standard errors and the slack. */
export function slopeClaim({ what, expected, slack = 0 }: SlopeLaw, { slope, error }: RateFit): ExperimentClaim {
  const tolerance = slack + DEVIATIONS * error;
  const why = slack > 0 ? `${DEVIATIONS} standard errors and ${digits(slack)}` : `${DEVIATIONS} standard errors`;
  return {
    asked: `${what}: ${digits(expected)} ± ${digits(tolerance, 2)} (${why})`,
    measured: plusMinus(slope, error),
    met: abs(slope - expected) <= tolerance,
  };
}

/** The claim that a slope is not what is printed, by more than {@link DEVIATIONS} standard errors and so much more. */
export function otherSlopeClaim(
  what: string,
  { printed, apart }: { readonly printed: number; readonly apart: number },
  { slope, error }: RateFit,
): ExperimentClaim {
  return {
    asked: `as printed, refuted: ${what} ${digits(printed)}; off by at least ${digits(apart)}`,
    measured: `${plusMinus(slope, error)}, off by ${digits(abs(slope - printed))}`,
    met: abs(slope - printed) >= apart + DEVIATIONS * error,
  };
}

/** The claim that a measured number lies between two others, but for {@link DEVIATIONS} standard errors. */
export function rangeClaim(
  what: string,
  [low, high]: readonly [number, number],
  { value, relative }: RootMean,
): ExperimentClaim {
  const error = value * relative;
  return {
    asked: `${what}: ${low === high ? digits(low) : `${digits(low)} to ${digits(high)}`}, but for ${DEVIATIONS} standard errors`,
    measured: plusMinus(value, error),
    met: value >= low - DEVIATIONS * error && value <= high + DEVIATIONS * error,
  };
}

/** Measured points as a curve, with error bars of two standard errors. */
export function measuredCurve(name: string, style: number, points: readonly RatePoint[]): FigureCurve {
  return { name, style, dashed: false, points: points.map(barred) };
}

function barred({ x, y, relative }: RatePoint): FigurePoint {
  return { x, y, low: y * max(1 / 3, 1 - 2 * relative), high: y * (1 + 2 * relative) };
}

/** What is claimed, as a dashed curve through these x. */
export function claimedCurve(
  name: string,
  style: number,
  xs: readonly number[],
  law: (x: number) => number,
): FigureCurve {
  return { name, style, dashed: true, points: xs.map((x) => ({ x, y: law(x) })) };
}

/** The power law of a fit with another slope: what is claimed, at the level that was measured. */
export function powerLaw({ centre, level }: RateFit, slope: number): (x: number) => number {
  return (x) => level * (x / centre) ** slope;
}

/** A number in so many significant digits, without an exponent where it needs none, with a minus sign. */
export function digits(value: number, count: number = 3): string {
  return String(Number(value.toPrecision(count))).replace(/-/g, '−');
}

/** A number and its standard error: `−0.512 ± 0.013`. */
export function plusMinus(value: number, error: number): string {
  const decimals = min(12, max(0, 1 - Math.floor(Math.log10(max(error, abs(value) * 1e-6, 1e-300)))));
  return `${value.toFixed(decimals)} ± ${error.toFixed(decimals)}`.replace(/-/g, '−');
}
