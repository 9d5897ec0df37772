import { checkInteger, RefusedValue } from '../check/refusal.ts';
import { addRows, addSquare, addSymmetricProduct, type Centred, packedLength, unpackSymmetric } from './block-sums.ts';

const { ceil, max } = Math;

/** The number of segments of a suffix average, an even number: the suffix is longer than requested by 2/64 of the path at most. */
const SEGMENTS = 64;

/**
 * What the average over the last part of a path θ₁ … θ_n keeps: sums over consecutive segments of equal length, 64 rows of p
 * numbers. When all segments are full, pairs of them become one.
 *
 * Source: Rakhlin, Shamir, Sridharan (2012), Making gradient descent optimal for strongly convex stochastic optimization.
 */
export interface SuffixAverage {
  readonly dimension: number;
  /** n, the number of iterates so far. */
  steps: number;
  /** The number of iterates of a full segment, a power of two. */
  length: number;
  /** The number of full segments, and of iterates in the segment after them. */
  filled: number;
  gathered: number;
  readonly sums: Float64Array;
}

export function createSuffixAverage(dimension: number): SuffixAverage {
  const sums = new Float64Array(SEGMENTS * checkInteger('dimension', dimension, 1));
  return { dimension, steps: 0, length: 1, filled: 0, gathered: 0, sums };
}

/** Adds one iterate: p finite numbers, which are not checked. */
export function extendSuffixAverage(state: SuffixAverage, iterate: ArrayLike<number>): void {
  const { dimension, sums } = state;
  const at = state.filled * dimension;
  for (let i = 0; i < dimension; i++) sums[at + i] += iterate[i];
  state.steps++;
  state.gathered++;
  if (state.gathered < state.length) return;
  state.gathered = 0;
  state.filled++;
  if (state.filled < SEGMENTS) return;
  for (let row = 0; row < SEGMENTS / 2; row++) {
    const from = 2 * row * dimension;
    for (let i = 0; i < dimension; i++) sums[row * dimension + i] = sums[from + i] + sums[from + dimension + i];
  }
  sums.fill(0, (SEGMENTS / 2) * dimension);
  state.filled = SEGMENTS / 2;
  state.length *= 2;
}

/** An average that forgets the start: Σ w_i·θ_i, and 1/Σ w_i², the number of equally weighted iterates with its variance. */
export interface ForgettingAverage {
  readonly mean: Float64Array;
  readonly effective: number;
}

/**
 * The average over the last iterates: the fewest whole segments with at least the requested share of the path, which is not empty.
 */
export function suffixAverage(
  { dimension, steps, length, filled, gathered, sums }: SuffixAverage,
  share: number,
): ForgettingAverage {
  const rows = ceil(max(0, ceil(share * steps) - gathered) / length);
  const effective = gathered + rows * length;
  const mean = new Float64Array(dimension);
  for (let row = filled - rows; row <= filled && row < SEGMENTS; row++) {
    for (let i = 0; i < dimension; i++) mean[i] += sums[row * dimension + i] / effective;
  }
  return { mean, effective };
}

/** The polynomial-decay average of n iterates. */
export interface PolynomialAverage {
  steps: number;
  readonly mean: Float64Array;
}

export function createPolynomialAverage(dimension: number): PolynomialAverage {
  return { steps: 0, mean: new Float64Array(checkInteger('dimension', dimension, 1)) };
}

/**
 * Adds one iterate: θ̄_n = (1 − (η + 1)/(n + η))·θ̄_{n−1} + (η + 1)/(n + η)·θ_n, whose weights grow like i^η. At η = 0
 * all are equal.
 *
 * Source: Shamir, Zhang (2013), Stochastic gradient descent for non-smooth optimization, polynomial-decay averaging.
 */
export function extendPolynomialAverage(state: PolynomialAverage, iterate: ArrayLike<number>, power: number): void {
  const { mean } = state;
  state.steps++;
  const weight = (power + 1) / (state.steps + power);
  for (let i = 0; i < mean.length; i++) mean[i] += weight * (iterate[i] - mean[i]);
}

/**
 * The part of the path that counts, in the limit of long paths: 1/(n·Σ w_i²). It is the share of a suffix, and
 * (2η + 1)/(η + 1)² for weights (η + 1)·i^η/n^(η + 1).
 *
 * Law: where n^{-1/2}·Σ_{i ≤ rn}(θ_i − θ₀) is in the limit Ω^{1/2}·W(r), an average with weights w(i/n)/n is normal around
 * θ₀ with the covariance Ω·∫w²/n.
 */
export function effectiveShare(average: AverageWeights): number {
  return average.kind === 'suffix' ? average.share : (2 * average.power + 1) / (average.power + 1) ** 2;
}

/** The weights of an average that forgets the start. */
export type AverageWeights =
  | { readonly kind: 'suffix'; readonly share: number }
  | { readonly kind: 'polynomial'; readonly power: number };

/**
 * Adds `count` iterates, the rows of `iterates` from row `from` on, which are not checked: the same state, bit for bit, as by
 * `extendRandomScaling`, only faster.
 */
export function extendRandomScalingBy(state: RandomScaling, iterates: Float64Array, from: number, count: number): void {
  const { dimension, reference, path, pathSum, weightedSum, products } = state;
  addRows(
    state,
    from,
    count,
    (at) => extendRandomScaling(state, iterates.subarray(at, at + dimension)),
    (block, at, length) => {
      block.walk(0, iterates, at, length, [reference, undefined, path, pathSum, weightedSum], state.steps + 1);
      block.addSquares(0, products);
    },
  );
}

/**
 * The state that random scaling keeps for a path of iterates θ₁ … θ_n: sums over the partial sums D_b = Σ_{i ≤ b}(θ_i − c).
 * Plain data of fixed size: a stream that is saved and resumed continues bit for bit.
 *
 * Each time the path has doubled in length, the reference c moves to the average, by exact identities. So D_n stays of
 * the order of its fluctuations, and V is not a small difference of large numbers.
 *
 * Shape: vectors of length p; `products` is a packed lower triangle of p(p + 1)/2 entries.
 */
export interface RandomScaling extends Centred {
  /** D_n. */
  readonly path: Float64Array;
  /** Σ_b D_b. */
  readonly pathSum: Float64Array;
  /** v = Σ_b b·D_b. */
  readonly weightedSum: Float64Array;
  /** Σ_b D_b·D_bᵀ. */
  readonly products: Float64Array;
}

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
  // Four rows at a time, then two: there are few, and one turn of a loop costs as much as an entry.
  for (; i + 3 < dimension; i += 4) {
    const a = path[i] + (iterate[i] - reference[i]);
    const b = path[i + 1] + (iterate[i + 1] - reference[i + 1]);
    const c = path[i + 2] + (iterate[i + 2] - reference[i + 2]);
    const d = path[i + 3] + (iterate[i + 3] - reference[i + 3]);
    path[i] = a;
    path[i + 1] = b;
    path[i + 2] = c;
    path[i + 3] = d;
    pathSum[i] += a;
    pathSum[i + 1] += b;
    pathSum[i + 2] += c;
    pathSum[i + 3] += d;
    weightedSum[i] += step * a;
    weightedSum[i + 1] += step * b;
    weightedSum[i + 2] += step * c;
    weightedSum[i + 3] += step * d;
    let l = k + i + 1;
    let m = l + i + 2;
    let n = m + i + 3;
    for (let j = 0; j < i; j++) {
      const earlier = path[j];
      products[k++] += a * earlier;
      products[l++] += b * earlier;
      products[m++] += c * earlier;
      products[n++] += d * earlier;
    }
    products[k] += a * a;
    products[l] += b * a;
    products[l + 1] += b * b;
    products[m] += c * a;
    products[m + 1] += c * b;
    products[m + 2] += c * c;
    products[n] += d * a;
    products[n + 1] += d * b;
    products[n + 2] += d * c;
    products[n + 3] += d * d;
    k = n + 4;
  }
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
    // The rows before are a whole number of fours.
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

/**
 * The average θ̄_n of the path: p numbers.
 * @throws RangeError for a path without iterates.
 */
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

/** Moves the reference to the average c′: with Δ = c − c′ every D_b becomes D_b + bΔ. */
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
  if (steps < 1) throw new RefusedValue('steps', 'at least 1', steps);
}
