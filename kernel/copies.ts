// Noisy copies of vectors, made, corrected and summed: blocks of players, four at a time.
//
// What is computed, and in which order, is what the player, `addHermiteLift` of src/polynomial/heat.ts and the tally do for one player
// after the other, so that the sums have the same bits.
import { ROW } from './lift';
import { fillRows } from './rows';
import { seek } from './words';

let length: usize = 0;
let squares: bool = false;
let deviation: f64 = 0;
let single: bool = false;

/**
 * The copies: of vectors of `dimension` numbers, with noise of this deviation, rounded to single precision or not. A tally has the sums
 * of the copies, and where `squared` those of their corrected squares and products.
 */
export function setCopies(dimension: i32, squared: bool, sigma: f64, rounded: bool): void {
  length = <usize>dimension;
  squares = squared;
  deviation = sigma;
  single = rounded;
}

/**
 * Adds the reports of players to `sums`, in their order. `indexes` and `vectors` are as in `play`; `work` has space for two rows for each
 * number of a vector.
 */
export function playCopies(indexes: usize, vectors: usize, players: i32, sums: usize, work: usize): void {
  const copies = work + length * ROW;
  const step = length << 3;
  for (let i = 0; i < players; i += 4, vectors += 4 * step) {
    seek(v128.load(indexes + ((<usize>i) << 2)));
    fillRows(work, copies);
    makeCopies(vectors, work, copies);
    if (players - i >= 4) {
      addFour(copies, sums);
    } else {
      for (let p: usize = 0; p < <usize>(players - i); p++) addOne(copies + p * step, sums);
    }
  }
}

/** The copies of four vectors, one after the other, from rows of normals. */
function makeCopies(vectors: usize, normals: usize, to: usize): void {
  for (let lane: usize = 0; lane < 32; lane += 8) {
    let at = normals + lane;
    for (const end = vectors + (length << 3); vectors < end; vectors += 8, to += 8, at += ROW) {
      const exact = load<f64>(vectors) + deviation * load<f64>(at);
      store<f64>(to, single ? <f64>(<f32>exact) : exact);
    }
  }
}

/** Adds the report of one player. */
function addOne(z: usize, sums: usize): void {
  const end = z + (length << 3);
  for (let at = z; at < end; at += 8, sums += 8) store<f64>(sums, load<f64>(sums) + load<f64>(at));
  if (!squares) return;
  for (; z < end; z += 8) {
    const left = load<f64>(z);
    store<f64>(sums, load<f64>(sums) + (left * left - deviation * deviation));
    sums += 8;
    const row = Math.SQRT2 * left;
    for (let at = z + 8; at < end; at += 8, sums += 8) store<f64>(sums, load<f64>(sums) + row * load<f64>(at));
  }
}

/** Adds the reports of four players, whose copies lie one after the other: two neighbouring sums at a time. */
function addFour(z: usize, sums: usize): void {
  const step = length << 3;
  sums = addMultiples(z, step, sums, 1, 1, 1, 1);
  if (!squares) return;
  const variance = deviation * deviation;
  for (let left = step; left > 0; left -= 8, z += 8) {
    const z0 = load<f64>(z);
    const z1 = load<f64>(z + step);
    const z2 = load<f64>(z + 2 * step);
    const z3 = load<f64>(z + 3 * step);
    let sum = load<f64>(sums);
    sum += z0 * z0 - variance;
    sum += z1 * z1 - variance;
    sum += z2 * z2 - variance;
    sum += z3 * z3 - variance;
    store<f64>(sums, sum);
    const root = Math.SQRT2;
    sums = addMultiples(z + 8, left - 8, sums + 8, root * z0, root * z1, root * z2, root * z3);
  }
}

/** Adds the next `bytes` of each of four copies, times its factor, to neighbouring sums; returns the place after these. */
function addMultiples(z: usize, bytes: usize, to: usize, a: f64, b: f64, c: f64, d: f64): usize {
  const step = length << 3;
  const one = f64x2.splat(a);
  const two = f64x2.splat(b);
  const three = f64x2.splat(c);
  const four = f64x2.splat(d);
  const end = to + bytes;
  for (; to + 8 < end; to += 16, z += 16) {
    let sum = v128.load(to);
    sum = f64x2.add(sum, f64x2.mul(one, v128.load(z)));
    sum = f64x2.add(sum, f64x2.mul(two, v128.load(z + step)));
    sum = f64x2.add(sum, f64x2.mul(three, v128.load(z + 2 * step)));
    sum = f64x2.add(sum, f64x2.mul(four, v128.load(z + 3 * step)));
    v128.store(to, sum);
  }
  if (to < end) {
    let sum = load<f64>(to);
    sum += a * load<f64>(z);
    sum += b * load<f64>(z + step);
    sum += c * load<f64>(z + 2 * step);
    sum += d * load<f64>(z + 3 * step);
    store<f64>(to, sum);
    to += 8;
  }
  return to;
}
