// Standard normals from words: the draws of src/random/random.ts, number by number.
import { oneX, oneY, oneZ } from './words';

/** Math.exp and Math.log of the engine, so that the numbers have the same bits as those of the library. */
declare function exp(x: f64): f64;
declare function log(x: f64): f64;

/**
 * The layers, written by the host. Row i is two doubles: the scale of layer i, in units of 2⁻⁵³, and the limit below which
 * the absolute value of a point lies under the curve at any height, in the same units. After the rows come the heights.
 */
export const LAYERS: usize = 0;
const HEIGHTS: usize = 4096;

/** Where the tail begins, written by the host after the heights. */
const TAIL: usize = HEIGHTS + 8 * 257;

/** Where the words that were not taken begin, after a call of `fillNormals`. */
export let unspent: usize = 0;

/** A uniform number strictly between 0 and 1 from two words. */
export function uniform(low: u32, high: u32): f64 {
  return (<f64>low * 1048576.0 + <f64>(high >>> 12) + 0.5) * 2.220446049250313e-16;
}

/** The same from two words in memory. */
function uniformAt(at: usize): f64 {
  return uniform(load<u32>(at), load<u32>(at, 4));
}

/**
 * Whether a point of a layer lies under the curve: height < exp(−x²/2). The curve is `low`·e^t with t = (edge² − x²)/2, where
 * `low` is its height at the outer edge of the layer, and 1 + t + t²/2 < e^t < 1 + t + t²/2 + t³/2 for 0 < t < 1; t is below .73
 * in every layer. One point in a thousand lies between the bounds, or too close to them for rounding (2⁻⁴⁰), and needs `exp`.
 */
function isUnder(x: f64, height: f64, low: f64, row: usize): bool {
  const edge = load<f64>(row) * 9007199254740992.0;
  const t = 0.5 * (edge - abs(x)) * (edge + abs(x));
  const least = low * (1.0 + t + 0.5 * t * t);
  if (height < least * (1.0 - 9.094947017729282e-13)) return true;
  if (height > least * (1.0 + 9.094947017729282e-13) + 0.5 * low * t * t * t) return false;
  return height < exp(-0.5 * x * x);
}

/**
 * Fills `to`, `to + step` … below `end` with standard normals, from the words `from` to `last` − 1. It stops early before
 * the first one for which words are missing; `unspent` tells where its words begin. Returns the place after the last one.
 */
export function fillNormals(to: usize, end: usize, step: usize, from: usize, last: usize): usize {
  const room = last - 8;
  while (to < end && from <= room) {
    // As long as there are both words and places, two numbers a pass; almost all lie inside their layers. Two words are one
    // integer, the low one first: its upper 53 bits and a last bit of 1 are an odd number, exact in a double; the lowest
    // byte picks the layer.
    for (const stop = from + 8 * min((end - to + step - 1) / step, (last - from) >> 3) - 8; from < stop; from += 16) {
      const word = load<i64>(from);
      const next = load<i64>(from, 8);
      const row = LAYERS + ((<usize>word & 255) << 4);
      const nextRow = LAYERS + ((<usize>next & 255) << 4);
      const point = <f64>((word >> 10) | 1);
      const nextPoint = <f64>((next >> 10) | 1);
      if (!(abs(point) < load<f64>(row, 8))) break;
      store<f64>(to, point * load<f64>(row));
      to += step;
      if (!(abs(nextPoint) < load<f64>(nextRow, 8))) {
        from += 8;
        break;
      }
      store<f64>(to, nextPoint * load<f64>(nextRow));
      to += step;
    }
    if (to >= end || from > room) break;
    // One number, whatever it needs.
    const word = load<i64>(from);
    const row = LAYERS + ((<usize>word & 255) << 4);
    const point = <f64>((word >> 10) | 1);
    const x = point * load<f64>(row);
    let drawn = x;
    let at = from + 8;
    if (!(abs(point) < load<f64>(row, 8))) {
      if (at > room) break;
      if (row !== LAYERS) {
        const place = HEIGHTS + ((row - LAYERS) >> 1);
        const low = load<f64>(place);
        const height = low + uniformAt(at) * (load<f64>(place, 8) - low);
        at += 8;
        if (!isUnder(x, height, low, row)) {
          from = at;
          continue;
        }
      } else {
        const tail = load<f64>(TAIL);
        if (!(abs(x) < tail)) {
          let excess: f64 = 0;
          let accepted = false;
          while (!accepted && at + 8 <= room) {
            excess = -log(uniformAt(at)) / tail;
            accepted = !(-2.0 * log(uniformAt(at + 8)) <= excess * excess);
            at += 16;
          }
          if (!accepted) break;
          drawn = x > 0 ? tail + excess : -tail - excess;
        }
      }
    }
    from = at;
    store<f64>(to, drawn);
    to += step;
  }
  unspent = from;
  return to;
}

/** The state of sfc32 before and after a number that takes more than two words. */
export let a: i32 = 0;
export let b: i32 = 0;
export let c: i32 = 0;
export let count: i32 = 0;

/** The next word. */
function nextWord(): u32 {
  const word = a + b + count;
  a = oneX(b);
  b = oneY(c);
  c = oneZ(c, word);
  count++;
  return word;
}

/** `uniform` of the next two words. */
function nextUniform(): f64 {
  const low = nextWord();
  return uniform(low, nextWord());
}

/** The number of a point of the base, whose part beyond the tail's beginning stands for the tail. */
function inBase(x: f64): f64 {
  const tail = load<f64>(TAIL);
  if (abs(x) < tail) return x;
  let excess: f64;
  do {
    excess = -log(nextUniform()) / tail;
  } while (-2.0 * log(nextUniform()) <= excess * excess);
  return x > 0 ? tail + excess : -tail - excess;
}

/**
 * The next normal of the stream whose state is in `a`, `b`, `c` and `count`, and whose latest two words are `word`: of points above the
 * curve it draws others. Here the state stays in registers.
 */
function settle(word: i64): f64 {
  let x = a;
  let y = b;
  let z = c;
  let n = count;
  let drawn: f64 = 0;
  do {
    const row = LAYERS + ((<usize>word & 255) << 4);
    const point = <f64>((word >> 10) | 1);
    const value = point * load<f64>(row);
    if (abs(point) < load<f64>(row, 8)) {
      drawn = value;
    } else if (row === LAYERS) {
      a = x;
      b = y;
      c = z;
      count = n;
      return inBase(value);
    } else {
      // Two words for the height, and two for another point if this one lies above the curve.
      const low = x + y + n;
      x = oneX(y);
      y = oneY(z);
      z = oneZ(z, low);
      const high = x + y + n + 1;
      x = oneX(y);
      y = oneY(z);
      z = oneZ(z, high);
      n += 2;
      const place = HEIGHTS + ((row - LAYERS) >> 1);
      const least = load<f64>(place);
      if (isUnder(value, least + uniform(low, high) * (load<f64>(place, 8) - least), least, row)) {
        drawn = value;
      } else {
        const lower = x + y + n;
        x = oneX(y);
        y = oneY(z);
        z = oneZ(z, lower);
        const upper = x + y + n + 1;
        x = oneX(y);
        y = oneY(z);
        z = oneZ(z, upper);
        n += 2;
        word = ((<i64>upper) << 32) | <i64>(<u32>lower);
      }
    }
  } while (drawn === 0);
  a = x;
  b = y;
  c = z;
  count = n;
  return drawn;
}

/**
 * Fills `to` … `end` with the normals of sfc32, whose state of four words it advances: the words are made when they are wanted,
 * and are nowhere in memory.
 */
export function fillOwnNormals(to: usize, end: usize, state: usize): void {
  let x = load<i32>(state);
  let y = load<i32>(state, 4);
  let z = load<i32>(state, 8);
  let n = load<i32>(state, 12);
  while (to < end) {
    const low = x + y + n;
    x = oneX(y);
    y = oneY(z);
    z = oneZ(z, low);
    const high = x + y + n + 1;
    x = oneX(y);
    y = oneY(z);
    z = oneZ(z, high);
    n += 2;
    const word = ((<i64>high) << 32) | <i64>(<u32>low);
    const row = LAYERS + ((<usize>word & 255) << 4);
    const point = <f64>((word >> 10) | 1);
    if (abs(point) < load<f64>(row, 8)) {
      store<f64>(to, point * load<f64>(row));
      to += 8;
      continue;
    }
    a = x;
    b = y;
    c = z;
    count = n;
    store<f64>(to, settle(word));
    to += 8;
    x = a;
    y = b;
    z = c;
    n = count;
  }
  store<i32>(state, x);
  store<i32>(state, y, 4);
  store<i32>(state, z, 8);
  store<i32>(state, n, 12);
}

/**
 * The next normal of a stream whose latest two words are `word`. The state of the stream is four words, 16 bytes from each to
 * the next; it is not moved on, but what it becomes is in `a`, `b`, `c` and `count`.
 */
export function nextNormal(word: i64, state: usize): f64 {
  a = load<i32>(state);
  b = load<i32>(state, 16);
  c = load<i32>(state, 32);
  count = load<i32>(state, 48);
  return settle(word);
}
