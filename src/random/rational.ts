import { refusal } from '../check/number.ts';

/** A positive rational number; not necessarily in lowest terms. */
export interface PositiveRational {
  /** ≥ 1. */
  readonly numerator: bigint;
  /** ≥ 1. */
  readonly denominator: bigint;
}

/**
 * A positive rational in lowest terms.
 *
 * @throws TypeError or RangeError unless numerator and denominator are bigints ≥ 1.
 */
export function lowestTerms(name: string, value: PositiveRational): PositiveRational {
  for (const part of ['numerator', 'denominator'] as const) {
    const number = value[part];
    if (typeof number !== 'bigint') throw new TypeError(refusal(`${name}.${part}`, 'a bigint >= 1', number));
    if (number < 1n) throw new RangeError(refusal(`${name}.${part}`, 'a bigint >= 1', number));
  }
  let divisor = value.numerator;
  for (let rest = value.denominator; rest > 0n; ) [divisor, rest] = [rest, divisor % rest];
  return { numerator: value.numerator / divisor, denominator: value.denominator / divisor };
}

/** A finite double > 0 as the fraction that it is, without rounding; that it is one is for the caller to ensure. */
export function exactRational(value: number): PositiveRational {
  let denominator = 1n;
  let whole = value;
  // Doubling is exact, and every double times a power of two large enough is whole.
  for (; !Number.isInteger(whole); whole *= 2) denominator *= 2n;
  return lowestTerms('value', { numerator: BigInt(whole), denominator });
}

/** ⌊√n⌋ for n ≥ 0, by Newton's steps from above. */
export function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let root = 1n << BigInt(2 * n.toString(16).length);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
