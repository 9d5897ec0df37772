import { bernoulliExponential, bernoulliExponentialBigint } from './bernoulli.ts';
import { bits, type Random } from './random.ts';
import { lowestTerms, type PositiveRational } from './rational.ts';
import { uniformBigint, uniformInteger } from './uniform.ts';

/** Numerators below this are drawn in plain numbers. */
const PLAIN: bigint = 1n << 40n;

/** Public constants of a discrete Laplace law, made by {@link discreteLaplaceLaw}. */
export interface DiscreteLaplaceLaw {
  /** The scale t/s in lowest terms. */
  readonly scale: PositiveRational;
  /** t and s as numbers, if t < 2⁴⁰ and s < 2⁵³: then draws need no bigints. */
  readonly plain: { readonly numerator: number; readonly denominator: number } | undefined;
}

/**
 * The discrete Laplace law of scale t/s: each whole number y has a probability proportional to exp(−|y|·s/t).
 *
 * @throws TypeError or RangeError unless numerator and denominator are bigints ≥ 1.
 */
export function discreteLaplaceLaw(scale: PositiveRational): DiscreteLaplaceLaw {
  const { numerator, denominator } = lowestTerms('scale', scale);
  const small = numerator < PLAIN && denominator <= BigInt(Number.MAX_SAFE_INTEGER);
  const plain = small ? { numerator: Number(numerator), denominator: Number(denominator) } : undefined;
  return { scale: { numerator, denominator }, plain };
}

/**
 * A discrete Laplace number, exactly distributed.
 *
 * Law: see {@link discreteLaplaceLaw}. Beyond ±(2⁵³ − 1), what this returns, it saturates. In plain numbers where the variant
 * found that they suffice: u + t·v ≤ 2⁵³ as long as v < 2¹³, and the one draw in e⁸¹⁹² beyond goes on in bigints. The
 * same words give the same number as {@link discreteLaplaceBigint}. Not constant in time: a larger number takes longer.
 *
 * Source: Canonne, Kamath, Steinke (2020), algorithm 2.
 */
export function discreteLaplace(law: DiscreteLaplaceLaw, random: Random): number {
  if (law.plain === undefined) return saturated(discreteLaplaceBigint(law.scale, random));
  const { numerator, denominator } = law.plain;
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
      const sum = BigInt(offset) + BigInt(numerator) * BigInt(turns);
      magnitude = saturated(sum / BigInt(denominator));
    }
    // Zero would otherwise have both signs, and twice its probability.
    if (magnitude === 0 && negative === 1) continue;
    return negative === 1 ? -magnitude : magnitude;
  }
}

/**
 * A discrete Laplace number for a scale of any size: the reference for {@link discreteLaplace}.
 *
 * Law: u uniform below t, kept with probability exp(−u/t); v successes of exp(−1) coins; ⌊(u + t·v)/s⌋ with a random sign,
 * −0 refused. Rejection has no limit.
 *
 * Source: Canonne, Kamath, Steinke (2020), algorithm 2.
 *
 * @throws TypeError or RangeError unless numerator and denominator are bigints ≥ 1.
 */
export function discreteLaplaceBigint(scale: PositiveRational, random: Random): bigint {
  const { numerator, denominator } = lowestTerms('scale', scale);
  for (;;) {
    const offset = uniformBigint(numerator, random);
    if (!bernoulliExponentialBigint(offset, numerator, random)) continue;
    let turns = 0n;
    while (bernoulliExponentialBigint(1n, 1n, random)) turns++;
    const negative = (bits(random) & 1) === 1;
    const magnitude = (offset + numerator * turns) / denominator;
    if (magnitude === 0n && negative) continue;
    return negative ? -magnitude : magnitude;
  }
}

/** A bigint as a number, the safe integers at both ends standing for everything beyond. */
function saturated(value: bigint): number {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(value > limit ? limit : value < -limit ? -limit : value);
}
