// Steps of a stream, one after the other, and sums over the path that it takes.
//
// A vector holds two coordinates of one row; what is computed, and in which order, is what protocols/online-sgd/simulate.ts and
// the one-by-one functions of src/inference do, so that every number has the same bits.

let length: usize = 0;
let first: f64 = 0;
let threshold: f64 = 0;
let scale: f64 = 1;
let single: bool = false;
let largestSquare: f64 = 0;
let largestEntry: f64 = 0;

/**
 * Huber regression with rows of `dimension` doubles: where inner products begin (−0 if the first entry of a record is the 1 of an
 * intercept, otherwise 0), threshold and scale of the residuals, whether reports are rounded to single precision, the largest
 * square of their norm, and the largest entry of an iterate.
 */
export function setDescent(
  dimension: i32,
  start: f64,
  clip: f64,
  unit: f64,
  rounded: bool,
  square: f64,
  entry: f64,
): void {
  length = (<usize>dimension) << 3;
  first = start;
  threshold = clip;
  scale = unit;
  single = rounded;
  largestSquare = square;
  largestEntry = entry;
}

/**
 * Makes the steps `from` to `to` − 1: from the iterate in row `from` of the path, row b + 1 is the iterate after step b and row b
 * of `values` its report. `steps` has four arrays of `rows` doubles: responses, squared norms of the records, deviations of
 * the noise, step sizes. Returns the first step whose report or next iterate is beyond its limit, or `to`.
 */
export function descend(
  from: i32,
  to: i32,
  path: usize,
  records: usize,
  noise: usize,
  values: usize,
  steps: usize,
  rows: i32,
): i32 {
  const column = (<usize>rows) << 3;
  return single
    ? descendWith<f32>(from, to, path, records, noise, values, steps, column)
    : descendWith<f64>(from, to, path, records, noise, values, steps, column);
}

function descendWith<T>(
  from: i32,
  to: i32,
  path: usize,
  records: usize,
  noise: usize,
  values: usize,
  steps: usize,
  column: usize,
): i32 {
  const low = f64x2.splat(-threshold);
  const high = f64x2.splat(threshold);
  const limit = f64x2.splat(largestEntry);
  const paired = length & ~15;
  const odd = length > paired;
  let at = <usize>from * length;
  for (let b = from; b < to; b++) {
    const step = steps + ((<usize>b) << 3);
    let inner = f64x2.splat(first);
    const end = at + paired;
    for (let i = at; i < end; i += 16) {
      const product = f64x2.mul(v128.load(path + i), v128.load(records + i));
      inner = f64x2.add(inner, product);
      inner = f64x2.add(inner, v128.shuffle<i64>(product, product, 1, 0));
    }
    if (odd) inner = f64x2.add(inner, f64x2.mul(v128.load64_zero(path + end), v128.load64_zero(records + end)));
    let residual = f64x2.sub(v128.load_splat<u64>(step), inner);
    if (scale !== 1) residual = f64x2.div(residual, f64x2.splat(scale));
    const score = f64x2.pmax(low, f64x2.pmin(high, residual));
    // min(1, 2/‖x‖²), without a branch: which of them it is cannot be foreseen.
    const weight = f64x2.pmin(f64x2.splat(1), f64x2.div(f64x2.splat(2), v128.load_splat<u64>(step + column)));
    const slope = f64x2.mul(f64x2.neg(score), weight);
    const factor = v128.shuffle<i64>(slope, slope, 0, 0);
    const deviation = v128.load_splat<u64>(step + 2 * column);
    const size = v128.load_splat<u64>(step + 3 * column);
    let squared = f64x2.splat(0);
    let within = i64x2.splat(-1);
    for (let i = at; i < end; i += 16) {
      const added = f64x2.mul(deviation, v128.load(noise + i));
      const value = reported<T>(f64x2.add(f64x2.mul(factor, v128.load(records + i)), added));
      v128.store(values + i, value);
      const square = f64x2.mul(value, value);
      squared = f64x2.add(squared, square);
      squared = f64x2.add(squared, v128.shuffle<i64>(square, square, 1, 0));
      const moved = f64x2.sub(v128.load(path + i), f64x2.mul(size, value));
      v128.store(path + i + length, moved);
      within = v128.and(within, f64x2.le(f64x2.abs(moved), limit));
    }
    if (odd) {
      const added = f64x2.mul(deviation, v128.load64_zero(noise + end));
      const value = reported<T>(f64x2.add(f64x2.mul(factor, v128.load64_zero(records + end)), added));
      v128.store64_lane(values + end, value, 0);
      squared = f64x2.add(squared, f64x2.mul(value, value));
      const moved = f64x2.sub(v128.load64_zero(path + end), f64x2.mul(size, value));
      v128.store64_lane(path + end + length, moved, 0);
      within = v128.and(within, f64x2.le(f64x2.abs(moved), limit));
    }
    if (!(f64x2.extract_lane(squared, 0) <= largestSquare && i64x2.all_true(within))) return b;
    at += length;
  }
  return to;
}

/** The numbers of a report in its precision. */
function reported<T>(exact: v128): v128 {
  return sizeof<T>() === 4 ? f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(exact)) : exact;
}

/**
 * Centres `rows` rows of `dimension` doubles, and writes them to `to`, as rows of `width` doubles: where they `add` up, each row
 * as the sum of those so far. `state` has five vectors of `width` doubles, which it moves: the centre, then the sums of the
 * centred rows, of these sums since the last beginning (not moved otherwise), of what is written, and of what is written times
 * its place, the first of which is `place`. The width is a multiple of 4, at least the dimension.
 */
export function walk(
  from: usize,
  rows: i32,
  dimension: i32,
  add: bool,
  place: f64,
  state: usize,
  to: usize,
  width: i32,
): void {
  const stride = (<usize>dimension) << 3;
  const row = (<usize>width) << 3;
  const end = to + <usize>rows * row;
  for (let i: usize = 0; i < stride; i += 16, from += 16, state += 16, to += 16) {
    const centre = v128.load(state);
    let total = v128.load(state + row);
    let open = v128.load(state + 2 * row);
    let sum = v128.load(state + 3 * row);
    let weighted = v128.load(state + 4 * row);
    let count = f64x2.splat(place);
    const one = f64x2.splat(1);
    // The last of an odd number of coordinates has a lane beside it that nobody reads.
    let x = from;
    for (let z = to; z < end; z += row, x += stride) {
      let entry = f64x2.sub(v128.load(x), centre);
      total = f64x2.add(total, entry);
      if (add) {
        open = f64x2.add(open, entry);
        entry = open;
        sum = f64x2.add(sum, entry);
        weighted = f64x2.add(weighted, f64x2.mul(count, entry));
        count = f64x2.add(count, one);
      }
      v128.store(z, entry);
    }
    v128.store(state + row, total);
    v128.store(state + 2 * row, open);
    v128.store(state + 3 * row, sum);
    v128.store(state + 4 * row, weighted);
  }
}

/**
 * Adds the products of `rows` rows of `left` with those of `right`, all of `width` doubles, to a matrix with such rows: in each
 * entry one product after the other. The width is a multiple of 4. Of a lower triangle, at least that is computed.
 */
export function addProducts(left: usize, right: usize, rows: i32, width: i32, lower: bool, matrix: usize): void {
  const row = (<usize>width) << 3;
  const last = left + <usize>rows * row;
  for (let i: usize = 0; i < row; i += 16) {
    const upper = matrix + (i >> 3) * row;
    const below = upper + row;
    const end = lower ? min(row, i + 16) : row;
    for (let j: usize = 0; j < end; j += 32) {
      let a0 = v128.load(upper + j);
      let a1 = v128.load(upper + j, 16);
      let b0 = v128.load(below + j);
      let b1 = v128.load(below + j, 16);
      let y = right + j;
      for (let x = left + i; x < last; x += row, y += row) {
        const y0 = v128.load(y);
        const y1 = v128.load(y, 16);
        const a = v128.load_splat<u64>(x);
        const b = v128.load_splat<u64>(x, 8);
        a0 = f64x2.add(a0, f64x2.mul(a, y0));
        a1 = f64x2.add(a1, f64x2.mul(a, y1));
        b0 = f64x2.add(b0, f64x2.mul(b, y0));
        b1 = f64x2.add(b1, f64x2.mul(b, y1));
      }
      v128.store(upper + j, a0);
      v128.store(upper + j, a1, 16);
      v128.store(below + j, b0);
      v128.store(below + j, b1, 16);
    }
  }
}
