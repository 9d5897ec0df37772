import { addBlockSquares, BLOCK, createColumns } from './block-products.ts';
import { extendRandomScaling, type RandomScaling } from './random-scaling.ts';

const { min } = Math;

// Scratch: D_b of a block, coordinate by coordinate.
let paths = createColumns(1);

/**
 * Adds `count` iterates, the rows of `iterates` from row `from` on: the same state, bit for bit, as that many calls of
 * `addToRandomScaling`, only faster: every sum stays in a register for a whole block.
 *
 * Shape: rows of p finite numbers; what they are is not looked at.
 */
export function extendRandomScalingBy(state: RandomScaling, iterates: Float64Array, from: number, count: number): void {
  const { dimension, products } = state;
  const end = (from + count) * dimension;
  for (let at = from * dimension; at < end; ) {
    // The reference moves after a step of its own.
    const length = min(BLOCK, (end - at) / dimension, state.nextCentre - state.steps - 1);
    if (length === 0) {
      extendRandomScaling(state, iterates.subarray(at, at + dimension));
      at += dimension;
    } else {
      if (paths.length < dimension * BLOCK) paths = createColumns(dimension);
      for (let i = 0; i < dimension; i++) addPath(state, i, iterates, at + i, length);
      addBlockSquares(products, paths, dimension, length);
      state.steps += length;
      at += length * dimension;
    }
  }
}

/** One coordinate: its partial sums into the scratch, and what is summed over them. */
function addPath(state: RandomScaling, i: number, iterates: Float64Array, start: number, length: number): void {
  const { dimension, steps, reference, path, pathSum, weightedSum } = state;
  const row = i * BLOCK;
  const centre = reference[i];
  let entry = path[i];
  let sum = pathSum[i];
  let weighted = weightedSum[i];
  for (let b = 0, at = start; b < length; b++, at += dimension) {
    entry += iterates[at] - centre;
    paths[row + b] = entry;
    sum += entry;
    weighted += (steps + b + 1) * entry;
  }
  path[i] = entry;
  pathSum[i] = sum;
  weightedSum[i] = weighted;
}
