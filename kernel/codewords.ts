// Reports of k-closest encoding, made and summed: the public directions of one player, four at a time.
//
// What is computed, and in which order, is what src/random/public-direction.ts and src/mechanism/k-closest.ts do, so that the
// sums have the same bits.
import { beginWords, fillFour, STRIDE } from './four-streams';
import { seek, setKey } from './words';

/** The fourth word of the key of public directions: see src/random/public-direction.ts. */
const PURPOSE: i32 = 0x64697273;

/** Where ⟨g, u⟩ and ⟨g, u⟩²/‖g‖² of the directions lie, at most 512 of each. */
let products: usize = 0;
let sizes: usize = 0;

/**
 * Adds to `sums` the first `moments` entries of the vector that a player's report stands for. `seed` is where the three words
 * of its codebook are, `unit` its unit vector of `dimension` doubles; `place` is the place of the reported codeword in the order
 * of all 2·`count` by their product with it. `work` has space for the words of four streams, 1,024 doubles, and the directions,
 * their number rounded up to a multiple of 4.
 */
export function addCodeword(
  seed: usize,
  unit: usize,
  dimension: i32,
  count: i32,
  place: i32,
  scale: f64,
  sums: usize,
  moments: i32,
  work: usize,
): void {
  const length = (<usize>dimension) << 3;
  products = work + 4 * STRIDE;
  sizes = products + 4096;
  const directions = sizes + 4096;
  setKey(load<i32>(seed), load<i32>(seed, 4), load<i32>(seed, 8), PURPOSE);
  for (let j = 0; j < count; j += 4) {
    seek(i32x4.add(i32x4.splat(j), i32x4(0, 1, 2, 3)));
    const next = beginWords(work, 2 * dimension);
    const to = directions + <usize>j * length;
    fillFour(to, to + length, 8, length, next, next + STRIDE, next + 2 * STRIDE, next + 3 * STRIDE);
  }
  for (let j = 0; j < count; j++) measure(j, directions + <usize>j * length, unit, length);
  const opposite = place >= count;
  const chosen = directionAt(opposite ? 2 * count - 1 - place : place, count);
  const negative = load<f64>(products + ((<usize>chosen) << 3)) < 0;
  const direction = directions + <usize>chosen * length;
  let squared: f64 = 0;
  for (let at = direction; at < direction + length; at += 8) squared += load<f64>(at) * load<f64>(at);
  const factor = (opposite !== negative ? -scale : scale) / sqrt(squared);
  addMultiple(factor, direction, sums, (<usize>moments) << 3);
}

/** The product of direction j with the unit vector, and its size: four sums of each kind, two in a vector. */
function measure(j: i32, g: usize, unit: usize, length: usize): void {
  let dot = f64x2.splat(0);
  let dotNext = f64x2.splat(0);
  let squared = f64x2.splat(0);
  let squaredNext = f64x2.splat(0);
  const end = g + length;
  for (const stop = g + (length & ~31); g < stop; g += 32, unit += 32) {
    const x = v128.load(g);
    const y = v128.load(g, 16);
    dot = f64x2.add(dot, f64x2.mul(x, v128.load(unit)));
    dotNext = f64x2.add(dotNext, f64x2.mul(y, v128.load(unit, 16)));
    squared = f64x2.add(squared, f64x2.mul(x, x));
    squaredNext = f64x2.add(squaredNext, f64x2.mul(y, y));
  }
  let product = f64x2.extract_lane(dot, 0);
  let square = f64x2.extract_lane(squared, 0);
  for (; g < end; g += 8, unit += 8) {
    product += load<f64>(g) * load<f64>(unit);
    square += load<f64>(g) * load<f64>(g);
  }
  product += f64x2.extract_lane(dot, 1) + (f64x2.extract_lane(dotNext, 0) + f64x2.extract_lane(dotNext, 1));
  square += f64x2.extract_lane(squared, 1) + (f64x2.extract_lane(squaredNext, 0) + f64x2.extract_lane(squaredNext, 1));
  store<f64>(products + ((<usize>j) << 3), product);
  store<f64>(sizes + ((<usize>j) << 3), (product * product) / square);
}

/** The direction with a given rank by size; among equal sizes the first has the lower rank. */
function directionAt(rank: i32, count: i32): i32 {
  let found = 0;
  for (let j = 0; j < count; j++) {
    const size = load<f64>(sizes + ((<usize>j) << 3));
    let before = 0;
    for (let i = 0; i < j; i++) before += <i32>(load<f64>(sizes + ((<usize>i) << 3)) >= size);
    for (let i = j + 1; i < count; i++) before += <i32>(load<f64>(sizes + ((<usize>i) << 3)) > size);
    found += j * <i32>(before === rank);
  }
  return found;
}

function addMultiple(factor: f64, from: usize, to: usize, length: usize): void {
  const factors = f64x2.splat(factor);
  const end = to + length;
  for (const stop = to + (length & ~15); to < stop; to += 16, from += 16) {
    v128.store(to, f64x2.add(v128.load(to), f64x2.mul(v128.load(from), factors)));
  }
  if (to < end) store<f64>(to, load<f64>(to) + load<f64>(from) * factor);
}
