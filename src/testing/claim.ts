import type { Measured, Slope } from './rate.ts';

const { abs, floor, log10, max, min } = Math;

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
  /** What the number is, for example `slope of the error in n`. */
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
    met: scores.every((score) => score <= DEVIATIONS),
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
