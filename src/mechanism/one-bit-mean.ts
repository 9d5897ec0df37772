import { checkUnitInterval } from '../check/datum.ts';
import type { PureGuarantee } from '../privacy/guarantee.ts';
import { pure } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import { COIN_UNITS, exactCoin, twoLevels } from './exact-coin.ts';
import { checkEpsilonRange } from './unit-mechanism.ts';

const { abs, round } = Math;

/** Public constants of the one-bit report of a number in [−1, 1]. Plain data. */
export interface OneBitMean {
  readonly name: 'one-bit mean';
  /** The requested ε of one report. */
  readonly epsilon: number;
  /** p·2⁵³, a whole number: with probability p the report is the rounded sign, otherwise the other one. */
  readonly keep: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
  /** ε that is spent, log of p/(1 − p), rounded up; never above the requested ε. */
  readonly exactEpsilon: number;
  /** 1/(2p − 1): `scale` times the report is unbiased for the number. */
  readonly scale: number;
  /** The largest variance of `scale` times the report: scale², at the number 0. At x the variance is scale² − x². */
  readonly largestVariance: number;
}

/**
 * An unbiased one-bit report of a number in [−1, 1]: the mechanism with the least worst-case variance for a mean under
 * pure ε-local privacy with one bit.
 *
 * Law: x is rounded at random to −1 or 1 with mean x, and the report is that sign with probability p = e^ε/(1 + e^ε)
 * and the opposite one otherwise. All probabilities are whole numbers over 2⁵³, drawn exactly; x is rounded to the
 * nearest multiple of 2⁻⁵³, so the mean is within 2⁻⁵⁴ of x.
 *
 * Guarantee: pure ε: for every x the report's law is a mixture of two laws whose ratio is p/(1 − p). This ratio is at
 * most e^ε between whole numbers.
 *
 * Source: Duchi, Jordan, Wainwright (2018), Minimax optimal procedures for locally private estimation, JASA.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { oneBitMean, randomizeOneBitMean } from 'ldpkit/mechanism';
 * const mechanism = oneBitMean({ epsilon: 2 });
 * const random = seededRandom('a simulation');
 * let sum = 0;
 * for (let i = 0; i < 40_000; i++) sum += mechanism.scale * randomizeOneBitMean(mechanism, 0.3, random);
 * console.log((sum / 40_000).toFixed(2)); // 0.30
 * ```
 */
export function oneBitMean(request: { readonly epsilon: number }): OneBitMean {
  const epsilon = checkEpsilonRange(request.epsilon, 500);
  const { keep, exactEpsilon, contrast } = twoLevels(epsilon, 1, 1);
  const scale = 1 / contrast;
  return {
    name: 'one-bit mean',
    epsilon,
    keep,
    guarantee: pure(epsilon),
    exactEpsilon,
    scale,
    largestVariance: scale * scale,
  };
}

/**
 * One report of a number in [−1, 1], −1 or 1. Takes six words of the source whatever the number.
 *
 * Law: see {@link oneBitMean}.
 *
 * @throws TypeError or RangeError for anything but a number in [−1, 1], without its value.
 */
export function randomizeOneBitMean(mechanism: OneBitMean, value: number, random: Random): -1 | 1 {
  const x = checkUnitInterval('value', value);
  // The sign of x with probability |x|, otherwise a fair sign: the mean is x, and no sum 1 + x is ever rounded.
  const own = exactCoin(round(abs(x) * COIN_UNITS), random);
  const fair = exactCoin(COIN_UNITS / 2, random);
  const kept = exactCoin(mechanism.keep, random);
  const positive = own ? x > 0 : fair;
  return positive === kept ? 1 : -1;
}
