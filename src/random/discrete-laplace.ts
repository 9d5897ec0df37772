import { checkInteger } from '../check/number.ts';
import { bits, type Random } from './random.ts';
import { uniformInteger } from './uniform.ts';

/** Up to here every whole number is a double, so sums, differences and products below it are exact. */
const WHOLE: number = 2 ** 53;

/**
 * True with probability exp(−a/b), exactly, for whole numbers a ≥ 0 and b ≥ 1.
 *
 * Law: for a ≤ b, coins of probability (a/b)/k are thrown for k = 1, 2, … until one fails; that happens at an odd k with
 * probability Σ (−a/b)ᵏ/k!. For a > b, ⌊a/b⌋ coins of exp(−1) and one for the rest. Each coin compares a uniform whole
 * number below b·k with a; once b·k passes 2⁵³ it is two coins, of a/b and of 1/k. So no number is ever rounded.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, algorithm 1.
 *
 * @throws TypeError or RangeError unless both are whole numbers up to 2⁵³ − 1.
 */
export function bernoulliExponential(numerator: number, denominator: number, random: Random): boolean {
  // One comparison a call; the checks with their messages run only for what is about to be refused.
  if (!(Number.isSafeInteger(numerator) && numerator >= 0)) checkInteger('numerator', numerator, 0);
  if (!(Number.isSafeInteger(denominator) && denominator >= 1)) checkInteger('denominator', denominator, 1);
  let rest = numerator;
  for (; rest > denominator; rest -= denominator) if (!unitExponential(random)) return false;
  if (rest === denominator) return unitExponential(random);
  for (let k = 1; ; k++) {
    const count = denominator * k;
    // The product is exact up to 2⁵³, and a rounded one beyond is not below it.
    const success =
      count <= WHOLE
        ? uniformInteger(count, random) < rest
        : uniformInteger(denominator, random) < rest && uniformInteger(k, random) === 0;
    if (!success) return (k & 1) === 1;
  }
}

/** A coin of exp(−1): the first of the coins is sure to succeed and is not thrown. */
function unitExponential(random: Random): boolean {
  // k reaches 2⁵³ after as many successes of probability 1/k: in no time that will pass, and even there it is exact.
  for (let k = 2; ; k++) if (uniformInteger(k, random) >= 1) return (k & 1) === 1;
}

/**
 * A discrete Laplace number of scale t/s, exactly distributed.
 *
 * Law: each whole number y has a probability proportional to exp(−|y|·s/t): u uniform below t, kept with probability
 * exp(−u/t); v successes of exp(−1) coins; ⌊(u + t·v)/s⌋ with a random sign, −0 refused. Rejection has no limit. Beyond
 * ±(2⁵³ − 1) it saturates: u + t·v ≤ 2⁵³ as long as v < 2¹³, and the one draw in e⁸¹⁹² beyond goes on in bigints. Not constant
 * in time: a larger number takes longer.
 *
 * Shape: t and s are whole numbers, t from 1 to 2⁴⁰ − 1 and s from 1 to 2⁵³ − 1; the caller sees to it.
 *
 * Source: Canonne, Kamath, Steinke (2020), algorithm 2.
 */
export function discreteLaplace(numerator: number, denominator: number, random: Random): number {
  for (;;) {
    const offset = uniformInteger(numerator, random);
    if (!bernoulliExponential(offset, numerator, random)) continue;
    let turns = 0;
    while (bernoulliExponential(1, 1, random)) turns++;
    const negative = bits(random) & 1;
    let magnitude: number;
    if (turns < 8192) {
      const sum = offset + numerator * turns;
      magnitude = (sum - (sum % denominator)) / denominator;
    } else {
      const exact = (BigInt(offset) + BigInt(numerator) * BigInt(turns)) / BigInt(denominator);
      magnitude = exact < BigInt(WHOLE) ? Number(exact) : WHOLE - 1;
    }
    // Zero would otherwise have both signs, and twice its probability.
    if (magnitude === 0 && negative === 1) continue;
    return negative === 1 ? -magnitude : magnitude;
  }
}
