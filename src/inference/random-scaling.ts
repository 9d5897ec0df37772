import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { BLOCK, blockSums } from './block-sums.ts';
import { addSquare, addSymmetricProduct, packedLength, unpackSymmetric } from './packed-symmetric.ts';

const { min } = Math;

/**
 * Adds `count` iterates, the rows of `iterates` from row `from` on. The state is the same, bit for bit, as after that
 * many calls of `extendRandomScaling`, only faster.
 *
 * Shape: rows of p finite numbers; they are not checked.
 */
export function extendRandomScalingBy(state: RandomScaling, iterates: Float64Array, from: number, count: number): void {
  const { dimension, reference: centre, path: open, pathSum: sum, weightedSum: weighted, products } = state;
  const block = blockSums(dimension);
  const end = (from + count) * dimension;
  for (let at = from * dimension; at < end; ) {
    // The step after which the reference moves is made alone.
    const length = min(BLOCK, (end - at) / dimension, state.nextCentre - state.steps - 1);
    if (length === 0 || block === undefined) {
      extendRandomScaling(state, iterates.subarray(at, at + dimension));
      at += dimension;
    } else {
      block.walk(0, iterates, at, length, [centre, undefined, open, sum, weighted], state.steps + 1);
      block.addSquares(0, products);
      state.steps += length;
      at += length * dimension;
    }
  }
}

/**
 * The state that random scaling keeps for a path of iterates θ₁ … θ_n: sums over the partial sums
 * D_b = Σ_{i ≤ b}(θ_i − c). Plain data of fixed size: a stream that is saved and resumed continues bit for bit.
 *
 * Each time the path has doubled in length, the reference c moves to the average, by exact identities. So D_n stays of
 * the order of its fluctuations, and V is not a small difference of large numbers.
 *
 * Shape: vectors of length p; `products` is a packed lower triangle of p(p + 1)/2 entries.
 */
export interface RandomScaling {
  /** p, the length of an iterate. */
  readonly dimension: number;
  /** n, the number of iterates so far. */
  steps: number;
  /** The number of steps at which the reference moves next. */
  nextCentre: number;
  /** c. */
  readonly reference: Float64Array;
  /** D_n. */
  readonly path: Float64Array;
  /** Σ_b D_b. */
  readonly pathSum: Float64Array;
  /** v = Σ_b b·D_b. */
  readonly weightedSum: Float64Array;
  /** Σ_b D_b·D_bᵀ. */
  readonly products: Float64Array;
}

/**
 * The state of an empty path.
 *
 * @throws TypeError or RangeError unless the dimension is a whole number ≥ 1.
 */
export function createRandomScaling(dimension: number): RandomScaling {
  checkInteger('dimension', dimension, 1);
  return {
    dimension,
    steps: 0,
    nextCentre: 1,
    reference: new Float64Array(dimension),
    path: new Float64Array(dimension),
    pathSum: new Float64Array(dimension),
    weightedSum: new Float64Array(dimension),
    products: new Float64Array(packedLength(dimension)),
  };
}

/** Adds the next iterate, p finite numbers that are not checked, in O(p²) and without allocating. */
export function extendRandomScaling(state: RandomScaling, iterate: Float64Array): void {
  const { dimension, reference, path, pathSum, weightedSum, products } = state;
  const step = ++state.steps;
  let i = 0;
  let k = 0;
  // Two rows and two columns at a time: there are few, and one turn of a loop costs as much as an entry.
  for (; i + 1 < dimension; i += 2) {
    const entry = path[i] + (iterate[i] - reference[i]);
    const other = path[i + 1] + (iterate[i + 1] - reference[i + 1]);
    path[i] = entry;
    path[i + 1] = other;
    pathSum[i] += entry;
    pathSum[i + 1] += other;
    weightedSum[i] += step * entry;
    weightedSum[i + 1] += step * other;
    let l = k + i + 1;
    for (let j = 0; j < i; j += 2, k += 2, l += 2) {
      const first = path[j];
      const second = path[j + 1];
      products[k] += entry * first;
      products[k + 1] += entry * second;
      products[l] += other * first;
      products[l + 1] += other * second;
    }
    products[k] += entry * entry;
    products[l] += other * entry;
    products[l + 1] += other * other;
    k = l + 2;
  }
  if (i < dimension) {
    const entry = path[i] + (iterate[i] - reference[i]);
    path[i] = entry;
    pathSum[i] += entry;
    weightedSum[i] += step * entry;
    for (let j = 0; j <= i; j++) products[k++] += entry * path[j];
  }
  if (step === state.nextCentre) {
    centre(state);
    state.nextCentre = 2 * step;
  }
}

/** The average θ̄_n of the path. */
export function averageIterate(state: RandomScaling): Float64Array {
  checkSteps(state);
  return state.reference.map((entry, i) => entry + state.path[i] / state.steps);
}

/**
 * The random scaling matrix V_n = n⁻² Σ_b (Σ_{i ≤ b}(θ_i − θ̄_n))(…)ᵀ. It is not an estimator: √n(θ̄_n − θ₀) divided by
 * its root has a law without unknown parameters, that of `randomScalingCriticalValue`.
 *
 * Shape: p × p row-major, exactly symmetric. Singular while n ≤ p, and for iterates that never move.
 *
 * Source: Xie, Shi, Jiang, Kong and He, Online differentially private inference in SGD, Section 4.2.
 *
 * @throws RangeError for a path without iterates.
 * @theorem online-inference Corollary 3
 */
export function randomScalingMatrix(state: RandomScaling): Float64Array {
  checkSteps(state);
  const { dimension, steps, path, weightedSum } = state;
  const packed = state.products.slice();
  addSymmetricProduct(packed, path, weightedSum, -1 / steps);
  addSquare(packed, path, ((steps + 1) * (2 * steps + 1)) / (6 * steps));
  return unpackSymmetric(packed, dimension, 1 / steps / steps);
}

// Moves the reference to the average c′: with Δ = c − c′ every D_b becomes D_b + bΔ.
function centre(state: RandomScaling): void {
  const target = averageIterate(state);
  const { dimension, steps, reference, path, pathSum, weightedSum, products } = state;
  const places = (steps * (steps + 1)) / 2;
  const squares = (places * (2 * steps + 1)) / 3;
  const delta = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) delta[i] = reference[i] - target[i];
  addSymmetricProduct(products, delta, weightedSum);
  addSquare(products, delta, squares);
  for (let i = 0; i < dimension; i++) {
    weightedSum[i] += squares * delta[i];
    pathSum[i] += places * delta[i];
    path[i] += steps * delta[i];
    reference[i] = target[i];
  }
}

function checkSteps({ steps }: RandomScaling): void {
  if (steps < 1) throw new RefusedValue(refusal('steps', 'at least 1', steps));
}
