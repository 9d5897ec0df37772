import { deriveKey, fillSfc32 } from './derive-key.ts';
import { fillNormal } from './normal.ts';
import type { Random } from './random.ts';

const { min } = Math;

/**
 * Words in the seed of a public codebook. 96 bits: among 1e9 players two seeds coincide with probability 6e-12; with 64
 * bits it would be 3 %.
 */
export const SEED_WORDS = 3;

/** The fourth word of the key: "dirs" in ASCII. No other use of Threefry in this project has the same fourth word. */
const PURPOSE = 0x64697273;

/** Words in the pool. */
const POOL = 1024;

// One source for all directions; for each direction it is set to the beginning of that direction's own words.
const words = new Uint32Array(POOL);
const key = new Int32Array(4);
const state = new Int32Array(4);
let portion = POOL;
const source: Random = {
  words,
  next: POOL,
  refill() {
    // The words left over come first, so that the sequence does not depend on the pool.
    const left = POOL - source.next;
    const size = min(portion, (POOL - left) & ~1);
    for (let i = POOL - left; i < POOL; i++) words[i - size] = words[i];
    source.next = POOL - size - left;
    fillSfc32(words, POOL - size, state);
    portion = POOL;
  },
};

/**
 * Direction number `index` of the public codebook of a seed, as a vector of `dimension` independent standard normals.
 * Its direction is uniform on the sphere; it is *not* divided by its norm.
 *
 * Every direction has its own words (sfc32, whose state is Threefry-4×32 of the index under the seed), so one direction
 * can be expanded without the others. Player and server get the same numbers, except for the last place if their
 * engines compute `exp` and `log` differently. Everything is public: nothing here protects anyone.
 *
 * Shape: `seed` has {@link SEED_WORDS} words, further entries are ignored; writes
 * `target[from … from + dimension − 1]`.
 */
export function fillPublicDirection(
  seed: ArrayLike<number>,
  index: number,
  dimension: number,
  target: Float64Array,
  from: number = 0,
): void {
  key[0] = seed[0];
  key[1] = seed[1];
  key[2] = seed[2];
  key[3] = PURPOSE;
  deriveKey(key, index, state);
  // Two words per normal, and some more for the one normal in 67 that needs them.
  portion = min(POOL, 2 * dimension + 2 * (dimension >> 5) + 32);
  source.next = POOL;
  fillNormal(target, source, from, from + dimension);
}
