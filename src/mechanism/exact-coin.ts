import { EXPONENTIAL_PLACES, exponentialBelow } from '../numeric/exponential-bound.ts';
import { upward } from '../privacy/rounding.ts';
import type { Random } from '../random/random.ts';

const { log1p, min } = Math;

/** The denominator of every probability of a finite mechanism: 2⁵³, so that numerators are whole doubles. */
export const COIN_UNITS: number = 2 ** 53;

/**
 * True with probability numerator/2⁵³, exactly, for a whole numerator from 0 to 2⁵³. Takes two words of the source,
 * whatever comes out.
 */
export function exactCoin(numerator: number, random: Random): boolean {
  if (random.next + 2 > random.words.length) random.refill();
  const { words, next } = random;
  random.next = next + 2;
  // 32 + 21 bits: a uniform whole number below 2⁵³, exact in a double.
  return words[next] * 0x200000 + (words[next + 1] >>> 11) < numerator;
}

/**
 * The two probabilities of a finite channel that, for every datum, makes `near` of its outputs likelier and `far` of them
 * less likely.
 */
export interface TwoLevels {
  /** p·2⁵³, a whole number below 2⁵³: with probability p the report is uniform among the near outputs. */
  readonly keep: number;
  /** ε that is spent, log of (p/near)/((1 − p)/far): never below the true logarithm, never above the ε asked. */
  readonly exactEpsilon: number;
  /** p − (1 − p)·near/far, how much likelier all near outputs are than as many far ones. */
  readonly contrast: number;
}

/**
 * The largest keep probability in units of 2⁻⁵³ that is pure ε-locally private for a channel with `near` likelier outputs
 * and `far` others: (p/near)/((1 − p)/far) ≤ e^ε holds between whole numbers, e^ε taken from below. The less likely
 * outputs never have probability 0.
 *
 * Only the ratio near:far matters, so numbers of outputs that are too many to count may be reduced. Both are whole numbers
 * ≥ 1, and ε is from 0 to 1000: for the caller to ensure.
 */
export function twoLevels(epsilon: number, near: number, far: number): TwoLevels {
  const a = BigInt(near);
  const b = BigInt(far);
  const units = BigInt(COIN_UNITS);
  const weight = exponentialBelow(epsilon) * a;
  // The largest whole number with keep·far·2^places ≤ weight·(2⁵³ − keep).
  const keep = (weight * units) / (weight + (b << EXPONENTIAL_PLACES));
  const rest = units - keep;
  const difference = keep * b - rest * a;
  return {
    keep: Number(keep),
    exactEpsilon: min(epsilon, upward(log1p(Number(difference) / Number(rest * a)))),
    contrast: Number(difference) / Number(units * b),
  };
}
