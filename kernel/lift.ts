// The unit vectors that four players report, side by side: what src/polynomial/lift.ts computes for one after the other.
//
// Two players share a vector of two doubles, and every array has rows of four numbers, one for each of them.

/** Bytes of a row. */
export const ROW: usize = 32;

let length: i32 = 0;
let first: i32 = 0;
/** How many entries of the lift are reported; a unit vector has one number more. */
export let entries: i32 = 0;
let weights: usize = 0;
let routes: usize = 0;

/**
 * The lift of vectors of `dimension` numbers: entries `from` to `to` − 1 of the monomials, with weights. `route` has two
 * integers for each monomial beyond the coordinates: its parent and its factor, in bytes of rows; 0 where the lift ends
 * with the squares and products, which need no routes.
 */
export function setLift(dimension: i32, from: i32, to: i32, weight: usize, route: usize): void {
  length = dimension;
  first = from;
  entries = to - from;
  weights = weight;
  routes = route;
}

/**
 * Writes the unit vectors of four players, whose vectors lie one after the other. `work` has space for a row for each number of
 * these vectors, and for each monomial.
 */
export function fillUnits(vectors: usize, units: usize, work: usize): void {
  transpose(vectors, work);
  if (routes === 0) fillQuadratic(work, units);
  else fillMonomials(work, work + <usize>length * ROW, units);
}

/** Where the vector of player i lies, of those that lie one after the other. */
export function vectorOf(i: i32, vectors: usize): usize {
  return vectors + ((<usize>i * <usize>length) << 3);
}

/** The vectors of four players, a row for each coordinate. */
function transpose(from: usize, to: usize): void {
  const step = (<usize>length) << 3;
  for (const end = from + step; from < end; from += 8, to += ROW) {
    store<f64>(to, load<f64>(from));
    store<f64>(to, load<f64>(from + step), 8);
    store<f64>(to, load<f64>(from + 2 * step), 16);
    store<f64>(to, load<f64>(from + 3 * step), 24);
  }
}

/** The last entry, which completes the vectors of two players to the unit sphere. */
function padding(squared: v128): v128 {
  return f64x2.sqrt(f64x2.max(f64x2.splat(0), f64x2.sub(f64x2.splat(1), squared)));
}

/** Vectors, and where the lift has them their squares and products, completed to the sphere. */
function fillQuadratic(records: usize, to: usize): void {
  let squared0 = f64x2.splat(0);
  let squared1 = f64x2.splat(0);
  const end = records + <usize>length * ROW;
  let weight = weights;
  for (let from = records; from < end; from += ROW, to += ROW, weight += 8) {
    const factor = v128.load_splat<u64>(weight);
    const u0 = f64x2.mul(factor, v128.load(from));
    const u1 = f64x2.mul(factor, v128.load(from, 16));
    v128.store(to, u0);
    v128.store(to, u1, 16);
    squared0 = f64x2.add(squared0, f64x2.mul(u0, u0));
    squared1 = f64x2.add(squared1, f64x2.mul(u1, u1));
  }
  if (entries > length) {
    const square = v128.load_splat<u64>(weight);
    const mixed = length > 1 ? v128.load_splat<u64>(weight, 8) : f64x2.splat(0);
    for (let row = records; row < end; row += ROW) {
      const left0 = v128.load(row);
      const left1 = v128.load(row, 16);
      const own0 = f64x2.mul(f64x2.mul(square, left0), left0);
      const own1 = f64x2.mul(f64x2.mul(square, left1), left1);
      v128.store(to, own0);
      v128.store(to, own1, 16);
      to += ROW;
      squared0 = f64x2.add(squared0, f64x2.mul(own0, own0));
      squared1 = f64x2.add(squared1, f64x2.mul(own1, own1));
      const factor0 = f64x2.mul(mixed, left0);
      const factor1 = f64x2.mul(mixed, left1);
      for (let from = row + ROW; from < end; from += ROW, to += ROW) {
        const u0 = f64x2.mul(factor0, v128.load(from));
        const u1 = f64x2.mul(factor1, v128.load(from, 16));
        v128.store(to, u0);
        v128.store(to, u1, 16);
        squared0 = f64x2.add(squared0, f64x2.mul(u0, u0));
        squared1 = f64x2.add(squared1, f64x2.mul(u1, u1));
      }
    }
  }
  v128.store(to, padding(squared0));
  v128.store(to, padding(squared1), 16);
}

/** The monomials of the vectors along their routes, then those asked for with their weights, completed to the sphere. */
function fillMonomials(records: usize, raw: usize, to: usize): void {
  const last = first + entries;
  memory.copy(raw, records, <usize>length * ROW);
  let at = raw + <usize>length * ROW;
  let route = routes;
  for (const end = raw + <usize>last * ROW; at < end; at += ROW, route += 8) {
    const parent = raw + <usize>load<u32>(route);
    const factor = records + <usize>load<u32>(route, 4);
    v128.store(at, f64x2.mul(v128.load(parent), v128.load(factor)));
    v128.store(at, f64x2.mul(v128.load(parent, 16), v128.load(factor, 16)), 16);
  }
  let squared0 = f64x2.splat(0);
  let squared1 = f64x2.splat(0);
  let weight = weights + ((<usize>first) << 3);
  at = raw + <usize>first * ROW;
  for (const end = raw + <usize>last * ROW; at < end; at += ROW, to += ROW, weight += 8) {
    const factor = v128.load_splat<u64>(weight);
    const u0 = f64x2.mul(factor, v128.load(at));
    const u1 = f64x2.mul(factor, v128.load(at, 16));
    v128.store(to, u0);
    v128.store(to, u1, 16);
    squared0 = f64x2.add(squared0, f64x2.mul(u0, u0));
    squared1 = f64x2.add(squared1, f64x2.mul(u1, u1));
  }
  v128.store(to, padding(squared0));
  v128.store(to, padding(squared1), 16);
}
