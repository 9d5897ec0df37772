import type { Random } from './random.ts';

/**
 * Words in the pool: 16 KiB. A call of Web Crypto costs about 1.2 µs and 0.5 ns per word. A pool of four times this size
 * would make normals 12 % faster, but would keep spent words in memory four times as long.
 */
const POOL = 4096;

/**
 * A cryptographically secure source: Web Crypto's `getRandomValues`, called once per 4096 words. Only this source may
 * be used for real data.
 *
 * Nothing is drawn before the first word is needed. A spent word stays in memory until the next refill overwrites it,
 * so anyone who can read the memory of this process can read the coins of the latest reports. If that matters, discard
 * the source after a report.
 * @throws Error where there is no Web Crypto. There is no fallback.
 *
 * @example
 * ```ts
 * import { secureRandom } from 'ldpkit';
 * import { exactCoin, COIN_UNITS } from 'ldpkit/mechanism';
 * const random = secureRandom();
 * console.log(typeof exactCoin(COIN_UNITS / 2, random)); // boolean
 * ```
 */
export function secureRandom(): Random {
  const { crypto } = globalThis;
  if (typeof crypto?.getRandomValues !== 'function') {
    throw new Error('secureRandom() needs Web Crypto (globalThis.crypto.getRandomValues), which is missing here');
  }
  const words = new Uint32Array(POOL);
  const random: Random = {
    words,
    next: POOL,
    refill() {
      // If this throws, `next` stays where it was, so that no word is ever used twice.
      crypto.getRandomValues(words);
      random.next = 0;
    },
  };
  return random;
}
