import { createScratch } from '../check/datum.ts';
import { beyondTail, HEIGHT, INSIDE, type Random, SCALE } from './random.ts';

/** The constant of Skein's key schedule, shortened to 32 bits by Threefry's authors. */
const PARITY = 0x1bd11bda;

/**
 * Derives the key of child number `index` from a parent key of four words, into `child`, which may be `key`:
 * Threefry-4×32 with 20 rounds of the counter (index mod 2³², ⌊index / 2³²⌋, 0, 0). Distinct indexes give distinct keys,
 * and every bit of the result depends on every bit of key and index.
 * Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 4.
 */
export function deriveKey(key: Int32Array, index: number, child: Int32Array): void {
  threefry(key, index | 0, (index / 0x100000000) | 0, 0, 0, child);
}

/** Threefry-4×32-20 of the counter (a, b, c, d), into `out`, of four words, which may be `key`. */
export function threefry(key: Int32Array, a: number, b: number, c: number, d: number, out: Int32Array): void {
  let k0 = key[0];
  let k1 = key[1];
  let k2 = key[2];
  let k3 = key[3];
  let k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3;
  let x0 = (a + k0) | 0;
  let x1 = (b + k1) | 0;
  let x2 = (c + k2) | 0;
  let x3 = (d + k3) | 0;
  // Five groups of four rounds; after each group the key, rotated by one word more, is added. The eight pairs of
  // rotations repeat, so one pass of the loop is two groups, and the loop ends in the middle of a pass.
  for (let group = 1; ; group += 2) {
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 10) | (x1 >>> 22)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 26) | (x3 >>> 6)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 11) | (x3 >>> 21)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 21) | (x1 >>> 11)) ^ x2;
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 13) | (x1 >>> 19)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 27) | (x3 >>> 5)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 23) | (x3 >>> 9)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 5) | (x1 >>> 27)) ^ x2;
    x0 = (x0 + k1) | 0;
    x1 = (x1 + k2) | 0;
    x2 = (x2 + k3) | 0;
    x3 = (x3 + k4 + group) | 0;
    if (group === 5) break;
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 6) | (x1 >>> 26)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 20) | (x3 >>> 12)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 17) | (x3 >>> 15)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 11) | (x1 >>> 21)) ^ x2;
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 25) | (x1 >>> 7)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 10) | (x3 >>> 22)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 18) | (x3 >>> 14)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 20) | (x1 >>> 12)) ^ x2;
    x0 = (x0 + k2) | 0;
    x1 = (x1 + k3) | 0;
    x2 = (x2 + k4) | 0;
    x3 = (x3 + k0 + group + 1) | 0;
    const turned0 = k0;
    const turned1 = k1;
    k0 = k2;
    k1 = k3;
    k2 = k4;
    k3 = turned0;
    k4 = turned1;
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

const { exp } = Math;

/** Words in the seed of a public codebook: of 1e9 players two share 96 bits with probability 6e-12; 64 with 3 %. */
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
 * Direction number `index` of the public codebook of a seed, written to `target[from … from + dimension − 1]`:
 * independent standard normals, *not* divided by their norm. Every direction has its own words (sfc32, whose state is
 * Threefry-4×32 of the index under the seed of {@link SEED_WORDS} words), so one can be expanded without the others.
 * Player and server get the same numbers, except for the last place if their engines compute `exp` and `log` differently.
 * Everything is public.
 * Law: the numbers that `fillNormal` makes of these words. A player expands many short directions, so words become
 * normals without a pool between.
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
