import { checkInteger, refusal } from '../check/number.ts';
import { bits, type Random } from './random.ts';
import { uniformBigint, uniformInteger } from './uniform.ts';

const { floor } = Math;

/** Up to here every whole number is a double, so sums, differences and products below it are exact. */
const WHOLE: number = 2 ** 53;

/**
 * True with probability exp(−a/b), exactly, for whole numbers a ≥ 0 and b ≥ 1.
 *
 * Law: for a ≤ b, coins of probability (a/b)/k are thrown for k = 1, 2, … until one fails; that happens at an odd k with
 * probability Σ (−a/b)ᵏ/k!. For a > b, ⌊a/b⌋ coins of exp(−1) and one for the rest. Each coin compares a uniform whole
 * number below b·k with a. Once b·k passes 2⁵³ the same coins go on in bigints, so no number is ever rounded; the
 * same words give the same answer as {@link bernoulliExponentialBigint}.
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
    if (count > WHOLE) return bigintCoins(BigInt(rest), BigInt(denominator), BigInt(k), random);
    if (uniformInteger(count, random) >= rest) return (k & 1) === 1;
  }
}

/** A coin of exp(−1): the first of the coins is sure to succeed and is not thrown. */
function unitExponential(random: Random): boolean {
  // k reaches 2⁵³ after as many successes of probability 1/k: in no time that will pass, and even there it is exact.
  for (let k = 2; ; k++) if (uniformInteger(k, random) >= 1) return (k & 1) === 1;
}

/**
 * True with probability exp(−a/b), exactly, for bigints a ≥ 0 and b ≥ 1 of any size: the reference for
 * {@link bernoulliExponential}, whose law and words it shares.
 *
 * Source: Canonne, Kamath, Steinke (2020), algorithm 1.
 *
 * @throws TypeError for anything that is not a bigint, RangeError for a < 0 or b < 1.
 */
export function bernoulliExponentialBigint(numerator: bigint, denominator: bigint, random: Random): boolean {
  if (typeof numerator !== 'bigint') throw new TypeError(refusal('numerator', 'a bigint >= 0', numerator));
  if (typeof denominator !== 'bigint') throw new TypeError(refusal('denominator', 'a bigint >= 1', denominator));
  if (numerator < 0n) throw new RangeError(refusal('numerator', 'a bigint >= 0', numerator));
  if (denominator < 1n) throw new RangeError(refusal('denominator', 'a bigint >= 1', denominator));
  let rest = numerator;
  for (; rest > denominator; rest -= denominator) if (!bigintCoins(1n, 1n, 2n, random)) return false;
  return rest === denominator ? bigintCoins(1n, 1n, 2n, random) : bigintCoins(rest, denominator, 1n, random);
}

/** The coins from number `first` on. */
function bigintCoins(numerator: bigint, denominator: bigint, first: bigint, random: Random): boolean {
  for (let k = first; ; k++) {
    if (uniformBigint(denominator * k, random) >= numerator) return (k & 1n) === 1n;
  }
}

/**
 * True with the given probability, exactly: a uniform number is compared with the probability digit by digit in base
 * 2³², for as many digits as it takes (nearly always one). Always false at 0 and always true at 1.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [0, 1].
 */
export function bernoulli(probability: number, random: Random): boolean {
  if (!(probability >= 0 && probability <= 1)) {
    const message = refusal('probability', 'a number from 0 to 1', probability);
    throw typeof probability === 'number' ? new RangeError(message) : new TypeError(message);
  }
  let rest = probability;
  // Multiplying by 2³² and taking off the whole part are exact, so the digits end.
  while (rest > 0) {
    rest *= 2 ** 32;
    const digit = floor(rest);
    const word = bits(random);
    if (word !== digit) return word < digit;
    rest -= digit;
  }
  return false;
}
