import seedrandom from 'seedrandom';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Random } from './random.ts';
import { deriveKey } from './threefry.ts';

/**
 * A reproducible source that can be split into independent sources, one for each index.
 *
 * Each source has a fixed key and a current sequence of words. `stream` and `seek` depend on the key only, never on
 * what was drawn before, so work can be divided among threads by index without changing any draw.
 */
export interface SeededRandom extends Random {
  /** The fixed key, four words: what `stream` and `seek` derive the sources of the indexes from. */
  readonly key: Int32Array;
  /**
   * The child source number `index`, a whole number from 0 to 2⁵³ − 1: independent of this one and of its siblings.
   * @throws RangeError for any other index.
   */
  stream(index: number): SeededRandom;
  /**
   * Puts *this* source at the beginning of the words that `stream(index)` gives, without allocating. Its key stays, so
   * a later `seek` or `stream` still refers to this source.
   * @throws RangeError for an index that is not a whole number from 0 to 2⁵³ − 1.
   */
  seek(index: number): void;
}

/** Words in the pool: a thousand normals at a time for the kernel. Beyond that nothing gets faster. */
const POOL = 2048;

/** Words made by the first refill after a seek. Each later refill makes 50 % more than the one before: see `refill`. */
const FIRST = 32;

/**
 * A reproducible source for simulations and tests. It protects nobody: anyone who knows or guesses the seed, or sees
 * enough draws, can compute every coin. Real reports need `secureRandom`.
 *
 * The npm package seedrandom turns the seed (a number as its decimal string) into a key of 128 bits; child keys are
 * derived by Threefry; the words of one key come from sfc32. The sequence of words does not depend on the pool. The
 * sequence is part of the package's behaviour: a change is marked in the change log.
 *
 * Source: C. Doty-Humphrey, PractRand (sfc32); J. Salmon et al., SC 2011 (Threefry).
 * @throws TypeError or RangeError for a seed that is neither a string nor a finite number.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { uniform } from 'ldpkit/mechanism';
 * console.log(uniform(seededRandom('a study')) === uniform(seededRandom('a study'))); // true
 * ```
 */
export function seededRandom(seed: string | number): SeededRandom {
  if (typeof seed !== 'string' && typeof seed !== 'number') {
    throw new RefusedKind('seed', 'a string or a finite number', seed);
  }
  if (typeof seed === 'number' && !Number.isFinite(seed)) {
    throw new RefusedValue('seed', 'a string or a finite number', seed);
  }
  const generator = seedrandom(seedText(String(seed)));
  return source(Int32Array.from({ length: 4 }, () => generator.int32()));
}

/**
 * The text given to seedrandom: the number of UTF-8 bytes of the seed, then these bytes. seedrandom repeats a short text
 * and uses only the low byte of each character, so 'a' and 'aa' would be the same seed; this keeps seeds of up to 250
 * bytes apart.
 */
function seedText(seed: string): string {
  const bytes = new TextEncoder().encode(seed);
  let text = `${bytes.length}:`;
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function source(key: Int32Array): SeededRandom {
  const words = new Uint32Array(POOL);
  // A uniform key is a uniform state: sfc32 is a bijection of its 128 bits and needs no warm-up.
  const state = Int32Array.from(key);
  let portion = FIRST;
  const random: SeededRandom = {
    words,
    key,
    state,
    next: POOL,
    refill() {
      // Words that one law left over go to the next law first, so the sequence does not depend on the pool.
      const left = POOL - random.next;
      const size = Math.min(portion, (POOL - left) & ~1);
      for (let i = POOL - left; i < POOL; i++) words[i - size] = words[i];
      random.next = POOL - size - left;
      fillSfc32(words, POOL - size, state);
      // If few words are taken after a seek, few are wasted; a long fill soon uses the complete pool.
      portion = Math.min(POOL, ((portion * 3) >> 1) & ~1);
    },
    stream(index) {
      const child = new Int32Array(4);
      deriveKey(key, checkIndex(index), child);
      return source(child);
    },
    seek(index) {
      deriveKey(key, checkIndex(index), state);
      portion = FIRST;
      random.next = POOL;
    },
  };
  return random;
}

function checkIndex(index: number): number {
  if (!(Number.isSafeInteger(index) && index >= 0)) {
    throw new RefusedValue('index', 'a whole number from 0 to 9007199254740991', index);
  }
  return index;
}

/**
 * Fills `words` from `from` to the end (an even number of words) with sfc32, and advances its state of four words. A
 * uniform state needs no warm-up, since a step is a bijection of the 128 bits. It takes 0.55 ns per word, xoshiro128**
 * 0.72 ns. A cycle has 2¹²⁷ words on average and never fewer than 2³², because of the counter.
 * Source: C. Doty-Humphrey, PractRand.
 */
export function fillSfc32(words: Uint32Array, from: number, state: Int32Array): void {
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let count = state[3];
  // The state stays in registers. Two words per pass make the loop 12 % faster.
  for (let i = from; i < words.length; i += 2) {
    const first = (((a + b) | 0) + count) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + first) | 0;
    words[i] = first;
    const second = (((a + b) | 0) + count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + second) | 0;
    words[i + 1] = second;
    count = (count + 2) | 0;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = count;
}
