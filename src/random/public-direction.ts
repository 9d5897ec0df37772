import { deriveKey, fillSfc32 } from './derive-key.ts';
import { fillNormal } from './normal.ts';
import type { Random } from './random.ts';

const { min } = Math;

/**
 * Words in the seed of a public codebook. 96 bits: among 1e9 players two seeds coincide with probability 6e-12, where 64
 * bits would give 3 %.
 */
export const SEED_WORDS = 3;

/** The fourth word of the key, which no other use of Threefry in this project has in its place: "dirs" in ASCII. */
const PURPOSE = 0x64697273;

/** Words in the pool. */
const POOL = 1024;

// One source for all directions, put to the beginning of a direction's own words each time.
const words = new Uint32Array(POOL);
const key = new Int32Array(4);
const state = new Int32Array(4);
let portion = POOL;
const source: Random = {
  words,
  next: POOL,
  refill() {
    // What is left comes first, so that the pool does not show in the sequence.
    const left = POOL - source.next;
    const size = min(portion, (POOL - left) & ~1);
    for (let i = POOL - left; i < POOL; i++) words[i - size] = words[i];
    source.next = POOL - size - left;
    fillSfc32(words, POOL - size, state);
    portion = POOL;
  },
};

/**
 * Direction number `index` of the public codebook of a seed, as `dimension` independent standard normals, whose direction is
 * uniform on the sphere; they are *not* divided by their norm.
 *
 * Every direction has words of its own (sfc32, its state Threefry-4×32 of the index under the seed), so one is expanded
 * without the others. Both sides get the same numbers, up to the last place where engines compute `exp` and `log`
 * differently. All of it is public: nothing here protects anyone.
 *
 * Shape: `seed` has {@link SEED_WORDS} words, further entries are ignored; writes `target[from … from + dimension − 1]`.
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
  // Two words a normal, and some for the one normal in 67 that needs more.
  portion = min(POOL, 2 * dimension + 2 * (dimension >> 5) + 32);
  source.next = POOL;
  fillNormal(target, source, from, from + dimension);
}
