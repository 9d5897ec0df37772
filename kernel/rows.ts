// Rows of four normals, each from the stream of its own lane.
import { a, b, c, count, LAYERS, nextNormal } from './normals';
import { nextX, nextY, nextZ, STATE, storeStates, wordOf } from './words';

/** Where the words of a point are left for a lane that needs more: the low words of four lanes, then the high ones. */
export const POINT: usize = STATE + 64;

/**
 * Fills rows of four doubles from `to` to `end`: the next normals of four streams, one in each lane. Words become normals in
 * registers. A lane whose point is not well inside its layer draws on alone until it has its number, so that the lanes are always
 * in the same row.
 */
export function fillRows(to: usize, end: usize): void {
  let x = v128.load(STATE);
  let y = v128.load(STATE, 16);
  let z = v128.load(STATE, 32);
  let n = v128.load(STATE, 48);
  const one = i32x4.splat(1);
  const unit = f64x2.splat(4194304);
  for (; to < end; to += 32) {
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
    // Sixteen bytes for each layer, picked by the lowest byte of a lane: scale and limit.
    const places = i32x4.shr_u(i32x4.shl(low, 24), 20);
    const layer0 = v128.load(<usize>i32x4.extract_lane(places, 0), LAYERS);
    const layer1 = v128.load(<usize>i32x4.extract_lane(places, 1), LAYERS);
    const layer2 = v128.load(<usize>i32x4.extract_lane(places, 2), LAYERS);
    const layer3 = v128.load(<usize>i32x4.extract_lane(places, 3), LAYERS);
    // The point of `fillNormals`, (word >> 10) | 1, in two parts.
    const rest = v128.or(i32x4.shr_u(low, 10), one);
    const front = pointOf(high, rest, unit);
    const back = pointOf(v128.shuffle<i64>(high, high, 1, 1), v128.shuffle<i64>(rest, rest, 1, 1), unit);
    v128.store(to, f64x2.mul(front, v128.shuffle<i64>(layer0, layer1, 0, 2)));
    v128.store(to, f64x2.mul(back, v128.shuffle<i64>(layer2, layer3, 0, 2)), 16);
    const inFront = f64x2.lt(f64x2.abs(front), v128.shuffle<i64>(layer0, layer1, 1, 3));
    const inBack = f64x2.lt(f64x2.abs(back), v128.shuffle<i64>(layer2, layer3, 1, 3));
    const inside = i32x4.bitmask(v128.shuffle<i32>(inFront, inBack, 0, 2, 4, 6));
    if (inside === 15) continue;
    storeStates(x, y, z, n);
    v128.store(POINT, low);
    v128.store(POINT, high, 16);
    for (let lanes = inside ^ 15; lanes !== 0; lanes &= lanes - 1) {
      const lane = ctz(lanes);
      store<f64>(to + ((<usize>lane) << 3), drawAlone(lane));
      const only = i32x4.eq(i32x4.splat(lane), i32x4(0, 1, 2, 3));
      x = v128.bitselect(i32x4.splat(a), x, only);
      y = v128.bitselect(i32x4.splat(b), y, only);
      z = v128.bitselect(i32x4.splat(c), z, only);
      n = v128.bitselect(i32x4.splat(count), n, only);
    }
  }
  storeStates(x, y, z, n);
}

/** The points of two lanes: high·2²² + rest, which is exact. */
function pointOf(high: v128, rest: v128, unit: v128): v128 {
  return f64x2.add(f64x2.mul(f64x2.convert_low_i32x4_s(high), unit), f64x2.convert_low_i32x4_s(rest));
}

/**
 * The number of one lane, whose words and state are in memory. It leaves what the state becomes in `a`, `b`, `c` and `count`, for
 * the caller's registers: a vector that is read just after one of its lanes was written makes the processor wait.
 */
export function drawAlone(lane: i32): f64 {
  const at = (<usize>lane) << 2;
  return nextNormal(((<i64>load<i32>(POINT + at, 16)) << 32) | <i64>load<u32>(POINT + at), STATE + at);
}
