import { addBlockProducts, addBlockSquares, BLOCK, createColumns } from './block-products.ts';
import { addReleasedGradient, type ReleasedGradients } from './released-gradients.ts';

const { min } = Math;

// Scratch: gradients and centred iterates of a block, coordinate by coordinate.
let slopes = createColumns(1);
let entries = createColumns(1);

/**
 * Adds `count` released gradients, the rows of `gradients` from row `from` on, with the iterates they were asked at, the same rows of
 * `iterates`: the same state, bit for bit, as that many calls of `addReleasedGradient`, only faster.
 *
 * Shape: rows of p finite numbers; what they are is not looked at.
 */
export function addReleasedGradients(
  state: ReleasedGradients,
  gradients: Float64Array,
  iterates: Float64Array,
  from: number,
  count: number,
): void {
  const { dimension } = state;
  const end = (from + count) * dimension;
  for (let at = from * dimension; at < end; ) {
    // The reference moves after a step of its own.
    const length = min(BLOCK, (end - at) / dimension, state.nextCentre - state.steps - 1);
    if (length === 0) {
      addReleasedGradient(state, gradients.subarray(at, at + dimension), iterates.subarray(at, at + dimension));
      at += dimension;
    } else {
      addBlock(state, gradients, iterates, at, length);
      at += length * dimension;
    }
  }
}

function addBlock(
  state: ReleasedGradients,
  gradients: Float64Array,
  iterates: Float64Array,
  start: number,
  length: number,
): void {
  const { dimension, reference, iterateSum, gradientSum, iterateProducts, gradientProducts, crossProducts } = state;
  if (slopes.length < dimension * BLOCK) {
    slopes = createColumns(dimension);
    entries = createColumns(dimension);
  }
  for (let i = 0; i < dimension; i++) {
    const row = i * BLOCK;
    const centre = reference[i];
    let gradient = gradientSum[i];
    let iterate = iterateSum[i];
    for (let b = 0, at = start + i; b < length; b++, at += dimension) {
      const slope = gradients[at];
      const entry = iterates[at] - centre;
      slopes[row + b] = slope;
      entries[row + b] = entry;
      gradient += slope;
      iterate += entry;
    }
    gradientSum[i] = gradient;
    iterateSum[i] = iterate;
  }
  addBlockSquares(gradientProducts, slopes, dimension, length);
  addBlockSquares(iterateProducts, entries, dimension, length);
  addBlockProducts(crossProducts, slopes, entries, dimension, length);
  state.steps += length;
}
