// Reports of PrivUnitG, made and summed: blocks of players, four at a time.
//
// What is computed, and in which order, is what src/mechanism/unit-mechanism.ts, src/polynomial/lift.ts and the tally do for one
// player after the other, so that the sums have the same bits.
import { playCodewords, setCodewords } from './codewords';
import { playCopies, setCopies } from './copies';
import { entries, fillUnits, ROW, setLift, vectorOf } from './lift';
import { fillNormals, fillOwnNormals, uniform, unspent } from './normals';
import { fillPowers, sumPowers, sumProducts } from './powers';
import { fillRows } from './rows';
import { addSamples, placeResidual } from './samples';
import { drawWord, STATE, seek, setKey } from './words';

export { addProducts, descend, setDescent, walk } from './streams';
export {
  addSamples,
  fillNormals,
  fillOwnNormals,
  fillPowers,
  placeResidual,
  playCodewords,
  playCopies,
  setCodewords,
  setCopies,
  setKey,
  setLift,
  sumPowers,
  sumProducts,
  unspent,
};

/** Φ⁻¹ of the library. */
declare function quantile(p: f64): f64;

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

/** The draw of one of several outcomes, for four players a row: each gets the number of limits that it reaches. */
export function choose(indexes: usize, players: i32, limits: usize, outcomes: i32, to: usize): void {
  for (let i = 0; i < players; i += 4) {
    seek(v128.load(indexes + ((<usize>i) << 2)));
    for (let p = 0; p < 4; p++) {
      const state = STATE + ((<usize>p) << 2);
      const drawn = <f64>drawWord(state) * 2097152.0 + <f64>(drawWord(state) >>> 11);
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
  const numbers = work + ROW;
  const units = numbers + <usize>(entries + 1) * ROW;
  const rest = units + <usize>(entries + 1) * ROW;
  for (let i = 0; i < players; i += 4) {
    seek(v128.load(indexes + ((<usize>i) << 2)));
    for (let p: usize = 0; p < 4; p++) store<f64>(work + (p << 3), along(STATE + (p << 2)));
    fillRows(numbers, units);
    fillUnits(vectorOf(i, vectors), units, rest);
    addReports(numbers, units, work, sums, min(4, players - i));
  }
}

/** α of the player of one lane, from a coin, which takes one word and rarely a second one, and a uniform number, which takes two. */
function along(state: usize): f64 {
  for (let i = 0; i < skip; i++) drawWord(state);
  let rest = keep;
  let inside = false;
  while (rest > 0) {
    rest *= 4294967296.0;
    const digit = floor(rest);
    const word = <f64>drawWord(state);
    if (word !== digit) {
      inside = word < digit;
      break;
    }
    rest -= digit;
  }
  const low = drawWord(state);
  const u = uniform(low, drawWord(state));
  return inside ? -quantile(cap * u) : quantile((1.0 - cap) * u);
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
