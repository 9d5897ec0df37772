const { abs, exp, floor, log, log10, max, min, sqrt } = Math;

/**
 * How many standard errors a true value may be off by chance, in every claim: the single rule of all validations.
 *
 * Law: a true value is beyond them with a probability of 7e-6 if the mean is normal and its deviation known. Where the
 * standard error is estimated, by Student's t, the probability is 3e-5 with 60 degrees of freedom, 1e-4 with 30, 2e-4
 * with 23 and 4e-4 with 15; fewer are for slopes over several cells, whose chunks count together. One of a hundred means
 * is beyond them with a probability of 7e-4. One-sided claims have half of these probabilities. So a true claim fails
 * for less than one seed in a thousand. The effect of a finite size has its own slack.
 */
export const DEVIATIONS = 4.5;

/** A tested claim: what was asked of an experiment, and what was measured. */
export interface ExperimentClaim {
  readonly asked: string;
  readonly measured: string;
  readonly met: boolean;
  /** True where too little was computed to decide: neither met nor missed. Then `met` is false. */
  readonly undecided?: true;
}

/** A claim about a number. */
export interface NumberLaw {
  readonly what: string;
  readonly expected: number;
  /** How far it may be off for known reasons, for example logarithms or a finite n; 0 by default. */
  readonly slack?: number;
  /** The largest tolerance that is still informative: a less precise measurement decides nothing unless it is beyond its own tolerance. */
  readonly largestTolerance?: number;
}

/** How far a number may be off: {@link DEVIATIONS} standard errors and the slack. */
export function toleranceOf(error: number, slack: number = 0): number {
  return DEVIATIONS * error + slack;
}

/**
 * The claim that a mean is as expected.
 *
 * @example
 * ```ts
 * import { meanClaim, measuredMean } from 'ldpkit/testing';
 * const measured = measuredMean([0.9, 1.1, 1.05, 0.95, 1]);
 * console.log(meanClaim({ what: 'a mean', expected: 1 }, measured).met); // true
 * console.log(meanClaim({ what: 'a mean', expected: 1.5 }, measured).met); // false
 * ```
 */
export function meanClaim(
  { what, expected, slack = 0, largestTolerance }: NumberLaw,
  { mean, error }: Measured,
): ExperimentClaim {
  const tolerance = toleranceOf(error, slack);
  const near = abs(mean - expected) <= tolerance;
  const coarse = largestTolerance !== undefined && tolerance > largestTolerance;
  return {
    asked: `${what}: ${digits(expected)} ± ${digits(tolerance, 2)} (${reasons(slack)})`,
    measured: plusMinus(mean, error),
    met: near && !coarse,
    ...(near && coarse ? { undecided: true as const } : {}),
  };
}

/**
 * The claim that a slope is as expected.
 *
 * @example
 * ```ts
 * import { slopeClaim } from 'ldpkit/testing';
 * // An error that should fall like 1/√n.
 * const claim = slopeClaim({ what: 'exponent of n', expected: -0.5 }, { slope: -0.49, error: 0.02 });
 * console.log(claim.met); // true
 * ```
 */
export function slopeClaim(law: NumberLaw, { slope, error }: Slope): ExperimentClaim {
  return meanClaim(law, { mean: slope, error });
}

/** A rate as an upper bound: the measured numbers fall at least as fast. */
export function atMostSlopeClaim({ what, expected, slack = 0 }: NumberLaw, { slope, error }: Slope): ExperimentClaim {
  const tolerance = toleranceOf(error, slack);
  return {
    asked: `${what}: at most ${digits(expected)}, + ${digits(tolerance, 2)} (${reasons(slack)})`,
    measured: plusMinus(slope, error),
    met: slope <= expected + tolerance,
  };
}

/**
 * The claim that a slope differs from the printed one by more than {@link DEVIATIONS} standard errors and a further
 * margin.
 */
export function otherSlopeClaim(
  what: string,
  { printed, apart }: { readonly printed: number; readonly apart: number },
  { slope, error }: Slope,
): ExperimentClaim {
  return {
    asked: `as printed, refuted: ${what} ${digits(printed)}; off by at least ${digits(apart)}`,
    measured: `${plusMinus(slope, error)}, off by ${digits(abs(slope - printed))}`,
    met: abs(slope - printed) >= toleranceOf(error, apart),
  };
}

/** The claim that a mean lies between two numbers, up to {@link DEVIATIONS} standard errors. */
export function rangeClaim(
  what: string,
  [low, high]: readonly [number, number],
  { mean, error }: Measured,
): ExperimentClaim {
  const tolerance = toleranceOf(error);
  return {
    asked: `${what}: ${low === high ? digits(low) : `${digits(low)} to ${digits(high)}`}, but for ${DEVIATIONS} standard errors`,
    measured: plusMinus(mean, error),
    met: mean >= low - tolerance && mean <= high + tolerance,
  };
}

/**
 * The claim that means are as a theorem says: none is off by more than {@link DEVIATIONS} standard errors and a
 * relative slack.
 */
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
  // Ratios have no meaning where the expected number may be 0 or below.
  const positive = expected.every((value) => value > 0);
  return {
    asked,
    measured: positive ? `ratios ${digits(min(...ratios))} to ${digits(max(...ratios))}, ${off}` : off,
    met: scores.length > 0 && scores.every((score) => score <= DEVIATIONS),
  };
}

/**
 * A bound along a stream: at no checkpoint is the mean above it by more than {@link DEVIATIONS} standard errors. The
 * result also says how loose the bound is.
 */
export function boundClaim(
  what: string,
  checkpoints: readonly number[],
  means: readonly Measured[],
  bound: (steps: number) => number,
): ExperimentClaim {
  const bounds = checkpoints.map((n) => bound(n));
  const loose = means.map(({ mean }, k) => bounds[k] / mean);
  const last = checkpoints.length - 1;
  return {
    asked: `${what} is above the mean at all ${last + 1} checkpoints from n = ${checkpoints[0]} to ${checkpoints[last]}`,
    measured: `bound over mean: ${digits(loose[last])} at the end, ${digits(min(...loose))} to ${digits(max(...loose))} along the way`,
    // A bound that is not finite has no meaning, and meets no claim.
    met: means.every(({ mean, error }, k) => Number.isFinite(bounds[k]) && mean - toleranceOf(error) <= bounds[k]),
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

function reasons(slack: number): string {
  return slack > 0 ? `${DEVIATIONS} standard errors and ${digits(slack)}` : `${DEVIATIONS} standard errors`;
}

/** A number in so many significant digits, without an exponent where it needs none, with a minus sign. */
export function digits(value: number, count: number = 3): string {
  return signed(String(Number(value.toPrecision(count))));
}

/**
 * A number and its standard error, `−0.512 ± 0.013`: to two digits of the error, or to the given number of decimals.
 */
export function plusMinus(value: number, error: number, decimals: number = decimalsOf(value, error)): string {
  return signed(`${value.toFixed(decimals)} ± ${error.toFixed(decimals)}`);
}

function decimalsOf(value: number, error: number): number {
  return min(12, max(0, 1 - floor(log10(max(error, abs(value) * 1e-6, 1e-300)))));
}

function signed(text: string): string {
  return text.replace(/-/g, '−');
}

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

/** Means > 0 against x > 0: as many as there are x, in the same order. */
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

/** The slope of log y in log x by plain least squares, for numbers > 0 without noise at two different x > 0 or more. */
export function exactSlope(x: readonly number[], y: readonly number[]): number {
  return rateFit(y.map((value, i) => ({ x: x[i], y: value, relative: 1 }))).slope;
}

/** The power law of a fit with another slope: the claimed slope at the measured level. */
export function powerLaw({ centre, level }: Pick<RateFit, 'centre' | 'level'>, slope: number): (x: number) => number {
  return (x) => level * (x / centre) ** slope;
}
