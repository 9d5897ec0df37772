import { checkInteger, checkOpenUnit, checkPositive, refusal } from '../check/number.ts';

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
 * Source: Zhu, Chen and Wu (2023), Online covariance matrix estimation in SGD.
 *
 * @throws TypeError or RangeError unless 0 < α < 1 and the scale is finite, > 0 and so large that numbers of batches stay whole
 * numbers below 2⁵³: at least 1e-49 at α = .51.
 */
export function batchSchedule(stepExponent: number, scale: number = 1): BatchSchedule {
  checkOpenUnit('stepExponent', stepExponent);
  const least = Number.MAX_SAFE_INTEGER ** (1 - 2 / (1 - stepExponent));
  if (checkPositive('scale', scale) < least) throw new RangeError(refusal('scale', `a number >= ${least}`, scale));
  return { stepExponent, scale };
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
  const { stepExponent, scale } = schedule;
  const exponent = 2 / (1 - stepExponent);
  // Nudged, so that a power that is a whole number is one whichever way the machine rounds it.
  const startOf = (m: number): number => floor(scale * m ** exponent * (1 + 1e-12));
  // Starts grow with m: from just below the m that begins at the place, in steps that double, then by halves. Counting one by one
  // would take 2·10⁷ steps to the first batch of a scale of 1e-30.
  let low = batch;
  const guess = floor((place / scale) ** (1 / exponent) * (1 - 1e-12)) - 1;
  if (guess > low && startOf(guess) <= place) low = guess;
  let high = low + 1;
  for (let stride = 1; startOf(high) <= place; stride *= 2) {
    low = high;
    high += stride;
  }
  while (high - low > 1) {
    const middle = floor((low + high) / 2);
    if (startOf(middle) > place) high = middle;
    else low = middle;
  }
  // Starts that rounding down makes equal are one batch; a start no stream reaches is kept finite.
  return { batch: high, start: min(startOf(high), Number.MAX_SAFE_INTEGER) };
}
