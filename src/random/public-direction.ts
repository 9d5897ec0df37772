import { createScratch } from '../check/datum.ts';
import { deriveKey } from './derive-key.ts';
import { beyondTail, HEIGHT, INSIDE, type Random, SCALE } from './random.ts';

const { exp } = Math;

/**
 * Words in the seed of a public codebook. 96 bits: among 1e9 players two seeds coincide with probability 6e-12; with 64
 * bits it would be 3 %.
 */
export const SEED_WORDS = 3;

/** The fourth word of the key: "dirs" in ASCII. No other use of Threefry in this project has the same fourth word. */
const PURPOSE = 0x64697273;

// The tables by names of this file: an engine treats these as constants, and what is imported as variables.
const heights = HEIGHT;
const inside = INSIDE;
const scale = SCALE;

const key = new Int32Array(4);
const state = new Int32Array(4);

/** The next words of the direction, two at a time: only for the tail, which takes words in pairs and no others. */
const pairs: Random = {
  words: new Uint32Array(2),
  next: 2,
  refill() {
    for (let i = 0; i < 2; i++) {
      const [a, b, c, count] = state;
      const word = (a + b + count) | 0;
      pairs.words[i] = word;
      state[0] = b ^ (b >>> 9);
      state[1] = (c + (c << 3)) | 0;
      state[2] = (((c << 21) | (c >>> 11)) + word) | 0;
      state[3] = count + 1;
    }
    pairs.next = 0;
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
 * Law: the numbers that `fillNormal` makes of these words. A player expands many short directions, so words become
 * normals without a pool between.
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
  const to = from + dimension;
  for (let i = fillInside(target, from, to); i < to; i = fillInside(target, i, to)) {
    const [x, height] = undecided.values;
    if (height === 0) target[i++] = beyondTail(x, pairs);
    else if (height < exp(-0.5 * x * x)) target[i++] = x;
  }
}

/** A point that `fillInside` left to its caller: x, and its height, or 0 for a point of the base. */
const undecided = /* @__PURE__ */ createScratch(2);

/**
 * Fills `target[from … to − 1]` with normals, up to the first point, one of 67, that needs `exp` or `log`: returns where
 * that would go, or `to`. Calls nothing, so that words and state stay in registers.
 */
function fillInside(target: Float64Array, from: number, to: number): number {
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let count = state[3];
  let i = from;
  let x = 0;
  let height = 0;
  while (i < to) {
    const low = (((a + b) | 0) + count) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + low) | 0;
    const high = (((a + b) | 0) + count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + high) | 0;
    count = (count + 2) | 0;
    const layer = low & 255;
    x = (high + ((low >>> 11) + 0.5) * 2 ** -21) * scale[layer];
    if ((high ^ (high >> 31)) < inside[layer]) {
      target[i++] = x;
      continue;
    }
    height = 0;
    if (layer === 0) break;
    const first = (((a + b) | 0) + count) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + first) | 0;
    const second = (((a + b) | 0) + count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + second) | 0;
    count = (count + 2) | 0;
    const least = heights[layer];
    const u = ((first >>> 0) * 0x100000 + (second >>> 12) + 0.5) * 2 ** -52;
    height = least + u * (heights[layer + 1] - least);
    break;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = count;
  undecided.values[0] = x;
  undecided.values[1] = height;
  return i;
}
