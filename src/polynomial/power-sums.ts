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
  /** The monomials of the lift of each vector, one monomial after the other, and then a row of zeros. */
  readonly powers: Float64Array;
  /** The same times the factor of each vector, for the entries of block J and the row of zeros. */
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
    powers: new Float64Array((size + 1) * BLOCK),
    multiples: new Float64Array((size + 1 - offsets[degree - 1]) * BLOCK),
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
  // Two entries of block J that end with the same index have the same partners. The row of zeros is a partner for one
  // that is left over.
  const first = offsets[degree - 1];
  for (let k = 0; k < dimension; k++) {
    const ending: number[] = [];
    for (let entry = first; entry < size; entry++) if (factor[entry] === k) ending.push(entry - first);
    for (let pair = 0; pair < ending.length; pair += 2) {
      const left = ending[pair];
      const right = ending[pair + 1] ?? size - first;
      let done = 0;
      for (let b = 0; b < degree; b++) {
        const from = tails[b * dimension + k];
        const to = offsets[b + 1];
        if (wanted[degree + b]) {
          const rightAt = right === size - first ? -1 : starts[right] + done;
          addProducts({ multiples, powers, left, right, from, to, sums, leftAt: starts[left] + done, rightAt });
        }
        done += to - from;
      }
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

/** Two rows of a block, and those that they are multiplied with. */
interface Products {
  readonly multiples: Float64Array;
  readonly powers: Float64Array;
  readonly left: number;
  readonly right: number;
  readonly from: number;
  readonly to: number;
  readonly sums: Float64Array;
  /** Where the sums of the first row begin, and of the second; −1: those are dropped. */
  readonly leftAt: number;
  readonly rightAt: number;
}

/** Adds the products of two rows of a block with rows `from` to `to` − 1. Eight sums at once keep the arithmetic busy. */
function addProducts({ multiples, powers, left, right, from, to, sums, leftAt, rightAt }: Products): void {
  const one = left * BLOCK;
  const two = right * BLOCK;
  let row = from;
  for (; row + 3 < to; row += 4) {
    const at = row * BLOCK;
    let a0 = 0;
    let a1 = 0;
    let a2 = 0;
    let a3 = 0;
    let b0 = 0;
    let b1 = 0;
    let b2 = 0;
    let b3 = 0;
    for (let b = 0; b < BLOCK; b++) {
      const u = multiples[one + b];
      const v = multiples[two + b];
      const x0 = powers[at + b];
      const x1 = powers[at + BLOCK + b];
      const x2 = powers[at + 2 * BLOCK + b];
      const x3 = powers[at + 3 * BLOCK + b];
      a0 += u * x0;
      a1 += u * x1;
      a2 += u * x2;
      a3 += u * x3;
      b0 += v * x0;
      b1 += v * x1;
      b2 += v * x2;
      b3 += v * x3;
    }
    const l = leftAt + row - from;
    sums[l] += a0;
    sums[l + 1] += a1;
    sums[l + 2] += a2;
    sums[l + 3] += a3;
    if (rightAt < 0) continue;
    const r = rightAt + row - from;
    sums[r] += b0;
    sums[r + 1] += b1;
    sums[r + 2] += b2;
    sums[r + 3] += b3;
  }
  for (; row < to; row++) {
    const at = row * BLOCK;
    let a = 0;
    let c = 0;
    for (let b = 0; b < BLOCK; b++) {
      const x = powers[at + b];
      a += multiples[one + b] * x;
      c += multiples[two + b] * x;
    }
    sums[leftAt + row - from] += a;
    if (rightAt >= 0) sums[rightAt + row - from] += c;
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
