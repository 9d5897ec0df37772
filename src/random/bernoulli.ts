import { refusal } from '../check/number.ts';
import { bits, type Random } from './random.ts';

const { floor } = Math;

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
