// Reports of PrivUnitG, made and summed: blocks of players, four at a time.
//
// Two players share a vector of two doubles, and every array below has four numbers a row, one for each of the four. What is
// computed, and in which order, is what src/mechanism/unit-mechanism.ts, src/polynomial/lift.ts and the tally do for one
// player after the other, so that the sums have the same bits.
import { addCodeword } from './codewords';
import { beginWords, fillFour, STRIDE } from './four-streams';
import { fillNormals, fillOwnNormals, uniform, unspent } from './normals';
import { fillPowers, sumPowers, sumProducts } from './powers';
import { fillWords, seek, setKey } from './words';

export { addProducts, descend, setDescent, walk } from './streams';
export { addCodeword, fillNormals, fillOwnNormals, fillPowers, setKey, sumPowers, sumProducts, unspent };

/** Φ⁻¹ of the library. */
declare function quantile(p: f64): f64;

/** Bytes of a row. */
const ROW: usize = 32;

let keep: f64 = 0;
let cap: f64 = 0;
let scale: f64 = 0;
let single: bool = false;
let skip: i32 = 0;

/**
 * The channel: its probabilities and its scale, whether the numbers of a report are rounded to single precision, and how
 * many words a player takes before those of the channel.
 */
export function setChannel(keeping: f64, capped: f64, scaling: f64, rounded: bool, skipped: i32): void {
  keep = keeping;
  cap = capped;
  scale = scaling;
  single = rounded;
  skip = skipped;
}

let length: i32 = 0;
let first: i32 = 0;
let entries: i32 = 0;
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

/** The draw of one of several outcomes, for four players a row: each gets the number of limits that it reaches. */
export function choose(indexes: usize, players: i32, limits: usize, outcomes: i32, to: usize, work: usize): void {
  for (let i = 0; i < players; i += 4) {
    seek(v128.load(indexes + ((<usize>i) << 2)));
    fillWords(work, 16, 4);
    for (let p = 0; p < 4; p++) {
      const at = work + ((<usize>p) << 4);
      const drawn = <f64>load<u32>(at) * 2097152.0 + <f64>(load<u32>(at, 4) >>> 11);
      let outcome = 0;
      while (outcome < outcomes - 1 && drawn >= load<f64>(limits + ((<usize>outcome) << 3))) outcome++;
      store<i32>(to + ((<usize>(i + p)) << 2), outcome);
    }
  }
}

/**
 * Adds the reports of players to `sums`, in their order. `indexes` are those of their streams, as 32-bit integers, and
 * `vectors` their vectors of `dimension` doubles one after the other; both have space for a multiple of 4 players. `work`
 * has space for what is computed on the way.
 */
export function play(indexes: usize, vectors: usize, players: i32, sums: usize, work: usize): void {
  const numbers = work + 4 * STRIDE;
  const units = numbers + <usize>(entries + 1) * ROW;
  const records = units + <usize>(entries + 1) * ROW;
  const alphas = records + <usize>length * ROW;
  const raw = alphas + ROW;
  for (let i = 0; i < players; i += 4) {
    seek(v128.load(indexes + ((<usize>i) << 2)));
    draw(work, numbers, units, alphas);
    transpose(vectors + ((<usize>i * <usize>length) << 3), records);
    if (routes === 0) fillQuadratic(records, units);
    else fillMonomials(records, raw, units);
    addReports(numbers, units, alphas, sums, min(4, players - i));
  }
}

/** All that four players draw: α of each, and a normal for each number of the report. */
function draw(words: usize, numbers: usize, end: usize, alphas: usize): void {
  const from = beginWords(words, skip + 3 + 2 * (entries + 1)) + ((<usize>skip) << 2);
  store<f64>(alphas, along(from));
  const next0 = taken;
  store<f64>(alphas, along(from + STRIDE), 8);
  const next1 = taken;
  store<f64>(alphas, along(from + 2 * STRIDE), 16);
  const next2 = taken;
  store<f64>(alphas, along(from + 3 * STRIDE), 24);
  fillFour(numbers, end, ROW, 8, next0, next1, next2, taken);
}

/** Where the words begin that `along` did not take. */
let taken: usize = 0;

/** α from a coin, which takes one word and rarely a second one, and a uniform number, which takes two. */
function along(at: usize): f64 {
  let rest = keep;
  let inside = false;
  while (rest > 0) {
    rest *= 4294967296.0;
    const digit = floor(rest);
    const word = <f64>load<u32>(at);
    at += 4;
    if (word !== digit) {
      inside = word < digit;
      break;
    }
    rest -= digit;
  }
  const u = uniform(at);
  taken = at + 8;
  return inside ? -quantile(cap * u) : quantile((1.0 - cap) * u);
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

/** The numbers of the reports of two players, in the precision of a report. */
function reported<T>(number: v128, unit: v128, shift: v128, factor: v128): v128 {
  const exact = f64x2.mul(f64x2.add(number, f64x2.mul(shift, unit)), factor);
  return sizeof<T>() === 4 ? f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(exact)) : exact;
}

/** Adds the reports of the first `players` of four: z = scale·(g + (α − ⟨g, u⟩)·u), the padding left out. */
function addReports(numbers: usize, units: usize, alphas: usize, sums: usize, players: i32): void {
  // Sums over even and over odd entries, as the library has them.
  let even0 = f64x2.splat(0);
  let even1 = f64x2.splat(0);
  let odd0 = f64x2.splat(0);
  let odd1 = f64x2.splat(0);
  let g = numbers;
  let u = units;
  for (; g + ROW < units; g += 2 * ROW, u += 2 * ROW) {
    even0 = f64x2.add(even0, f64x2.mul(v128.load(g), v128.load(u)));
    even1 = f64x2.add(even1, f64x2.mul(v128.load(g, 16), v128.load(u, 16)));
    odd0 = f64x2.add(odd0, f64x2.mul(v128.load(g, 32), v128.load(u, 32)));
    odd1 = f64x2.add(odd1, f64x2.mul(v128.load(g, 48), v128.load(u, 48)));
  }
  if (g < units) {
    even0 = f64x2.add(even0, f64x2.mul(v128.load(g), v128.load(u)));
    even1 = f64x2.add(even1, f64x2.mul(v128.load(g, 16), v128.load(u, 16)));
  }
  const shift0 = f64x2.sub(v128.load(alphas), f64x2.add(even0, odd0));
  const shift1 = f64x2.sub(v128.load(alphas, 16), f64x2.add(even1, odd1));
  const end = sums + ((<usize>entries) << 3);
  if (single) addNumbers<f32>(numbers, units, shift0, shift1, sums, end, players);
  else addNumbers<f64>(numbers, units, shift0, shift1, sums, end, players);
}

/** Adds the numbers of reports: of four players two numbers of each at a time, of fewer one player after the other. */
function addNumbers<T>(g: usize, u: usize, shift0: v128, shift1: v128, to: usize, end: usize, players: i32): void {
  const factor = f64x2.splat(scale);
  if (players === 4) {
    for (; to + 8 < end; to += 16, g += 2 * ROW, u += 2 * ROW) {
      const x0 = reported<T>(v128.load(g), v128.load(u), shift0, factor);
      const x1 = reported<T>(v128.load(g, 16), v128.load(u, 16), shift1, factor);
      const y0 = reported<T>(v128.load(g, 32), v128.load(u, 32), shift0, factor);
      const y1 = reported<T>(v128.load(g, 48), v128.load(u, 48), shift1, factor);
      let sum = v128.load(to);
      sum = f64x2.add(sum, v128.shuffle<i64>(x0, y0, 0, 2));
      sum = f64x2.add(sum, v128.shuffle<i64>(x0, y0, 1, 3));
      sum = f64x2.add(sum, v128.shuffle<i64>(x1, y1, 0, 2));
      sum = f64x2.add(sum, v128.shuffle<i64>(x1, y1, 1, 3));
      v128.store(to, sum);
    }
  }
  for (; to < end; to += 8, g += ROW, u += ROW) {
    const x0 = reported<T>(v128.load(g), v128.load(u), shift0, factor);
    const x1 = reported<T>(v128.load(g, 16), v128.load(u, 16), shift1, factor);
    let sum = load<f64>(to) + f64x2.extract_lane(x0, 0);
    if (players > 1) sum += f64x2.extract_lane(x0, 1);
    if (players > 2) sum += f64x2.extract_lane(x1, 0);
    if (players > 3) sum += f64x2.extract_lane(x1, 1);
    store<f64>(to, sum);
  }
}
