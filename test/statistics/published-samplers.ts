import { bits, type Random, uniformInteger } from '../../src/random/random.ts';

// The samplers of Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, as published: in bigints
// throughout. The samplers of the library are tested against them.

/** A positive rational number. */
interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A whole number from 0 to `count` − 1, all equally likely: the words and the number of `uniformInteger`, for counts of any size. */
export function uniformBigint(count: bigint, random: Random): bigint {
  if (count <= 1n << 53n) return BigInt(uniformInteger(Number(count), random));
  const length = Math.ceil(count.toString(16).length / 8);
  const last = (1n << BigInt(32 * length)) - count;
  for (;;) {
    let number = 0n;
    for (let i = 0; i < length; i++) number = (number << 32n) | BigInt(bits(random));
    // Numbers of the last, incomplete run of `count` values are refused: fewer than half of all.
    const rest = number % count;
    if (number - rest <= last) return rest;
  }
}

/** True with probability exp(−a/b): algorithm 1. */
export function bernoulliExponentialBigint(numerator: bigint, denominator: bigint, random: Random): boolean {
  let rest = numerator;
  for (; rest > denominator; rest -= denominator) if (!coins(1n, 1n, 2n, random)) return false;
  return rest === denominator ? coins(1n, 1n, 2n, random) : coins(rest, denominator, 1n, random);
}

/** The coins from number `first` on. */
function coins(numerator: bigint, denominator: bigint, first: bigint, random: Random): boolean {
  for (let k = first; ; k++) {
    if (uniformBigint(denominator * k, random) >= numerator) return (k & 1n) === 1n;
  }
}

/** A discrete Laplace number of scale t/s: algorithm 2. */
export function discreteLaplaceBigint({ numerator, denominator }: Rational, random: Random): bigint {
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

/** A discrete Gaussian number of variance σ²: algorithm 3, with t = ⌊σ⌋ + 1. */
export function discreteGaussianBigint({ numerator, denominator }: Rational, random: Random): bigint {
  let t = 1n;
  while (t * t <= numerator / denominator) t *= 2n;
  for (let step = t / 2n; step > 0n; step /= 2n) while ((t - step) ** 2n > numerator / denominator) t -= step;
  const below = 2n * numerator * denominator * t * t;
  for (;;) {
    const y = discreteLaplaceBigint({ numerator: t, denominator: 1n }, random);
    const gap = (y < 0n ? -y : y) * t * denominator - numerator;
    if (bernoulliExponentialBigint(gap * gap, below, random)) return y;
  }
}
