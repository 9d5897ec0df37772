import { checkInteger, RefusedValue } from '../check/refusal.ts';
import { createKernel, FREE } from '../random/kernel.ts';

const { min } = Math;

/** The largest number of rows of a block. */
const BLOCK = 256;

/** Rows beyond this length are added one after the other. */
const LARGEST_DIMENSION = 64;

/**
 * Vectors that a walk moves, of the length of a row: what is subtracted from each row, the sum of the centred rows, and where they
 * add up: their sum so far, the sum of these sums, and that of these sums times their places. Undefined: not wanted.
 */
type WalkSums = readonly [
  centre: Float64Array | undefined,
  total: Float64Array | undefined,
  open?: Float64Array | undefined,
  sum?: Float64Array | undefined,
  weighted?: Float64Array | undefined,
];

const VECTORS = 5;

/**
 * Sums over blocks of rows, by a kernel: every sum has the same additions in the same order as row after row. Packed matrices are
 * lower triangles, the others row-major.
 */
export interface BlockSums {
  /**
   * Centres up to {@link BLOCK} rows, from the entry `at` of `rows` on, and keeps them on one of two sides; given the place of the
   * first of them, it keeps what they add up to instead.
   */
  walk(side: 0 | 1, rows: Float64Array, at: number, count: number, sums: WalkSums, place?: number): void;
  /** Adds the squares of what is kept on one side to a packed matrix. */
  addSquares(side: 0 | 1, packed: Float64Array): void;
  /** Adds the products of the left side with the right side to a matrix. */
  addProducts(matrix: Float64Array): void;
}

const known = /* @__PURE__ */ new Map<number, BlockSums | undefined>();

/** The sums over rows of so many numbers, one object for each dimension; undefined where rows are added one after the other. */
export function blockSums(dimension: number): BlockSums | undefined {
  if (dimension > LARGEST_DIMENSION) return undefined;
  if (!known.has(dimension)) known.set(dimension, create(dimension));
  return known.get(dimension);
}

function create(dimension: number): BlockSums | undefined {
  const width = (dimension + 3) & ~3;
  const rows = FREE;
  // One row more: the last of an odd number of coordinates is read with its neighbour.
  const state = rows + 8 * dimension * (BLOCK + 1) + (dimension % 2) * 8;
  const sides = [state + 8 * VECTORS * width, state + 8 * (VECTORS + BLOCK) * width];
  const matrix = sides[1] + 8 * BLOCK * width;
  const kernel = createKernel(matrix + 8 * width * width);
  if (kernel === undefined) return undefined;
  const memory = new Float64Array(kernel.memory.buffer);
  const products = matrix / 8;
  let length = 0;

  return {
    walk(side, from, at, count, sums, place) {
      length = count;
      memory.set(from.subarray(at, at + count * dimension), rows / 8);
      for (let i = 0, start = state / 8; i < VECTORS; i++, start += width) {
        const vector = sums[i];
        for (let j = 0; j < dimension; j++) memory[start + j] = vector === undefined ? 0 : vector[j];
      }
      kernel.walk(rows, count, dimension, Number(place !== undefined), place ?? 0, state, sides[side], width);
      for (let i = 1, start = state / 8 + width; i < VECTORS; i++, start += width) {
        const vector = sums[i];
        if (vector !== undefined) for (let j = 0; j < dimension; j++) vector[j] = memory[start + j];
      }
    },
    addSquares(side, packed) {
      for (let i = 0, k = 0; i < dimension; i++) {
        for (let j = 0, at = products + i * width; j <= i; j++) memory[at++] = packed[k++];
      }
      kernel.addProducts(sides[side], sides[side], length, width, 1, matrix);
      for (let i = 0, k = 0; i < dimension; i++) {
        for (let j = 0, at = products + i * width; j <= i; j++) packed[k++] = memory[at++];
      }
    },
    addProducts(target) {
      for (let i = 0, k = 0; i < dimension; i++) {
        for (let j = 0, at = products + i * width; j < dimension; j++) memory[at++] = target[k++];
      }
      kernel.addProducts(sides[0], sides[1], length, width, 0, matrix);
      for (let i = 0, k = 0; i < dimension; i++) {
        for (let j = 0, at = products + i * width; j < dimension; j++) target[k++] = memory[at++];
      }
    },
  };
}

/** Sums over a path around a reference c, which moves to the average each time the path has doubled in length: `RandomScaling`. */
export interface Centred {
  /** p, the length of an iterate. */
  readonly dimension: number;
  /** n, the number of iterates, or gradients, so far. */
  steps: number;
  /** The number of steps at which the reference moves next. */
  nextCentre: number;
  readonly reference: Float64Array;
}

/**
 * Adds `count` rows from row `from` on to a state: in blocks, each of at most `left()` rows, and one by one where there are none.
 * Both ways are given the first entry of a row. By default the step after which the reference moves is made alone.
 */
export function addRows(
  state: Centred,
  from: number,
  count: number,
  addOne: (at: number) => void,
  addBlock: (block: BlockSums, at: number, length: number) => void,
  left: () => number = () => state.nextCentre - state.steps - 1,
): void {
  const { dimension } = state;
  const block = blockSums(dimension);
  const end = (from + count) * dimension;
  for (let at = from * dimension; at < end; ) {
    const length = min(BLOCK, (end - at) / dimension, left());
    if (length === 0 || block === undefined) {
      addOne(at);
      at += dimension;
    } else {
      addBlock(block, at, length);
      state.steps += length;
      at += length * dimension;
    }
  }
}

/**
 * Number of distinct entries of a symmetric p × p matrix: p(p + 1)/2.
 * @throws TypeError or RangeError unless p is a whole number ≥ 0.
 */
export function packedLength(dimension: number): number {
  checkInteger('dimension', dimension, 0);
  return (dimension * (dimension + 1)) / 2;
}

/** The index of entry (i, j), i ≥ j, in a packed symmetric matrix: the lower triangle, row by row. */
export function packedIndex(i: number, j: number): number {
  return (i * (i + 1)) / 2 + j;
}

/** Adds scale·(abᵀ + baᵀ) to a packed symmetric matrix; with a = b that is 2·scale·aaᵀ. Allocates nothing. */
export function addSymmetricProduct(packed: Float64Array, a: Float64Array, b: Float64Array, scale: number = 1): void {
  for (let i = 0, k = 0; i < a.length; i++) {
    for (let j = 0; j <= i; j++) packed[k++] += scale * (a[i] * b[j] + b[i] * a[j]);
  }
}

/** Adds scale·aaᵀ to a packed symmetric matrix. Allocates nothing. */
export function addSquare(packed: Float64Array, a: Float64Array, scale: number = 1): void {
  for (let i = 0, k = 0; i < a.length; i++) {
    const factor = scale * a[i];
    for (let j = 0; j <= i; j++) packed[k++] += factor * a[j];
  }
}

/**
 * The full p × p matrix, row-major and exactly symmetric, times a scale.
 *
 * Shape: `packed` is the lower triangle, row by row: entry (i, j), i ≥ j, is number i(i + 1)/2 + j, from 0.
 * @throws TypeError or RangeError unless p is a whole number ≥ 0 and `packed` has p(p + 1)/2 numbers.
 */
export function unpackSymmetric(packed: Float64Array, dimension: number, scale: number = 1): Float64Array {
  const length = packedLength(dimension);
  if (packed.length !== length) throw new RefusedValue('packed', `${length} numbers`, packed.length);
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, k = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++, k++) {
      matrix[i * dimension + j] = scale * packed[k];
      matrix[j * dimension + i] = scale * packed[k];
    }
  }
  return matrix;
}
