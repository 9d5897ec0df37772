// Finite channels in whole numbers: nothing here is rounded.

import fc from 'fast-check';
import { fraction } from '../privacy/fixed-point.ts';

/** ε from 1e-6 to 40, as many small ones as large ones. */
export const budgets: fc.Arbitrary<number> = fc
  .double({ min: Math.log(1e-6), max: Math.log(40), noNaN: true })
  .map((x) => Math.min(40, Math.exp(x)));

/** A fraction of whole numbers, the denominator positive. */
export interface Fraction {
  readonly above: bigint;
  readonly below: bigint;
}

/**
 * A fraction that is at most e^x, and less by a factor of at most 1 − 1e-30, for x from 0 to 500: so many terms of Taylor's
 * series, in exact arithmetic. (The mechanisms have another way, in fixed point.)
 */
export function exponentialFraction(x: number): Fraction {
  const [whole, unit] = fraction(x);
  // 1 + x/1·(1 + x/2·(1 + x/3·…)), from the inside. Beyond 3x + 60 terms the rest is below 1e-30.
  let above = 1n;
  let below = 1n;
  for (let k = BigInt(Math.ceil(3 * x) + 60); k >= 1n; k--) {
    above = below * unit * k + whole * above;
    below *= unit * k;
  }
  return { above, below };
}

/** Whether above/below ≤ e^epsilon, decided in whole numbers; false when it is too close to tell. */
export function atMostExponential(above: bigint, below: bigint, epsilon: number): boolean {
  const bound = exponentialFraction(epsilon);
  return above * bound.below <= bound.above * below;
}

/** Whether above/below > e^epsilon(1 + 1e-25), decided in whole numbers. */
export function exceedsExponential(above: bigint, below: bigint, epsilon: number): boolean {
  const bound = exponentialFraction(epsilon);
  const scale = 10n ** 25n;
  return above * bound.below * scale > bound.above * below * (scale + 1n);
}

/** A double from 0 to 2⁵³ that is whole, as a bigint; throws for any other. */
export function whole(numerator: number): bigint {
  if (!(numerator >= 0 && numerator <= 2 ** 53)) throw new RangeError(`${numerator} is not from 0 to 2^53`);
  return BigInt(numerator);
}

/** 2⁵³ as a bigint. */
export const UNITS: bigint = 1n << 53n;

/** The two words with which a coin of 53 bits comes out as the given number. */
export function coinWords(number: number): [number, number] {
  return [Math.floor(number / 2 ** 21), (number % 2 ** 21) * 2 ** 11];
}
