import { createKernel, FREE } from '../random/kernel.ts';

/** The largest number of rows of a block. */
export const BLOCK = 128;

/** Rows beyond this length are added one after the other. */
const LARGEST_DIMENSION = 64;

/** Vectors that a walk moves; those left out are not wanted. */
export interface WalkSums {
  /** Subtracted from each row. */
  readonly centre?: Float64Array;
  /** Sum of the centred rows. */
  readonly total?: Float64Array;
  /** Where they add up: their sum so far, the sum of these sums, and of these sums times their places. */
  readonly open?: Float64Array;
  readonly sum?: Float64Array;
  readonly weighted?: Float64Array;
}

/**
 * Sums over blocks of rows, by a kernel: every sum has the same additions in the same order as row after row.
 *
 * Shape: packed matrices are lower triangles, as in packed-symmetric.ts; the others are row-major.
 */
export interface BlockSums {
  /** Centres up to {@link BLOCK} rows of `rows`, from the entry `at` on, and keeps them on one of two sides. */
  walk(side: 0 | 1, rows: Float64Array, at: number, count: number, sums: WalkSums): void;
  /** The same for the sums of the centred rows so far, beside `open`; the first of these has this place. */
  walkSums(rows: Float64Array, at: number, count: number, sums: WalkSums, place: number): void;
  /** Adds the squares of what is kept on one side to a packed matrix. */
  addSquares(side: 0 | 1, packed: Float64Array): void;
  /** Adds the products of the left side with the right side to a matrix. */
  addProducts(matrix: Float64Array): void;
}

const known = /* @__PURE__ */ new Map<number, BlockSums | undefined>();

/** Sums over rows of so many numbers: one object for each dimension. Undefined where they are added one after the other. */
export function blockSums(dimension: number): BlockSums | undefined {
  if (dimension > LARGEST_DIMENSION) return undefined;
  if (!known.has(dimension)) known.set(dimension, create(dimension));
  return known.get(dimension);
}

const VECTORS = ['centre', 'total', 'open', 'sum', 'weighted'] as const;

function create(dimension: number): BlockSums | undefined {
  const width = (dimension + 3) & ~3;
  const rows = FREE;
  // One row more: the last of an odd number of coordinates is read with its neighbour.
  const state = rows + 8 * dimension * (BLOCK + 1) + (dimension % 2) * 8;
  const sides = [state + 8 * VECTORS.length * width, state + 8 * (VECTORS.length + BLOCK) * width];
  const matrix = sides[1] + 8 * BLOCK * width;
  const kernel = createKernel(matrix + 8 * width * width);
  if (kernel === undefined) return undefined;
  const part = (at: number, length: number): Float64Array => new Float64Array(kernel.memory.buffer, at, length);
  const given = part(rows, dimension * BLOCK);
  const vectors = VECTORS.map((_, i) => part(state + 8 * i * width, dimension));
  const products = part(matrix, width * width);
  let length = 0;

  const walk = (side: 0 | 1, from: Float64Array, at: number, add: 0 | 1, sums: WalkSums, place: number): void => {
    for (let i = 0, k = at; i < length * dimension; i++, k++) given[i] = from[k];
    VECTORS.forEach((name, i) => {
      const vector = sums[name];
      if (vector === undefined) vectors[i].fill(0);
      else for (let j = 0; j < dimension; j++) vectors[i][j] = vector[j];
    });
    kernel.walk(rows, length, dimension, add, place, state, sides[side], width);
    VECTORS.forEach((name, i) => {
      const vector = sums[name];
      if (vector !== undefined) for (let j = 0; j < dimension; j++) vector[j] = vectors[i][j];
    });
  };

  return {
    walk(side, from, at, count, sums) {
      length = count;
      walk(side, from, at, 0, sums, 0);
    },
    walkSums(from, at, count, sums, place) {
      length = count;
      walk(0, from, at, 1, sums, place);
    },
    addSquares(side, packed) {
      for (let i = 0, k = 0; i < dimension; i++) for (let j = 0; j <= i; j++, k++) products[i * width + j] = packed[k];
      kernel.addProducts(sides[side], sides[side], length, width, 1, matrix);
      for (let i = 0, k = 0; i < dimension; i++) for (let j = 0; j <= i; j++, k++) packed[k] = products[i * width + j];
    },
    addProducts(target) {
      for (let i = 0; i < dimension; i++)
        for (let j = 0; j < dimension; j++) products[i * width + j] = target[i * dimension + j];
      kernel.addProducts(sides[0], sides[1], length, width, 0, matrix);
      for (let i = 0; i < dimension; i++)
        for (let j = 0; j < dimension; j++) target[i * dimension + j] = products[i * width + j];
    },
  };
}
