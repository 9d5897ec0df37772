import { refusal } from '../check/number.ts';
import { bits, type Random } from './random.ts';
import { uniformInteger } from './uniform.ts';

/**
 * A whole number from 0 to `count` − 1, all equally likely (without bias, by rejection), for counts of any size.
 *
 * Takes the same words as `uniformInteger`, and gives the same number, wherever that one accepts the count.
 *
 * @throws TypeError for anything that is not a bigint, RangeError for a count < 1.
 */
export function uniformBigint(count: bigint, random: Random): bigint {
  if (typeof count !== 'bigint') throw new TypeError(refusal('count', 'a bigint >= 1', count));
  if (count < 1n) throw new RangeError(refusal('count', 'a bigint >= 1', count));
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
