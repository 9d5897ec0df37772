import type { Random } from '../../../src/random/random.ts';

/** A source that hands out the given words in order, and throws when it is asked for more. */
export function scripted(...words: number[]): Random {
  const length = Math.max(64, words.length);
  const pool = new Uint32Array(length);
  pool.set(words, length - words.length);
  return {
    words: pool,
    next: length - words.length,
    refill() {
      throw new Error('the script is over');
    },
  };
}
