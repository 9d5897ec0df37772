import { checkInteger, refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Random } from './random.ts';

const { floor } = Math;

/** Twice the spacing of the grid on which {@link uniform} falls. */
const STEP = 2 ** -52;

/** The next 32 uniform bits, as an integer in [0, 2³²). */
export function bits(random: Random): number {
  if (random.next >= random.words.length) random.refill();
  return random.words[random.next++];
}

/**
 * A uniform number strictly between 0 and 1.
 *
 * Law: each odd multiple of 2⁻⁵³ in (0, 1) has the same probability. The grid is symmetric: 1 − u, which is exact, has
 * the same law.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { uniform } from 'ldpkit/mechanism';
 * const random = seededRandom('example');
 * console.log(uniform(random) < 1, uniform(random) >= 0); // true true
 * ```
 */
export function uniform(random: Random): number {
  if (random.next + 2 > random.words.length) random.refill();
  const { words, next } = random;
  random.next = next + 2;
  return (words[next] * 0x100000 + (words[next + 1] >>> 12) + 0.5) * STEP;
}

/** Fills a vector with independent numbers of {@link uniform}, the same numbers as separate calls give. */
export function fillUniform(target: Float64Array, random: Random): void {
  for (let i = 0; i < target.length; i++) target[i] = uniform(random);
}

/**
 * A whole number from 0 to `count` − 1, all equally likely (without bias, by rejection).
 *
 * @throws TypeError or RangeError for a count that is not a whole number from 1 to 2⁵³.
 */
export function uniformInteger(count: number, random: Random): number {
  if (!(count >= 1 && count <= 2 ** 53 && floor(count) === count)) checkInteger('count', count, 1, 2 ** 53);
  if (count < 2 ** 32) {
    // Words of the last, incomplete run of `count` values are refused: fewer than half of all.
    for (;;) {
      const word = bits(random);
      const rest = word % count;
      if (word - rest <= 2 ** 32 - count) return rest;
    }
  }
  for (;;) {
    const high = bits(random);
    const number = high * 2 ** 21 + (bits(random) >>> 11);
    const rest = number % count;
    if (number - rest <= 2 ** 53 - count) return rest;
  }
}

/**
 * A uniformly random order of 0 … `count` − 1 (Fisher–Yates).
 *
 * @throws TypeError or RangeError for a count that is not a whole number from 0 to 2³² − 1.
 */
export function permutation(count: number, random: Random): Uint32Array {
  const order = new Uint32Array(checkInteger('count', count, 0, 2 ** 32 - 1));
  for (let i = 0; i < count; i++) order[i] = i;
  for (let i = count - 1; i > 0; i--) {
    const other = uniformInteger(i + 1, random);
    const kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  return order;
}

/**
 * True with the given probability, exactly: a uniform number is compared with the probability digit by digit in base
 * 2³², for as many digits as needed (nearly always one). Always false at 0 and always true at 1.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [0, 1].
 */
export function bernoulli(probability: number, random: Random): boolean {
  if (!(probability >= 0 && probability <= 1)) {
    const message = refusal('probability', 'a number from 0 to 1', probability);
    throw typeof probability === 'number' ? new RefusedValue(message) : new RefusedKind(message);
  }
  let rest = probability;
  // Multiplying by 2³² and subtracting the whole part are exact, so the digits end.
  while (rest > 0) {
    rest *= 2 ** 32;
    const digit = floor(rest);
    const word = bits(random);
    if (word !== digit) return word < digit;
    rest -= digit;
  }
  return false;
}
