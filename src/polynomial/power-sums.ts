import { createKernel, kernelParts } from '../random/kernel.ts';
import { entryOf, firstChildren, type Lift, sequenceOf } from './lift.ts';

/** Vectors that are multiplied together: so many that the loop over them is long, so few that their powers stay in the cache. */
const BLOCK = 64;

/**
 * Where the sums of the monomials of degree 1 to 2J of vectors of R^p are kept, J the degree of a lift: each monomial
 * once, although a product of two entries of the lift may reach it in many ways. First the monomials of the lift itself,
 * without their weights; then, for each entry of block J, its products with all entries of the lift whose first index is
 * at least its last one, in the order of the lift.
 */
export interface PowerSumLayout {
  readonly lift: Lift;
  /** C(p + 2J, 2J) − 1, the number of sums. */
  readonly size: number;
  /** Where the products of each entry of block J begin. */
  readonly starts: Float64Array;
  /** First entry of block b (from 0) whose first index is at least k: entry b·p + k. */
  readonly tails: Int32Array;
  /** See {@link firstChildren}. */
  readonly children: Int32Array;
}

export function powerSumLayout(lift: Lift): PowerSumLayout {
  const { dimension, degree, size, offsets, factor } = lift;
  const children = firstChildren(lift);
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

/** Vectors whose monomials are not summed yet, with their factors and count; used for all blocks. */
export interface PowerBlock {
  readonly vectors: Float64Array;
  readonly factors: Float64Array;
  count: number;
  readonly blocks: readonly number[];
  /**
   * Which products are summed, six numbers for each pair of entries of block J with the same partners: both, counted from
   * the first of that block, or the entry after the last where only one is left; the first partner and one past the last;
   * where their sums begin.
   */
  readonly tasks: Int32Array;
}

/** An empty block for vectors of a layout, of which the monomials of these degrees are summed; by default all, up to 2J. */
export function createPowerBlock(layout: PowerSumLayout, only?: readonly number[]): PowerBlock {
  const { dimension, degree } = layout.lift;
  const degrees = only ?? Array.from({ length: 2 * degree }, (_, m) => m + 1);
  return {
    vectors: new Float64Array(dimension * BLOCK),
    factors: new Float64Array(BLOCK),
    count: 0,
    blocks: degrees.filter((m) => m <= degree).map((m) => m - 1),
    tasks: tasksOf(layout, degrees),
  };
}

/** Two entries of block J that end with the same index have the same partners. */
function tasksOf({ lift, size: end, starts, tails }: PowerSumLayout, degrees: readonly number[]): Int32Array {
  const { dimension, degree, size, offsets, factor } = lift;
  const first = offsets[degree - 1];
  const tasks: number[] = [];
  for (let k = 0; k < dimension; k++) {
    const ending: number[] = [];
    for (let entry = first; entry < size; entry++) if (factor[entry] === k) ending.push(entry - first);
    for (let pair = 0; pair < ending.length; pair += 2) {
      const [left, right = size - first] = ending.slice(pair, pair + 2);
      let done = 0;
      for (let b = 0; b < degree; b++) {
        const from = tails[b * dimension + k];
        const to = offsets[b + 1];
        if (degrees.includes(degree + b + 1)) {
          tasks.push(left, right, from, to, starts[left] + done, right === size - first ? end : starts[right] + done);
        }
        done += to - from;
      }
    }
  }
  return Int32Array.from(tasks);
}

/** Adds the monomials of one vector, times a factor, to the sums: at the latest with {@link flushPowers}. */
export function addPowers(
  layout: PowerSumLayout,
  vector: ArrayLike<number>,
  factor: number,
  block: PowerBlock,
  sums: Float64Array,
): void {
  const { dimension } = layout.lift;
  for (let i = 0, at = block.count * dimension; i < dimension; i++) block.vectors[at + i] = vector[i];
  block.factors[block.count] = factor;
  block.count++;
  if (block.count === BLOCK) flushPowers(layout, block, sums);
}

/** Adds what a block still holds, and empties it. Where there is a kernel, it does so; the sums have the same bits. */
export function flushPowers(layout: PowerSumLayout, block: PowerBlock, sums: Float64Array): void {
  if (block.count === 0) return;
  block.vectors.fill(0, block.count * layout.lift.dimension);
  block.factors.fill(0, block.count);
  if (!kernels.has(layout)) kernels.set(layout, powerKernel(layout));
  const kernel = kernels.get(layout);
  if (kernel === undefined) addBlock(layout, block, sums);
  else kernel(block, sums);
  block.count = 0;
}

function addBlock({ lift }: PowerSumLayout, { vectors, factors, blocks, tasks }: PowerBlock, sums: Float64Array): void {
  const { dimension, degree, size, offsets, parent, factor } = lift;
  const first = offsets[degree - 1];
  const powers = new Float64Array(size * BLOCK);
  const multiples = new Float64Array((size - first) * BLOCK);
  for (let entry = 0; entry < size; entry++) {
    for (let b = 0, at = entry * BLOCK; b < BLOCK; b++, at++) {
      const by = vectors[b * dimension + factor[entry]];
      powers[at] = entry < dimension ? by : powers[parent[entry] * BLOCK + b] * by;
      if (entry >= first) multiples[at - first * BLOCK] = factors[b] * powers[at];
    }
  }
  for (const b of blocks) {
    for (let entry = offsets[b]; entry < offsets[b + 1]; entry++) {
      sums[entry] += product(factors, 0, powers, entry * BLOCK);
    }
  }
  for (let task = 0; task < tasks.length; task += TASK) {
    const [left, right, from, to, leftAt, rightAt] = tasks.subarray(task, task + TASK);
    for (let row = from; row < to; row++) {
      sums[leftAt + row - from] += product(multiples, left * BLOCK, powers, row * BLOCK);
      if (right === size - first) continue;
      sums[rightAt + row - from] += product(multiples, right * BLOCK, powers, row * BLOCK);
    }
  }
}

function product(one: Float64Array, from: number, other: Float64Array, at: number): number {
  let sum = 0;
  for (let b = 0; b < BLOCK; b++) sum += one[from + b] * other[at + b];
  return sum;
}

const TASK = 6;

const MOST_BYTES = 2 ** 28;

// One kernel for each layout: a lift has many blocks of players. It keeps nothing from one block of vectors to the next.
const kernels = /* @__PURE__ */ new WeakMap<PowerSumLayout, ReturnType<typeof powerKernel>>();

/** What adds the monomials of a block by a kernel; undefined where there is none, or where it needs too much memory. */
function powerKernel({ lift, size: sumCount, children }: PowerSumLayout) {
  const { dimension, degree, size, offsets, factor } = lift;
  const first = offsets[degree - 1];
  const tops = size - first;
  const { part, end } = kernelParts();
  const vectors = part(8 * BLOCK * dimension);
  const factors = part(8 * BLOCK);
  const firstChildren = part(4 * size);
  const lasts = part(4 * size);
  // Every top entry has at most one task for each block.
  const taskList = part(4 * TASK * degree * tops);
  const powers = part(8 * BLOCK * size);
  const multiples = part(8 * BLOCK * (tops + 1));
  // After the sums there is room for those of the number 0.
  const out = part(8 * (sumCount + size));
  const kernel = end() > MOST_BYTES ? undefined : createKernel(end());
  if (kernel === undefined) return undefined;
  const numbers = new Float64Array(kernel.memory.buffer);
  const integers = new Int32Array(kernel.memory.buffer);
  integers.set(children, firstChildren / 4);
  integers.set(factor, lasts / 4);
  const found = numbers.subarray(out / 8, out / 8 + sumCount);
  return (block: PowerBlock, sums: Float64Array): void => {
    const { tasks, blocks } = block;
    numbers.set(block.vectors, vectors / 8);
    numbers.set(block.factors, factors / 8);
    integers.set(tasks, taskList / 4);
    kernel.fillPowers(vectors, factors, dimension, first, firstChildren, lasts, size, first, powers, multiples);
    for (const b of blocks) {
      kernel.sumPowers(factors, powers, size, offsets[b], offsets[b + 1], out + 8 * offsets[b]);
      addRange(sums, found, offsets[b], offsets[b + 1]);
    }
    kernel.sumProducts(taskList, tasks.length / TASK, powers, size, multiples, tops, out);
    for (let task = 0; task < tasks.length; task += TASK) {
      const length = tasks[task + 3] - tasks[task + 2];
      addRange(sums, found, tasks[task + 4], tasks[task + 4] + length);
      if (tasks[task + 5] < sumCount) addRange(sums, found, tasks[task + 5], tasks[task + 5] + length);
    }
  };
}

function addRange(sums: Float64Array, found: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) sums[i] += found[i];
}

/** Σ u·uᵀ over the weighted entries `from` to `to` − 1 of a lift: the lower triangle of a row-major matrix. */
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

/** Adds the sums of the monomials of one degree to 2J to `target`, the entries of that degree of another lift of R^p. */
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

function placeOf(layout: PowerSumLayout, one: Int32Array, two: Int32Array, merged: Int32Array): number {
  const { lift, starts, tails, children } = layout;
  const { degree, dimension, offsets, factor } = lift;
  const length = one.length + two.length;
  for (let i = 0, j = 0, m = 0; m < length; m++) {
    merged[m] = j >= two.length || (i < one.length && one[i] <= two[j]) ? one[i++] : two[j++];
  }
  const head = entryOf(lift, children, merged, 0, Math.min(length, degree));
  if (length <= degree) return head;
  const k = factor[head];
  let place = starts[head - offsets[degree - 1]];
  const last = length - degree - 1;
  for (let b = 0; b < last; b++) place += offsets[b + 1] - tails[b * dimension + k];
  return place + entryOf(lift, children, merged, degree, length) - tails[last * dimension + k];
}
