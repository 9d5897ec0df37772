import type { Lift } from './lift.ts';

/** Vectors that are multiplied together: so many that the loop over them is long, so few that their powers stay in the cache. */
const BLOCK = 64;

/**
 * Where the sums of the monomials of degree 1 to 2J of vectors of R^p are kept, J the degree of a lift: each monomial
 * once, although a product of two entries of the lift may reach it in many ways.
 *
 * Shape: first the monomials of the lift itself, without their weights; then, for each entry of block J, its products
 * with all entries of the lift whose first index is at least its last one, in the order of the lift.
 */
export interface PowerSumLayout {
  /** The lift. */
  readonly lift: Lift;
  /** C(p + 2J, 2J) − 1, the number of sums. */
  readonly size: number;
  /** Where the products of each entry of block J begin. */
  readonly starts: Float64Array;
  /** First entry of block b (from 0) whose first index is at least k: entry b·p + k. */
  readonly tails: Int32Array;
  /** First child of each entry below block J: its product with the coordinate of its last index. */
  readonly children: Int32Array;
}

/** The layout of the sums of a lift. */
export function powerSumLayout(lift: Lift): PowerSumLayout {
  const { dimension, degree, size, offsets, parent, factor } = lift;
  const children = new Int32Array(size).fill(-1);
  for (let entry = size - 1; entry >= dimension; entry--) children[parent[entry]] = entry;
  const tails = new Int32Array(degree * dimension);
  for (let k = 0; k < dimension; k++) {
    tails[k] = k;
    // The sequence k, k, …, k is the first one that begins with k.
    for (let b = 1; b < degree; b++) tails[b * dimension + k] = children[tails[(b - 1) * dimension + k]];
  }
  const starts = new Float64Array(offsets[degree] - offsets[degree - 1]);
  let next = size;
  for (let entry = offsets[degree - 1]; entry < size; entry++) {
    starts[entry - offsets[degree - 1]] = next;
    for (let b = 0; b < degree; b++) next += offsets[b + 1] - tails[b * dimension + factor[entry]];
  }
  return { lift, size: next, starts, tails, children };
}

/** Room for a block of vectors and their powers; it is made once and used for all blocks. */
export interface PowerBlock {
  /** The monomials of the lift of each vector, one monomial after the other. */
  readonly powers: Float64Array;
  /** The same times the factor of each vector, for the entries of block J. */
  readonly multiples: Float64Array;
  /** The factor of each vector. */
  readonly factors: Float64Array;
  /** How many vectors the block holds. */
  count: number;
  /** Whether the monomials of degree m are summed: entry m − 1. */
  readonly wanted: readonly boolean[];
}

/** An empty block for vectors of a lift, of which the monomials of these degrees are summed; by default all, up to 2J. */
export function createPowerBlock({ degree, size, offsets }: Lift, only?: readonly number[]): PowerBlock {
  return {
    powers: new Float64Array(size * BLOCK),
    multiples: new Float64Array((size - offsets[degree - 1]) * BLOCK),
    factors: new Float64Array(BLOCK),
    count: 0,
    wanted: Array.from({ length: 2 * degree }, (_, m) => only === undefined || only.includes(m + 1)),
  };
}

/** Adds the monomials of one vector, times a factor, to the sums: at the latest with {@link flushPowers}. */
export function addPowers(
  layout: PowerSumLayout,
  vector: ArrayLike<number>,
  factor: number,
  block: PowerBlock,
  sums: Float64Array,
): void {
  for (let i = 0; i < layout.lift.dimension; i++) block.powers[i * BLOCK + block.count] = vector[i];
  block.factors[block.count] = factor;
  block.count++;
  if (block.count === BLOCK) flushPowers(layout, block, sums);
}

/** Adds what a block still holds, and empties it. */
export function flushPowers({ lift, starts, tails }: PowerSumLayout, block: PowerBlock, sums: Float64Array): void {
  if (block.count === 0) return;
  const { dimension, degree, size, offsets, factor } = lift;
  const { powers, multiples, wanted } = block;
  fillBlock(lift, block);
  for (let b = 0; b < degree; b++) {
    for (let entry = wanted[b] ? offsets[b] : size; entry < offsets[b + 1]; entry++) {
      sums[entry] += weightedSum(block, entry * BLOCK);
    }
  }
  const first = offsets[degree - 1];
  for (let entry = first; entry < size; entry++) {
    let at = starts[entry - first];
    for (let b = 0; b < degree; b++) {
      const from = tails[b * dimension + factor[entry]];
      const to = offsets[b + 1];
      if (wanted[degree + b]) addProducts({ multiples, powers, left: entry - first, from, to, sums, at });
      at += to - from;
    }
  }
  block.count = 0;
}

/** The powers of all vectors of a block, and zeros in the places of those that it lacks. */
function fillBlock({ dimension, degree, size, offsets, parent, factor }: Lift, block: PowerBlock): void {
  const { powers, multiples, factors, count } = block;
  for (let i = 0; i < dimension; i++) powers.fill(0, i * BLOCK + count, (i + 1) * BLOCK);
  for (let entry = dimension; entry < size; entry++) {
    const up = parent[entry] * BLOCK;
    const by = factor[entry] * BLOCK;
    for (let b = 0, at = entry * BLOCK; b < BLOCK; b++) powers[at + b] = powers[up + b] * powers[by + b];
  }
  for (let entry = offsets[degree - 1], to = 0; entry < size; entry++, to += BLOCK) {
    for (let b = 0, at = entry * BLOCK; b < BLOCK; b++) multiples[to + b] = factors[b] * powers[at + b];
  }
}

function weightedSum({ powers, factors, count }: PowerBlock, at: number): number {
  let sum = 0;
  for (let b = 0; b < count; b++) sum += factors[b] * powers[at + b];
  return sum;
}

/** A row of a block, and those that it is multiplied with. */
interface Products {
  readonly multiples: Float64Array;
  readonly powers: Float64Array;
  readonly left: number;
  readonly from: number;
  readonly to: number;
  readonly sums: Float64Array;
  /** Where the sums of the row begin. */
  readonly at: number;
}

/** Adds the products of one row of a block with rows `from` to `to` − 1. Four sums at once keep the arithmetic busy. */
function addProducts({ multiples, powers, left, from, to, sums, at }: Products): void {
  const one = left * BLOCK;
  let row = from;
  let place = at;
  for (; row + 3 < to; row += 4, place += 4) {
    const start = row * BLOCK;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let k = 0; k < BLOCK; k++) {
      const u = multiples[one + k];
      a += u * powers[start + k];
      b += u * powers[start + BLOCK + k];
      c += u * powers[start + 2 * BLOCK + k];
      d += u * powers[start + 3 * BLOCK + k];
    }
    sums[place] += a;
    sums[place + 1] += b;
    sums[place + 2] += c;
    sums[place + 3] += d;
  }
  for (; row < to; row++, place++) {
    let sum = 0;
    for (let k = 0; k < BLOCK; k++) sum += multiples[one + k] * powers[row * BLOCK + k];
    sums[place] += sum;
  }
}

/**
 * The sums of the products of all pairs of entries `from` to `to` − 1 of a lift, each entry times its weight: Σ u·uᵀ of
 * the weighted entries u.
 *
 * Shape: a row-major square matrix; `weights` as in `scaleLift`. Only the lower triangle is filled.
 */
export function productMatrix(
  layout: PowerSumLayout,
  sums: Float64Array,
  weights: Float64Array,
  from: number,
  to: number,
): Float64Array {
  const { offsets } = layout.lift;
  const length = to - from;
  const sequences = Array.from({ length }, (_, i) => sequenceOf(layout.lift, from + i));
  const merged = new Int32Array(2 * offsets.length);
  const matrix = new Float64Array(length * length);
  for (let i = 0; i < length; i++) {
    for (let j = 0; j <= i; j++) {
      const sum = sums[placeOf(layout, sequences[i], sequences[j], merged)];
      matrix[i * length + j] = weights[from + i] * weights[from + j] * sum;
    }
  }
  return matrix;
}

/**
 * Adds the sums of the monomials of one degree to 2J to the entries of another lift of the same R^p, which has that degree.
 *
 * Shape: `target` has the entries of that degree alone, in the order of the lift.
 */
export function gatherDegree(
  layout: PowerSumLayout,
  sums: Float64Array,
  lift: Lift,
  power: number,
  target: Float64Array,
): void {
  const merged = new Int32Array(2 * layout.lift.degree + 2);
  const from = lift.offsets[power - 1];
  for (let entry = from; entry < lift.offsets[power]; entry++) {
    target[entry - from] += sums[placeOf(layout, sequenceOf(lift, entry), NONE, merged)];
  }
}

const NONE = new Int32Array(0);

/** The indices of an entry, ascending. */
function sequenceOf({ parent, factor }: Lift, entry: number): Int32Array {
  const indices: number[] = [];
  for (let at = entry; at >= 0; at = parent[at]) indices.push(factor[at]);
  return Int32Array.from(indices.reverse());
}

/** Where the sum of the product of two monomials is kept. */
function placeOf(layout: PowerSumLayout, one: Int32Array, two: Int32Array, merged: Int32Array): number {
  const { lift, starts, tails } = layout;
  const { degree, dimension, offsets, factor } = lift;
  const length = one.length + two.length;
  for (let i = 0, j = 0, m = 0; m < length; m++) {
    merged[m] = j >= two.length || (i < one.length && one[i] <= two[j]) ? one[i++] : two[j++];
  }
  const head = entryOf(layout, merged, 0, Math.min(length, degree));
  if (length <= degree) return head;
  const k = factor[head];
  let place = starts[head - offsets[degree - 1]];
  const last = length - degree - 1;
  for (let b = 0; b < last; b++) place += offsets[b + 1] - tails[b * dimension + k];
  return place + entryOf(layout, merged, degree, length) - tails[last * dimension + k];
}

/** The entry of the lift with the indices `from` to `to` − 1 of an ascending sequence. */
function entryOf({ lift, children }: PowerSumLayout, indices: Int32Array, from: number, to: number): number {
  let entry = indices[from];
  for (let m = from + 1; m < to; m++) entry = children[entry] + indices[m] - lift.factor[entry];
  return entry;
}
