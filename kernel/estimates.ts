// Estimates of the products of random directions with a unit vector, four side by side, in single precision.
import { a, b, c, count } from './normals';
import { drawAlone, POINT } from './rows';
import { nextX, nextY, nextZ, STATE, storeStates, wordOf } from './words';

/**
 * The layers in single precision, written by the host: of each its scale, in units of 2⁻³¹, and the limit for the square of a number
 * that lies in it at any height.
 */
const NARROW: usize = 6272;

/** Numbers of a unit vector in single precision lie so many bytes apart: four players side by side. */
const STEP: usize = 16;
/** Rows whose products are summed in single precision, at most: see `MARGIN` of src/simulation/block-players.ts. */
const BLOCK: usize = 64;

/** The sums of a row over four lanes, in double precision: of products, then of squares. */
let sums: usize = 0;

/** Whether an estimate since this was false belongs to a direction that is too short for it. */
export let doubtful: bool = false;

/** Names 64 bytes of memory for sums, and ends all doubt. */
export function beginEstimates(work: usize): void {
  sums = work;
  doubtful = false;
}

/**
 * The estimates of ⟨g, u⟩/‖g‖ for the directions g of four streams, one in each lane, and the unit vector u from `unit` to `end`.
 * Words become numbers in registers, as in `fillRows`; a number takes the high word alone. What a lane draws alone is added in
 * double precision.
 */
export function estimate(unit: usize, end: usize): v128 {
  const least = f64x2.splat(<f64>(end - unit) / <f64>(4096 * STEP));
  for (let at = sums; at < sums + 64; at += 16) v128.store(at, i32x4.splat(0));
  let x = v128.load(STATE);
  let y = v128.load(STATE, 16);
  let z = v128.load(STATE, 32);
  let n = v128.load(STATE, 48);
  const one = i32x4.splat(1);
  while (unit < end) {
    let product = f32x4.splat(0);
    let square = f32x4.splat(0);
    for (const stop = min(end, unit + BLOCK * STEP); unit < stop; unit += STEP) {
      const low = wordOf(x, y, n);
      x = nextX(y);
      y = nextY(z);
      z = nextZ(z, low);
      n = i32x4.add(n, one);
      const high = wordOf(x, y, n);
      x = nextX(y);
      y = nextY(z);
      z = nextZ(z, high);
      n = i32x4.add(n, one);
      // Eight bytes for each layer, picked by the lowest byte of a lane.
      const places = i32x4.shr_u(i32x4.shl(low, 24), 21);
      const first = v128.load64_zero(<usize>i32x4.extract_lane(places, 0), NARROW);
      const front = v128.load64_lane(<usize>i32x4.extract_lane(places, 1), first, 1, NARROW);
      const third = v128.load64_zero(<usize>i32x4.extract_lane(places, 2), NARROW);
      const back = v128.load64_lane(<usize>i32x4.extract_lane(places, 3), third, 1, NARROW);
      let number = f32x4.mul(f32x4.convert_i32x4_s(high), v128.shuffle<i32>(front, back, 0, 2, 4, 6));
      let squared = f32x4.mul(number, number);
      const inside = f32x4.lt(squared, v128.shuffle<i32>(front, back, 1, 3, 5, 7));
      const settled = i32x4.bitmask(inside);
      if (settled !== 15) {
        number = v128.and(number, inside);
        squared = v128.and(squared, inside);
        storeStates(x, y, z, n);
        v128.store(POINT, low);
        v128.store(POINT, high, 16);
        for (let lanes = settled ^ 15; lanes !== 0; lanes &= lanes - 1) {
          const lane = ctz(lanes);
          addAlone(drawAlone(lane), <f64>load<f32>(unit), sums + ((<usize>lane) << 3));
          const only = i32x4.eq(i32x4.splat(lane), i32x4(0, 1, 2, 3));
          x = v128.bitselect(i32x4.splat(a), x, only);
          y = v128.bitselect(i32x4.splat(b), y, only);
          z = v128.bitselect(i32x4.splat(c), z, only);
          n = v128.bitselect(i32x4.splat(count), n, only);
        }
      }
      product = f32x4.add(product, f32x4.mul(number, v128.load32_splat(unit)));
      square = f32x4.add(square, squared);
    }
    addBlock(product, sums);
    addBlock(square, sums + 32);
  }
  const front = v128.load(sums, 32);
  const back = v128.load(sums, 48);
  if (v128.any_true(v128.or(f64x2.lt(front, least), f64x2.lt(back, least)))) doubtful = true;
  return v128.shuffle<i64>(
    f32x4.demote_f64x2_zero(f64x2.div(v128.load(sums), f64x2.sqrt(front))),
    f32x4.demote_f64x2_zero(f64x2.div(v128.load(sums, 16), f64x2.sqrt(back))),
    0,
    2,
  );
}

/** Adds the product and the square of a number that a lane drew alone. */
function addAlone(number: f64, factor: f64, to: usize): void {
  store<f64>(to, load<f64>(to) + number * factor);
  store<f64>(to, load<f64>(to, 32) + number * number, 32);
}

/** Adds the sums of a block of rows. */
function addBlock(four: v128, to: usize): void {
  v128.store(to, f64x2.add(v128.load(to), f64x2.promote_low_f32x4(four)));
  v128.store(to, f64x2.add(v128.load(to, 16), f64x2.promote_low_f32x4(v128.shuffle<i64>(four, four, 1, 1))), 16);
}
