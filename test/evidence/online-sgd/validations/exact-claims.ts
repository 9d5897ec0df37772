import { DEVIATIONS, digits, type ExperimentClaim, exactSlope, meanClaim, measuredMean } from 'ldpkit/testing';

const { abs, max, min } = Math;

/** Half of what a claim of a constant must notice: with a wider tolerance it is not met. */
const LARGEST_TOLERANCE = 0.23;

/** What clipping and rounding may take of an exact law. */
const CLIPPED = 0.01;

/**
 * The claim that squared errors are what an exact law says, in the mean over checkpoints and replications.
 *
 * Law: the mean over checkpoints is taken in every replication first, so that its error needs no independence along a stream.
 */
export function ratioClaim(
  what: string,
  rows: readonly (readonly number[])[],
  exact: readonly number[],
  {
    slack = CLIPPED,
    largestTolerance = LARGEST_TOLERANCE,
  }: { readonly slack?: number; readonly largestTolerance?: number } = {},
): ExperimentClaim {
  const ratios = rows.map((row) => row.reduce((sum, value, k) => sum + value / exact[k], 0) / row.length);
  return meanClaim(
    { what: `${what}, over the exact law with that noise`, expected: 1, slack, largestTolerance },
    measuredMean(ratios),
  );
}

/** The claim that a bound is above an exact law at all checkpoints, and within a factor of it. No chance is in it. */
export function tightClaim(
  what: string,
  bounds: readonly number[],
  exact: readonly number[],
  most: number,
): ExperimentClaim {
  const loose = bounds.map((bound, k) => bound / exact[k]);
  return {
    asked: `${what}: at least the exact error, and at most ${digits(most)} times that`,
    measured: `${digits(min(...loose), 4)} to ${digits(max(...loose), 4)} times`,
    met: loose.every((ratio) => ratio >= 1 && ratio <= most),
  };
}

/** The claim that a number without chance is as expected. */
export function numberClaim(what: string, value: number, expected: number, slack: number): ExperimentClaim {
  return {
    asked: `${what}: ${digits(expected)} ± ${digits(slack)}, computed`,
    measured: digits(value, 5),
    met: abs(value - expected) <= slack,
  };
}

/** The claim that a rate is no more than an upper bound: what is measured is steeper, by more than chance. */
export function steeperClaim(
  what: string,
  expected: number,
  { slope, error }: { readonly slope: number; readonly error: number },
): ExperimentClaim {
  return {
    asked: `${what}: steeper than the claimed ${digits(expected)}, by ${STEEPER} standard errors at least`,
    measured: `${digits(slope)} ± ${digits(error, 2)}, steeper by ${digits(expected - slope)}`,
    met: slope + STEEPER * error <= expected,
  };
}

/** An upper bound is not to be met by chance; what is measured here is steeper by 7 or more, so that false alarms are as rare as others. */
const STEEPER: number = DEVIATIONS - 2;

/** Where slopes of exact laws are taken. */
const FAR: readonly number[] = [250_000, 500_000, 1_000_000];

/** The log-log slope of an exact law at n = 250,000 to 1,000,000. */
export function farSlope(law: (checkpoints: readonly number[]) => readonly number[]): number {
  return exactSlope(FAR, law(FAR));
}
