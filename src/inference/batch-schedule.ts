import { checkInteger, checkOpenUnit, checkPositive } from '../check/number.ts';

const { floor, min } = Math;

/** Where the batches of batch means begin: at a_m = ⌊c·m^(2/(1 − α))⌋. */
export interface BatchSchedule {
  /** α in (0, 1), the exponent of the step size γ·i^(−α). */
  readonly stepExponent: number;
  /** c > 0. */
  readonly scale: number;
}

/**
 * The schedule of a step size γ·i^(−α): batch m is of the order m^((1 + α)/(1 − α)), longer than the correlation of the
 * iterates there.
 *
 * @throws TypeError or RangeError unless 0 < α < 1 and the scale is finite and > 0.
 * Source: Zhu, Chen and Wu (2023), Online covariance matrix estimation in SGD.
 */
export function batchSchedule(stepExponent: number, scale: number = 1): BatchSchedule {
  return {
    stepExponent: checkOpenUnit('stepExponent', stepExponent),
    scale: checkPositive('scale', scale),
  };
}

/** The beginning of a batch and its number m. */
export interface BatchStart {
  readonly batch: number;
  /** a_m, the place of its first iterate, at most 2⁵³ − 1. */
  readonly start: number;
}

/**
 * The first batch with a number above `batch` that begins after the place `place`.
 *
 * @throws TypeError or RangeError unless both are whole numbers ≥ 0.
 */
export function nextBatch(schedule: BatchSchedule, batch: number, place: number): BatchStart {
  checkInteger('batch', batch, 0);
  checkInteger('place', place, 0);
  const exponent = 2 / (1 - schedule.stepExponent);
  for (let m = batch + 1; ; m++) {
    // Nudged, so that a power that is a whole number is one whichever way the machine rounds it.
    const start = floor(schedule.scale * m ** exponent * (1 + 1e-12));
    // Starts that rounding down makes equal are one batch; a start no stream reaches is kept finite.
    if (start > place) return { batch: m, start: min(start, Number.MAX_SAFE_INTEGER) };
  }
}
