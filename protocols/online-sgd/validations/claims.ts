import type { FigureCurve } from '../../../src/simulation/figure.ts';
import type { ExperimentClaim } from '../../../src/simulation/paper-experiment.ts';
import {
  columnMeans,
  digits,
  logSlope,
  type MeanError,
  meanPoints,
  plusMinus,
  type Slope,
} from '../reproductions/statistics.ts';

const { abs, ceil, max, min } = Math;

/**
 * How many standard errors a claim allows: a normal number is beyond them with probability 6e-5, a t with 30 degrees of freedom
 * with 4e-4, and one with 15, as for the fewest replications here, with 1.2e-3 were there no room for a finite n besides.
 */
export const DEVIATIONS = 4;

/** α as claims name it: `α = 1/2`. */
export function decayName(decay: number): string {
  const names: { readonly [decay: number]: string } = {
    [1 / 4]: '1/4',
    [1 / 3]: '1/3',
    [1 / 2]: '1/2',
    [2 / 3]: '2/3',
  };
  return `α = ${names[decay] ?? decay}`;
}

/** A rate: the log-log slope is the one that is claimed, up to its error and what a finite n adds. */
export function slopeClaim(what: string, claimed: number, { slope, error }: Slope, finite: number): ExperimentClaim {
  const tolerance = DEVIATIONS * error + finite;
  return {
    asked: `log-log slope of ${what}: ${digits(claimed)} ± ${tolerance.toFixed(3)} (${DEVIATIONS} standard errors and ${finite} for a finite n)`,
    measured: plusMinus(slope, error),
    met: abs(slope - claimed) <= tolerance,
  };
}

/** A rate as an upper bound: the error falls at least as fast. */
export function atMostSlopeClaim(
  what: string,
  claimed: number,
  { slope, error }: Slope,
  finite: number,
): ExperimentClaim {
  const tolerance = DEVIATIONS * error + finite;
  return {
    asked: `log-log slope of ${what}: at most ${digits(claimed)} (+ ${tolerance.toFixed(3)}: ${DEVIATIONS} standard errors and ${finite} for a finite n)`,
    measured: plusMinus(slope, error),
    met: slope <= claimed + tolerance,
  };
}

/** A bound: at no checkpoint is the mean above it by more than so many standard errors. Says how loose it is. */
export function boundClaim(
  what: string,
  checkpoints: readonly number[],
  means: readonly MeanError[],
  bound: (steps: number) => number,
): ExperimentClaim {
  let met = true;
  const loose = means.map(({ mean, error }, k) => {
    const at = bound(checkpoints[k]);
    // A bound that is not finite says nothing, and meets no claim.
    met &&= Number.isFinite(at) && mean - DEVIATIONS * error <= at;
    return at / mean;
  });
  return {
    asked: `${what} is above the mean at all ${checkpoints.length} checkpoints from n = ${checkpoints[0]} to ${checkpoints[checkpoints.length - 1]}`,
    measured: `bound over mean: ${digits(loose[loose.length - 1])} at the end, ${digits(min(...loose))} to ${digits(max(...loose))} along the way`,
    met,
  };
}

/** A number that is claimed, up to its error and a share of it for a finite n. */
export function ratioClaim(what: string, { mean, error }: MeanError, finite: number): ExperimentClaim {
  const tolerance = DEVIATIONS * error + finite;
  return {
    asked: `${what}: 1 ± ${tolerance.toFixed(3)} (${DEVIATIONS} standard errors and ${finite} for a finite n)`,
    measured: plusMinus(mean, error),
    met: abs(mean - 1) <= tolerance,
  };
}

/** Everything that is said of the replications of one error: rows by replication and checkpoint. */
export interface Measured {
  readonly means: readonly MeanError[];
  readonly slope: Slope;
}

/** Means at the checkpoints and the log-log slope from `from` on. */
export function measure(checkpoints: readonly number[], rows: readonly (readonly number[])[], from: number): Measured {
  return { means: columnMeans(rows), slope: logSlope(checkpoints, rows, from) };
}

/** Most points of a drawn curve. */
const DRAWN = 14;

/** Indices of the checkpoints that are drawn, evenly, the last among them. */
function drawn(count: number): readonly number[] {
  const stride = ceil(count / DRAWN);
  return Array.from({ length: ceil(count / stride) }, (_, i) => count - 1 - i * stride).reverse();
}

/** What was measured, with bars of two standard errors. */
export function measuredCurve(
  name: string,
  style: number,
  checkpoints: readonly number[],
  means: readonly MeanError[],
): FigureCurve {
  const shown = drawn(checkpoints.length);
  const points = meanPoints(
    shown.map((k) => checkpoints[k]),
    shown.map((k) => means[k]),
  );
  return { name, style, dashed: false, points };
}

/** What is claimed, dashed. */
export function claimedCurve(
  name: string,
  style: number,
  checkpoints: readonly number[],
  of: (x: number) => number,
): FigureCurve {
  const points = drawn(checkpoints.length).map((k) => ({ x: checkpoints[k], y: of(checkpoints[k]) }));
  return { name, style, dashed: true, points };
}

/** The rate c·n^(−e) through a measured point. */
export function rateThrough(steps: number, value: number, exponent: number): (n: number) => number {
  return (n) => value * (n / steps) ** -exponent;
}

/** Standard error of a share of `count` independent trials; never that of 0 or 1, which would be none. */
export function shareError(share: number, count: number): number {
  return Math.sqrt(max(share * (1 - share), 1 / count) / count);
}
