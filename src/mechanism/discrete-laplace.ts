import { checkInteger, refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { upward } from '../privacy/rounding.ts';
import type { PositiveRational } from '../random/gaussian-cells.ts';
import type { Random } from '../random/random.ts';
import { bits, uniformInteger } from '../random/uniform.ts';
import { checkEpsilonRange } from './unit-mechanism.ts';

const { max, min, sinh } = Math;

/** Bits of the scale's denominator; fewer if the numerator would reach 2⁴⁰, so that draws need no bigints. */
const FRACTION = 30n;

/** What is requested of a discrete Laplace mechanism. */
export interface DiscreteLaplaceRequest {
  /** ε of one report, from 1e-9 to 1000. */
  readonly epsilon: number;
  /** Δ, a whole number ≥ 1: the largest distance between the values at two data of one player. */
  readonly sensitivity: number;
}

/** Public constants of the discrete Laplace mechanism, and the properties of its report. Plain data. */
export interface DiscreteLaplaceMechanism extends DiscreteLaplaceRequest {
  readonly name: 'discrete Laplace';
  /** t: the scale of the noise is t/s, a fraction not below Δ/ε. */
  readonly numerator: number;
  /** s, a power of two. */
  readonly denominator: number;
  /** Δ·s/t, the ε that is really spent, rounded up; never above the requested ε. */
  readonly exactEpsilon: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
  /** Mean squared error of a report, the variance of the noise: 1/(2·sinh²(s/2t)). There is no bias. */
  readonly squaredError: number;
}

/**
 * The discrete Laplace mechanism on a whole number: exact noise of scale Δ/ε, rounded up to a fraction with denominator
 * at most 2³⁰, so that ε can only shrink.
 *
 * Guarantee: pure ε, exactly. The probabilities of y at two values v, v′ have the ratio exp((|y − v′| − |y − v|)·s/t),
 * at most exp(Δ·s/t), and Δ·s/t ≤ ε holds exactly, as an inequality of fractions.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, section 3 and algorithm 2.
 *
 * @throws TypeError or RangeError unless ε is from 1e-9 to 1000, Δ is a whole number ≥ 1 and Δ/ε < 2⁴⁰.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { discreteLaplaceMechanism, randomizeDiscreteLaplace } from 'ldpkit/mechanism';
 * const mechanism = discreteLaplaceMechanism({ epsilon: 1, sensitivity: 1 });
 * console.log(Number.isInteger(randomizeDiscreteLaplace(mechanism, 17, seededRandom('a simulation')))); // true
 * ```
 */
export function discreteLaplaceMechanism(request: DiscreteLaplaceRequest): DiscreteLaplaceMechanism {
  const epsilon = checkEpsilonRange(request.epsilon, 1000);
  const sensitivity = checkInteger('sensitivity', request.sensitivity, 1);
  const exact = exactRational(epsilon);
  /** ⌈Δ·2^bits/ε⌉. */
  const numeratorAt = (bits: bigint): bigint => {
    const above = (BigInt(sensitivity) * exact.denominator) << bits;
    return (above + exact.numerator - 1n) / exact.numerator;
  };
  let bits = FRACTION;
  while (bits > 0n && numeratorAt(bits) >= 1n << 40n) bits--;
  if (numeratorAt(bits) >= 1n << 40n) {
    throw new RefusedValue(refusal('sensitivity', 'a whole number below 2^40·epsilon', sensitivity));
  }
  const numerator = Number(numeratorAt(bits));
  const denominator = Number(1n << bits);
  return {
    name: 'discrete Laplace',
    epsilon,
    sensitivity,
    numerator,
    denominator,
    exactEpsilon: min(epsilon, upward(sensitivity * (denominator / numerator))),
    guarantee: pure(epsilon),
    squaredError: 0.5 / sinh(denominator / (2 * numerator)) ** 2,
  };
}

/**
 * One report of a whole number. The caller must ensure that two data differ by at most the sensitivity.
 *
 * Law: see {@link discreteLaplaceMechanism}; beyond ±(2⁵³ − 1) it saturates, which is post-processing.
 *
 * @throws TypeError for anything that is not a number, RangeError for one that is not whole or beyond ±2⁵², without its
 * value.
 */
export function randomizeDiscreteLaplace(mechanism: DiscreteLaplaceMechanism, value: number, random: Random): number {
  if (typeof value !== 'number') throw new RefusedKind('"value" expected a whole number from -2^52 to 2^52');
  if (!(Number.isInteger(value) && value >= -(2 ** 52) && value <= 2 ** 52)) {
    throw new RefusedValue('"value" expected a whole number from -2^52 to 2^52');
  }
  const report = value + discreteLaplace(mechanism.numerator, mechanism.denominator, random);
  return max(-Number.MAX_SAFE_INTEGER, min(Number.MAX_SAFE_INTEGER, report));
}

/** A finite double > 0 as a fraction, without rounding. */
function exactRational(value: number): PositiveRational {
  let denominator = 1n;
  let whole = value;
  // Doubling is exact, and every double times a large enough power of two is whole.
  for (; !Number.isInteger(whole); whole *= 2) denominator *= 2n;
  return { numerator: BigInt(whole), denominator };
}

/** Up to here every whole number is a double, so sums, differences and products below it are exact. */
const WHOLE: number = 2 ** 53;

/**
 * True with probability exp(−a/b), exactly, for whole numbers a ≥ 0 and b ≥ 1.
 *
 * Law: for a ≤ b, coins of probability (a/b)/k are tossed for k = 1, 2, … until one fails; the first failure is at an
 * odd k with probability Σ (−a/b)ᵏ/k!. For a > b, ⌊a/b⌋ coins of exp(−1) are tossed and one coin for the rest. Each
 * coin compares a uniform whole number below b·k with a; once b·k exceeds 2⁵³, it is replaced by two coins, of a/b and
 * of 1/k. So no number is ever rounded.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, algorithm 1.
 *
 * @throws TypeError or RangeError unless both are whole numbers up to 2⁵³ − 1.
 */
export function bernoulliExponential(numerator: number, denominator: number, random: Random): boolean {
  // One comparison per call; the checks with their messages run only for values that will be refused.
  if (!(Number.isSafeInteger(numerator) && numerator >= 0)) checkInteger('numerator', numerator, 0);
  if (!(Number.isSafeInteger(denominator) && denominator >= 1)) checkInteger('denominator', denominator, 1);
  let rest = numerator;
  for (; rest > denominator; rest -= denominator) if (!unitExponential(random)) return false;
  if (rest === denominator) return unitExponential(random);
  for (let k = 1; ; k++) {
    const count = denominator * k;
    // The product is exact up to 2⁵³; a larger product, even when rounded, is not below 2⁵³.
    const success =
      count <= WHOLE
        ? uniformInteger(count, random) < rest
        : uniformInteger(denominator, random) < rest && uniformInteger(k, random) === 0;
    if (!success) return (k & 1) === 1;
  }
}

/** A coin of exp(−1): the first of its coins always succeeds and is not tossed. */
function unitExponential(random: Random): boolean {
  // k reaches 2⁵³ only after so many successes of probability 1/k: this never happens, and even there the coin is
  // exact.
  for (let k = 2; ; k++) if (uniformInteger(k, random) >= 1) return (k & 1) === 1;
}

/**
 * A discrete Laplace number of scale t/s, exactly distributed.
 *
 * Law: each whole number y has a probability proportional to exp(−|y|·s/t). A draw takes u uniform below t, kept with
 * probability exp(−u/t), and v, the number of successes of exp(−1) coins. The result is ⌊(u + t·v)/s⌋ with a random
 * sign, −0 refused. Rejection has no limit. Beyond ±(2⁵³ − 1) it saturates: u + t·v ≤ 2⁵³ as long as v < 2¹³, and the
 * one draw in e⁸¹⁹² with a larger v continues in bigints. Not constant in time: a larger number takes longer.
 *
 * Shape: t and s are whole numbers, t from 1 to 2⁴⁰ − 1 and s from 1 to 2⁵³ − 1; the caller must ensure this.
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
    // Otherwise zero would occur with both signs, and so with twice its probability.
    if (magnitude === 0 && negative === 1) continue;
    return negative === 1 ? -magnitude : magnitude;
  }
}
