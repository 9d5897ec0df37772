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
