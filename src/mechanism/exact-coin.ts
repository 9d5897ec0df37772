import { checkInteger, checkRange, RefusedValue } from '../check/refusal.ts';
import { upward } from '../privacy/rounding.ts';
import type { Random } from '../random/random.ts';

const { log1p, min } = Math;

/** The denominator of every probability of a finite mechanism: 2⁵³, so that numerators are whole doubles. */
export const COIN_UNITS: number = 2 ** 53;

/**
 * True with probability numerator/2⁵³, exactly, for a whole numerator from 0 to 2⁵³. Takes two words of the source,
 * whatever the result.
 */
export function exactCoin(numerator: number, random: Random): boolean {
  if (random.next + 2 > random.words.length) random.refill();
  const { words, next } = random;
  random.next = next + 2;
  // 32 + 21 bits: a uniform whole number below 2⁵³, exact in a double.
  return words[next] * 0x200000 + (words[next + 1] >>> 11) < numerator;
}

/**
 * The limits of an exact draw of one of several outcomes: outcome i has the whole numbers from limit i − 1 (0 for the
 * first) to limit i − 1, of 2⁵³ in all. Each share, of a sum of 1, is rounded down to a multiple of 2⁻⁵³; the largest,
 * the first among equals, takes what is left. The same shares give the same limits on every machine.
 */
export function choiceLimits(shares: readonly number[]): number[] {
  const units = shares.map((share) => Math.floor(share * COIN_UNITS));
  const largest = shares.indexOf(Math.max(...shares));
  units[largest] = units.reduce((rest, unit, i) => (i === largest ? rest : rest - unit), COIN_UNITS);
  let limit = 0;
  return units.map((unit) => {
    limit += unit;
    return limit;
  });
}

/** An outcome drawn exactly, counted from 0: see {@link choiceLimits}. Takes two words of the source, whatever the result. */
export function exactChoice(limits: ArrayLike<number>, random: Random): number {
  if (random.next + 2 > random.words.length) random.refill();
  const { words, next } = random;
  random.next = next + 2;
  const number = words[next] * 0x200000 + (words[next + 1] >>> 11);
  let outcome = 0;
  while (number >= limits[outcome]) outcome++;
  return outcome;
}

/** The two probabilities of a channel that, for every datum, makes `near` of its outputs likelier, `far` of them less. */
export interface TwoLevels {
  /** p·2⁵³, a whole number below 2⁵³: with probability p the report is uniform among the near outputs. */
  readonly keep: number;
  /**
   * ε that is spent, log of (p/near)/((1 − p)/far). It is never below the true logarithm, and never above the requested
   * ε (or the double nearest to ε/parts, if several reports share ε).
   */
  readonly exactEpsilon: number;
  /** p − (1 − p)·near/far: the probability of all near outputs minus that of the same number of far outputs. */
  readonly contrast: number;
}

/**
 * The largest keep probability in units of 2⁻⁵³ that is pure ε-locally private for a channel with `near` likelier
 * outputs and `far` others: (p/near)/((1 − p)/far) ≤ e^ε holds between whole numbers, with a lower bound for e^ε. The
 * less likely outputs never have probability 0.
 *
 * Only the ratio near:far matters, so both numbers may be divided by a common factor if they are too large.
 *
 * With `parts` the coin is for that many reports that share ε evenly. Together they spend at most ε exactly, even if
 * the double nearest to ε/parts is above ε/parts.
 * @throws TypeError or RangeError unless ε is 0 or from 1e-20 to 1000, and `near`, `far` and `parts` are whole numbers ≥ 1;
 * RangeError for an ε so small that no keep probability in units of 2⁻⁵³ has a ratio from 1 to e^ε.
 *
 * @example
 * ```ts
 * import { COIN_UNITS, twoLevels } from 'ldpkit/mechanism';
 * // A bit that is kept with the largest probability that ε = 1 allows.
 * console.log((twoLevels(1, 1, 1).keep / COIN_UNITS).toFixed(4)); // 0.7311
 * ```
 */
export function twoLevels(epsilon: number, near: number, far: number, parts: number = 1): TwoLevels {
  for (const count of [near, far, parts]) checkInteger('count', count, 1);
  // Smaller parts of ε would be no whole numbers of the units that the proof is made in.
  checkRange('epsilon', epsilon, epsilon ? 1e-20 : 0, 1e3);
  return levelsOf({ epsilon, part: epsilon / parts, below: exponentialOfPart(epsilon, parts) }, near, far);
}

/** {@link twoLevels} of one report, of numbers that were checked: what a device needs. */
export function checkedLevels(epsilon: number, near: number, far: number): TwoLevels {
  return levelsOf({ epsilon, part: epsilon, below: exponentialBelow(epsilon) }, near, far);
}

/** ε, what a report may spend of it, and a lower bound for e to the power of this. */
interface Spending {
  readonly epsilon: number;
  readonly part: number;
  readonly below: bigint;
}

function levelsOf({ epsilon, part, below }: Spending, near: number, far: number): TwoLevels {
  const a = BigInt(near);
  const b = BigInt(far);
  const units = BigInt(COIN_UNITS);
  const weight = below * a;
  // The largest whole number with keep·far·2^places ≤ weight·(2⁵³ − keep).
  const keep = (weight * units) / (weight + (b << EXPONENTIAL_PLACES));
  const rest = units - keep;
  const difference = keep * b - rest * a;
  // Rounded down so far that the far outputs are the likelier ones, by a factor that e^ε may not cover.
  if (difference < 0n) throw new RefusedValue('epsilon', 'a number that multiples of 2^-53 can spend', epsilon);
  return {
    keep: Number(keep),
    exactEpsilon: min(part, upward(log1p(Number(difference) / Number(rest * a)))),
    contrast: Number(difference) / Number(units * b),
  };
}

/** A lower bound for e^(ε/parts), as {@link exponentialBelow} gives, where ε/parts need not be a double. */
function exponentialOfPart(epsilon: number, parts: number): bigint {
  const part = epsilon / parts;
  const whole = exponentialBelow(part);
  if (parts === 1) return whole;
  // part·parts − ε in units of 2⁻¹⁹²: whole for parts of ε from 1e-40 on.
  const excess = BigInt(parts) * scaled(part) - scaled(epsilon);
  if (excess <= 0n) return whole;
  // The double is too large by x, at most 2⁻⁵³ of it; corrected with e^(−x) ≥ 1 − x, rounded down.
  return (whole * ((BigInt(parts) << EXPONENTIAL_PLACES) - excess)) / (BigInt(parts) << EXPONENTIAL_PLACES);
}

/** A double in units of 2⁻¹⁹². */
function scaled(value: number): bigint {
  return BigInt(value * 2 ** Number(EXPONENTIAL_PLACES));
}

export const EXPONENTIAL_PLACES = 192n;

/** The argument is divided by 2¹² before the series and the result squared twelve times. */
const HALVINGS = 12n;

/**
 * A whole number at most 2¹⁹²·eˣ, and less by a factor of at most 1 − 1e-50, x in [0, 1000]: for proofs that a ratio of
 * probabilities does not exceed eˣ. Whole numbers only: every step rounds down, and `Math.exp` is not trusted.
 */
export function exponentialBelow(x: number): bigint {
  checkRange('x', x, 0, 1000);
  // x = digits·2^−places exactly: multiplying a double by 2 is exact.
  let digits = x;
  let places = 0n;
  while (!Number.isInteger(digits)) {
    digits *= 2;
    places++;
  }
  const numerator = BigInt(digits);
  // All terms of Taylor's series are positive; each is rounded down, and so is the sum where it ends.
  let term = 1n << EXPONENTIAL_PLACES;
  let sum = term;
  for (let k = 1n; term > 0n; k++) {
    term = (term * numerator) / (k << (places + HALVINGS));
    sum += term;
  }
  for (let k = 0n; k < HALVINGS; k++) sum = (sum * sum) >> EXPONENTIAL_PLACES;
  return sum;
}
