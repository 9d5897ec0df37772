import type { FigurePoint } from './figure.ts';
import type { ExperimentClaim } from './paper-experiment.ts';

const { abs, log, max, min, sqrt } = Math;

/** A mean over replications and its standard error. */
export interface Measured {
  readonly mean: number;
  readonly error: number;
}

/** The mean of at least two numbers, with its standard error. */
export function measuredMean(values: readonly number[]): Measured {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: sqrt(squares / (count - 1) / count) };
}

/** The mean of numbers of which only the count, the sum and the sum of squares were kept. */
export function measuredSums(count: number, sum: number, squares: number): Measured {
  const mean = sum / count;
  return { mean, error: sqrt(max(0, squares / count - mean * mean) / (count - 1)) };
}

/** The sum over all parts of a cell of one of their numbers. */
export function summed<Part>(parts: readonly Part[], number: (part: Part) => number): number {
  return parts.reduce((total, part) => total + number(part), 0);
}

/** The slope of a straight line and its standard error. */
export interface FittedRate {
  readonly slope: number;
  readonly error: number;
}

/**
 * The exponent of a power law: the slope of log(mean) in log x by weighted least squares, each mean with the weight that its
 * relative standard error gives it.
 *
 * Shape: at least two different x > 0 with independent means > 0; errors > 0.
 */
export function fittedRate(x: readonly number[], means: readonly Measured[]): FittedRate {
  const weights = means.map(({ mean, error }) => (mean / error) ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const centre = x.reduce((sum, value, i) => sum + weights[i] * log(value), 0) / total;
  let spread = 0;
  let slope = 0;
  for (let i = 0; i < x.length; i++) {
    const along = log(x[i]) - centre;
    spread += weights[i] * along * along;
    slope += weights[i] * along * log(means[i].mean);
  }
  return { slope: slope / spread, error: 1 / sqrt(spread) };
}

/** The slope of log y in log x by plain least squares, for numbers without noise. */
export function exactRate(x: readonly number[], y: readonly number[]): number {
  return fittedRate(
    x,
    y.map((mean) => ({ mean, error: mean })),
  ).slope;
}

/** How a rate is held against a theorem. */
export interface RateClaim {
  /** What falls or grows with what, for example `excess risk in n`. */
  readonly what: string;
  /** The exponent of the theorem. */
  readonly slope: number;
  /** What finite sizes may add to it, besides the noise of the measurement. */
  readonly slack?: number;
  /** The widest tolerance that still says something: a less precise measurement does not meet the claim. */
  readonly widest: number;
}

/** Standard errors that a correct rate or mean stays within, but for one time in 1.7 million if the mean is normal. */
export const STANDARD_ERRORS = 5;

/** The claim that a fitted exponent is the theorem's, up to {@link STANDARD_ERRORS} and the slack. */
export function rateClaim({ what, slope, slack = 0, widest }: RateClaim, fit: FittedRate): ExperimentClaim {
  const tolerance = STANDARD_ERRORS * fit.error + slack;
  return {
    asked: `log-log slope of the ${what}: ${digits(slope)} ± ${digits(tolerance, 2)}`,
    measured: plusMinus(fit.slope, fit.error),
    met: abs(fit.slope - slope) <= tolerance && tolerance <= widest,
  };
}

/** The claim that all numbers are at most `limit`; with `least` also that the largest is not far below it. */
export function atMostClaim(asked: string, values: readonly number[], limit: number, least?: number): ExperimentClaim {
  const largest = max(...values);
  return {
    asked,
    measured: `largest ${digits(largest)}`,
    met: values.length > 0 && largest <= limit && (least === undefined || largest >= least),
  };
}

/** The claim that all numbers are at least `limit`. */
export function atLeastClaim(asked: string, values: readonly number[], limit: number): ExperimentClaim {
  const smallest = min(...values);
  return { asked, measured: `smallest ${digits(smallest)}`, met: values.length > 0 && smallest >= limit };
}

/** The claim that means are what a theorem says: none off by more than {@link STANDARD_ERRORS} and a relative slack. */
export function meansClaim(
  asked: string,
  means: readonly Measured[],
  expected: readonly number[],
  slack: number = 0,
): ExperimentClaim {
  const scores = means.map(({ mean, error }, i) => max(0, abs(mean - expected[i]) - slack * abs(expected[i])) / error);
  const beyond = slack === 0 ? '' : ` beyond ${digits(100 * slack)} %`;
  const off = `at most ${digits(max(...scores), 2)} standard errors off${beyond}`;
  const ratios = means.map(({ mean }, i) => mean / expected[i]);
  // Ratios say nothing where what is expected may be 0 or below.
  const positive = expected.every((value) => value > 0);
  return {
    asked,
    measured: positive ? `ratios ${digits(min(...ratios))} to ${digits(max(...ratios))}, ${off}` : off,
    met: scores.every((score) => score <= STANDARD_ERRORS),
  };
}

/** Means as points of a curve, with error bars of two standard errors that stay positive. */
export function measuredPoints(x: readonly number[], means: readonly Measured[]): readonly FigurePoint[] {
  return means.map(({ mean, error }, i) => ({
    x: x[i],
    y: mean,
    low: max(mean - 2 * error, mean / 3),
    high: mean + 2 * error,
  }));
}

/** Points of a curve without error bars. */
export function plainPoints(x: readonly number[], y: readonly number[]): readonly FigurePoint[] {
  return x.map((value, i) => ({ x: value, y: y[i] }));
}

/** A number in so many significant digits, without an exponent where it needs none. */
export function digits(value: number, count: number = 3): string {
  return String(Number(value.toPrecision(count)));
}

/** A number and its standard error: `0.512 ± 0.013`. */
export function plusMinus(value: number, error: number, decimals: number = 3): string {
  return `${value.toFixed(decimals)} ± ${error.toFixed(decimals)}`;
}
