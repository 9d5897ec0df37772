// Reports of k-closest encoding, made and summed: blocks of players, four at a time.
//
// Which direction a player reports depends on the order of their products with its unit vector. The order is found from estimates,
// for four directions of one player at a time; only the reported directions are made in full, those of four players side by side.
// Where two estimates are too close, the player's directions are all made in full. So the sums have the same bits as those of
// src/random/threefry.ts and src/mechanism/k-closest.ts.
import { beginEstimates, doubtful, estimate } from './estimates';
import { entries, fillUnits, ROW, vectorOf } from './lift';
import { fillOwnNormals } from './normals';
import { fillRows } from './rows';
import { drawWord, STATE, seek, seekOf } from './words';

/** The fourth word of the key of public directions: see src/random/threefry.ts. */
const PURPOSE: i32 = 0x64697273;

/** At most so many directions. */
const DIRECTIONS: usize = 512;

let directions: i32 = 0;
let closest: i32 = 0;
let keep: f64 = 0;
let scale: f64 = 0;
let margin: f32 = 0;
let skip: i32 = 0;

/**
 * The channel: the number of directions, half of that of the codewords, how many codewords count as close, the probability of these,
 * in units of 2⁻⁵³, and the scale. Estimates that differ by more than `distance` are in the right order. A player takes `skipped`
 * words before those of the channel.
 */
export function setCodewords(count: i32, near: i32, keeping: f64, scaling: f64, distance: f32, skipped: i32): void {
  directions = count;
  closest = near;
  keep = keeping;
  scale = scaling;
  margin = distance;
  skip = skipped;
}

/** The state of the stream of each of four players, then of each direction of one, for four after the other as in STATE. */
let own: usize = 0;
let states: usize = 0;
/** Of each direction of a player the estimate, or the product with its unit vector. */
let products: usize = 0;
/** ⟨g, u⟩²/‖g‖² of each direction. */
let sizes: usize = 0;
/** The factors of the directions of four players, a row. */
let factors: usize = 0;
/** The state of one stream, in four words side by side. */
let alone: usize = 0;
/** Space for what is computed on the way. */
let space: usize = 0;

/**
 * Adds the vectors that the reports of players stand for to `sums`, in their order. `indexes` are those of their streams, as 32-bit
 * integers, and `vectors` their vectors of `dimension` doubles one after the other; both have space for a multiple of 4 players.
 * `work` has space for what is computed on the way.
 */
export function playCodewords(indexes: usize, vectors: usize, players: i32, sums: usize, work: usize): void {
  const length = <usize>(entries + 1) * ROW;
  own = work;
  factors = own + 64;
  alone = factors + ROW;
  states = alone + 16;
  products = states + 16 * DIRECTIONS;
  sizes = products + 8 * DIRECTIONS;
  const chosen = sizes + 8 * DIRECTIONS;
  const units = chosen + 64;
  const narrow = units + length;
  space = narrow + length;
  for (let i = 0; i < players; i += 4) {
    const some = min(4, players - i);
    seek(v128.load(indexes + ((<usize>i) << 2)));
    memory.copy(own, STATE, 64);
    fillUnits(vectorOf(i, vectors), units, space);
    for (let at: usize = 0; at < length; at += ROW) {
      const front = f32x4.demote_f64x2_zero(v128.load(units + at));
      const back = f32x4.demote_f64x2_zero(v128.load(units + at, 16));
      v128.store(narrow + (at >> 1), v128.shuffle<i64>(front, back, 0, 2));
    }
    for (let p = 0; p < some; p++) {
      const lane = (<usize>p) << 2;
      const direction = report(own + lane, units + (lane << 1), narrow + lane, length);
      store<f64>(factors + (lane << 1), negated ? -scale : scale);
      copyState(stateOf(direction), chosen + lane, 16);
    }
    memory.copy(STATE, chosen, 64);
    fillRows(space, space + length);
    addDirections(space, sums, length, some);
  }
}

/** Whether the codeword that `report` returned last is the opposite of its direction. */
let negated: bool = false;

/**
 * The direction that a player reports, or the opposite of which: its stream has the state `state`, its unit vector begins at `unit`, and
 * in single precision at `narrow`.
 */
function report(state: usize, unit: usize, narrow: usize, length: usize): i32 {
  for (let i = 0; i < skip; i++) drawWord(state);
  const word0 = drawWord(state);
  const word1 = drawWord(state);
  const word2 = drawWord(state);
  beginEstimates(sizes);
  for (let j = 0; j < directions; j += 4) {
    seekOf(word0, word1, word2, PURPOSE, i32x4.add(i32x4.splat(j), i32x4(0, 1, 2, 3)));
    memory.copy(states + ((<usize>j) << 4), STATE, 64);
    v128.store(products + ((<usize>j) << 2), estimate(narrow, narrow + (length >> 1)));
  }
  const coin = <f64>drawWord(state) * 2097152.0 + <f64>(drawWord(state) >>> 11);
  const place = coin < keep ? below(closest, state) : closest + below(2 * directions - closest, state);
  const opposite = place >= directions;
  const rank = opposite ? 2 * directions - 1 - place : place;
  let chosen = doubtful ? directions : estimatedAt(rank);
  if (chosen < directions) {
    negated = opposite !== load<f32>(products + ((<usize>chosen) << 2)) < 0;
    return chosen;
  }
  chosen = measuredAt(rank, unit, length);
  negated = opposite !== load<f64>(products + ((<usize>chosen) << 3)) < 0;
  return chosen;
}

/** A whole number below `many`, all equally likely: words of the last, incomplete run of `many` values are refused. */
function below(many: u32, state: usize): i32 {
  let word: u32;
  let rest: u32;
  do {
    word = drawWord(state);
    rest = word % many;
  } while (<u64>(word - rest) + <u64>many > 4294967296);
  return rest;
}

/**
 * The direction with a given rank by the absolute value of its estimate, if all others, and 0, are further from it than the margin;
 * otherwise the number of directions.
 */
function estimatedAt(rank: i32): i32 {
  // Lanes after the last direction are none.
  for (let j = directions; j & 3; j++) store<f32>(products + ((<usize>j) << 2), 0);
  const end = products + ((<usize>directions) << 2);
  for (let j = 0; j < directions; j++) {
    const size = abs(load<f32>(products + ((<usize>j) << 2)));
    const least = f32x4.splat(size - margin);
    const most = f32x4.splat(size + margin);
    let before = 0;
    let near = 0;
    for (let at = products; at < end; at += 16) {
      const others = f32x4.abs(v128.load(at));
      before += popcnt(i32x4.bitmask(f32x4.gt(others, most)));
      near += popcnt(i32x4.bitmask(f32x4.ge(others, least)));
    }
    if (before === rank && near === rank + 1 && size > margin) return j;
  }
  return directions;
}

/** The direction with a given rank, all of them made in full. */
function measuredAt(rank: i32, unit: usize, length: usize): i32 {
  const bytes = length >> 2;
  const direction = space + bytes;
  for (let at: usize = 0; at < bytes; at += 8) store<f64>(space + at, load<f64>(unit + (at << 2)));
  for (let j = 0; j < directions; j++) {
    copyState(stateOf(j), alone, 4);
    fillOwnNormals(direction, direction + bytes, alone);
    measure(j, direction, space, bytes);
  }
  return directionAt(rank, directions);
}

/** Where the state of direction j is: four words, 16 bytes from each to the next. */
function stateOf(j: i32): usize {
  return states + ((<usize>j >> 2) << 6) + ((<usize>j & 3) << 2);
}

/** Copies such a state to another place, with another distance. */
function copyState(from: usize, to: usize, distance: usize): void {
  for (let i = 0; i < 4; i++) {
    store<i32>(to, load<i32>(from));
    from += 16;
    to += distance;
  }
}

/** Adds the reported directions of the first players of four, brought to the length of their reports, without the padding. */
function addDirections(rows: usize, to: usize, length: usize, players: i32): void {
  let front = f64x2.splat(0);
  let back = f64x2.splat(0);
  for (let row = rows; row < rows + length; row += ROW) {
    const x = v128.load(row);
    const y = v128.load(row, 16);
    front = f64x2.add(front, f64x2.mul(x, x));
    back = f64x2.add(back, f64x2.mul(y, y));
  }
  // By way of memory, or an engine divides anew for each entry.
  v128.store(factors, f64x2.div(v128.load(factors), f64x2.sqrt(front)));
  v128.store(factors, f64x2.div(v128.load(factors, 16), f64x2.sqrt(back)), 16);
  front = v128.load(factors);
  back = v128.load(factors, 16);
  for (const end = to + ((<usize>entries) << 3); to < end; to += 8, rows += ROW) {
    const x = f64x2.mul(v128.load(rows), front);
    const y = f64x2.mul(v128.load(rows, 16), back);
    let sum = load<f64>(to) + f64x2.extract_lane(x, 0);
    if (players > 1) sum += f64x2.extract_lane(x, 1);
    if (players > 2) sum += f64x2.extract_lane(y, 0);
    if (players > 3) sum += f64x2.extract_lane(y, 1);
    store<f64>(to, sum);
  }
}

/** The product of direction j with the unit vector, and its size: four sums of each kind, two in a vector. */
function measure(j: i32, g: usize, unit: usize, length: usize): void {
  let dot = f64x2.splat(0);
  let dotNext = f64x2.splat(0);
  let squared = f64x2.splat(0);
  let squaredNext = f64x2.splat(0);
  const end = g + length;
  for (const stop = g + (length & ~31); g < stop; g += 32, unit += 32) {
    const x = v128.load(g);
    const y = v128.load(g, 16);
    dot = f64x2.add(dot, f64x2.mul(x, v128.load(unit)));
    dotNext = f64x2.add(dotNext, f64x2.mul(y, v128.load(unit, 16)));
    squared = f64x2.add(squared, f64x2.mul(x, x));
    squaredNext = f64x2.add(squaredNext, f64x2.mul(y, y));
  }
  let product = f64x2.extract_lane(dot, 0);
  let square = f64x2.extract_lane(squared, 0);
  for (; g < end; g += 8, unit += 8) {
    product += load<f64>(g) * load<f64>(unit);
    square += load<f64>(g) * load<f64>(g);
  }
  product += f64x2.extract_lane(dot, 1) + (f64x2.extract_lane(dotNext, 0) + f64x2.extract_lane(dotNext, 1));
  square += f64x2.extract_lane(squared, 1) + (f64x2.extract_lane(squaredNext, 0) + f64x2.extract_lane(squaredNext, 1));
  store<f64>(products + ((<usize>j) << 3), product);
  store<f64>(sizes + ((<usize>j) << 3), (product * product) / square);
}

/** The direction with a given rank by size; among equal sizes the first has the lower rank. */
function directionAt(rank: i32, count: i32): i32 {
  let found = 0;
  for (let j = 0; j < count; j++) {
    const size = load<f64>(sizes + ((<usize>j) << 3));
    let before = 0;
    for (let i = 0; i < j; i++) before += <i32>(load<f64>(sizes + ((<usize>i) << 3)) >= size);
    for (let i = j + 1; i < count; i++) before += <i32>(load<f64>(sizes + ((<usize>i) << 3)) > size);
    found += j * <i32>(before === rank);
  }
  return found;
}
