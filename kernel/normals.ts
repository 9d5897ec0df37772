// Standard normals from words: the draws of src/random/normal.ts, number by number.

/** Math.exp and Math.log of the engine, so that the numbers have the same bits as those of the library. */
declare function exp(x: f64): f64;
declare function log(x: f64): f64;

/**
 * The layers, written by the host. Row i is two doubles: the scale of layer i, in units of 2⁻⁵³, and the limit below which
 * the absolute value of a point lies under the curve at any height, in the same units. After the rows come the heights.
 */
const LAYERS: usize = 0;
const HEIGHTS: usize = 4096;

/** Where the tail begins, written by the host after the heights. */
const TAIL: usize = HEIGHTS + 8 * 257;

/** Where the words that were not taken begin, after a call of `fillNormals`. */
export let unspent: usize = 0;

/** A uniform number strictly between 0 and 1 from two words. */
export function uniform(at: usize): f64 {
  return (<f64>load<u32>(at) * 1048576.0 + <f64>(load<u32>(at, 4) >>> 12) + 0.5) * 2.220446049250313e-16;
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
        const height = low + uniform(at) * (load<f64>(place, 8) - low);
        at += 8;
        if (!(height < exp(-0.5 * x * x))) {
          from = at;
          continue;
        }
      } else {
        const tail = load<f64>(TAIL);
        if (!(abs(x) < tail)) {
          let excess: f64 = 0;
          let accepted = false;
          while (!accepted && at + 8 <= room) {
            excess = -log(uniform(at)) / tail;
            accepted = !(-2.0 * log(uniform(at + 8)) <= excess * excess);
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

/** The state of sfc32 while a number is drawn that takes more than two words. */
let a: i32 = 0;
let b: i32 = 0;
let c: i32 = 0;
let count: i32 = 0;

/** The next two words as one integer, the first word low. */
function nextPair(): i64 {
  const low = a + b + count;
  a = b ^ (b >>> 9);
  b = c + (c << 3);
  c = rotl<i32>(c, 21) + low;
  const high = a + b + count + 1;
  a = b ^ (b >>> 9);
  b = c + (c << 3);
  c = rotl<i32>(c, 21) + high;
  count += 2;
  return ((<i64>high) << 32) | <i64>(<u32>low);
}

/** `uniform` of the next two words. */
function nextUniform(): f64 {
  const pair = nextPair();
  return (<f64>(<u32>pair) * 1048576.0 + <f64>(<u64>pair >>> 44) + 0.5) * 2.220446049250313e-16;
}

/** The number of two words whose point may lie above the curve or in the tail, or 0 for none. */
function atEdge(word: i64): f64 {
  const row = LAYERS + ((<usize>word & 255) << 4);
  const x = <f64>((word >> 10) | 1) * load<f64>(row);
  if (row !== LAYERS) {
    const place = HEIGHTS + ((row - LAYERS) >> 1);
    const low = load<f64>(place);
    const height = low + nextUniform() * (load<f64>(place, 8) - low);
    return height < exp(-0.5 * x * x) ? x : 0;
  }
  const tail = load<f64>(TAIL);
  if (abs(x) < tail) return x;
  let excess: f64;
  do {
    excess = -log(nextUniform()) / tail;
  } while (-2.0 * log(nextUniform()) <= excess * excess);
  return x > 0 ? tail + excess : -tail - excess;
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
    x = y ^ (y >>> 9);
    y = z + (z << 3);
    z = rotl<i32>(z, 21) + low;
    const high = x + y + n + 1;
    x = y ^ (y >>> 9);
    y = z + (z << 3);
    z = rotl<i32>(z, 21) + high;
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
    const drawn = atEdge(word);
    x = a;
    y = b;
    z = c;
    n = count;
    if (drawn !== 0) {
      store<f64>(to, drawn);
      to += 8;
    }
  }
  store<i32>(state, x);
  store<i32>(state, y, 4);
  store<i32>(state, z, 8);
  store<i32>(state, n, 12);
}
