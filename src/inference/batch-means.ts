import {
  checkBoolean,
  checkInteger,
  checkOpenUnit,
  checkPositive,
  checkVector,
  RefusedValue,
} from '../check/refusal.ts';
import {
  addRows,
  addSquare,
  addSymmetricProduct,
  type Centred,
  packedIndex,
  packedLength,
  unpackSymmetric,
} from './block-sums.ts';

const { floor, max, min } = Math;

/** A variance below this share of the sums it is computed from counts as rounding. */
const ROUNDING = 1e-13;

/**
 * The state that online batch means keep for a path of iterates. In the batch of place i, which began at t_i, S_i is
 * the sum of θ − c from t_i to i and l_i = i − t_i + 1 its length. A pair (S, l) is *recorded* at every place
 * (overlapping), or only at the end of a batch. Plain data of fixed size: a stream that is saved and resumed continues
 * bit for bit.
 *
 * Shape: vectors of length p; `products` is a packed lower triangle of p(p + 1)/2 entries.
 */
export interface BatchMeans extends Centred {
  readonly schedule: BatchSchedule;
  /** Whether every place is recorded (the fully overlapping estimate), or only the ends of batches. */
  readonly overlapping: boolean;
  /** Number and place of the next batch. */
  nextBatch: number;
  nextStart: number;
  /** l: the number of iterates of the open batch so far. */
  length: number;
  /** Sums of l and of l² over the records. */
  lengths: number;
  squaredLengths: number;
  /**
   * Whether the open batch is still the first. Its separate sums are part of the saved form of a stream.
   */
  inHead: boolean;
  /** Number of records in the first batch, and the sum of their l. */
  headCount: number;
  headLengths: number;
  /** Sum of θ − c. */
  readonly total: Float64Array;
  /** S of the open batch. */
  readonly open: Float64Array;
  /** Sum of S over the records of the first batch. */
  readonly head: Float64Array;
  /** Sums of l·S and of SSᵀ over the records. */
  readonly weightedSum: Float64Array;
  readonly products: Float64Array;
}

/** The state of an empty path. */
export function createBatchMeans(request: Pick<BatchMeans, 'dimension' | 'schedule' | 'overlapping'>): BatchMeans {
  const { schedule } = request;
  const dimension = checkInteger('dimension', request.dimension, 1);
  const overlapping = checkBoolean('overlapping', request.overlapping);
  const { batch, start } = nextBatch(schedule, 0, 1);
  return {
    dimension,
    overlapping,
    schedule,
    steps: 0,
    nextCentre: 1,
    nextBatch: batch,
    nextStart: start,
    length: 0,
    lengths: 0,
    squaredLengths: 0,
    inHead: true,
    headCount: 0,
    headLengths: 0,
    reference: new Float64Array(dimension),
    total: new Float64Array(dimension),
    open: new Float64Array(dimension),
    head: new Float64Array(dimension),
    weightedSum: new Float64Array(dimension),
    products: new Float64Array(packedLength(dimension)),
  };
}

/**
 * Adds the next iterate, in O(p²) and without allocating between batches.
 * @throws RangeError for a wrong length or an entry that is not finite; the state is then unchanged.
 */
export function addToBatchMeans(state: BatchMeans, iterate: Float64Array): void {
  const { dimension, reference, total, open } = state;
  checkVector('iterate', iterate, dimension);
  if (state.steps + 1 === state.nextStart) closeBatch(state);
  for (let i = 0; i < dimension; i++) {
    const entry = iterate[i] - reference[i];
    total[i] += entry;
    open[i] += entry;
  }
  state.length++;
  state.steps++;
  if (state.overlapping) recordBatch(state);
  if (state.steps === state.nextCentre) {
    shiftBatchMeans(
      state,
      state.reference.map((entry, i) => entry + total[i] / state.steps),
    );
    state.nextCentre *= 2;
  }
}

/**
 * Adds `count` iterates, the rows of `iterates` from row `from` on, which are not checked: the same state, bit for bit, as by
 * {@link addToBatchMeans}, only faster.
 */
export function addToBatchMeansBy(state: BatchMeans, iterates: Float64Array, from: number, count: number): void {
  const { dimension, overlapping, reference, total, open, weightedSum, products } = state;
  addRows(
    state,
    from,
    count,
    (at) => addToBatchMeans(state, iterates.subarray(at, at + dimension)),
    (block, at, length) => {
      const sums = [reference, total, open, undefined, overlapping ? weightedSum : undefined] as const;
      block.walk(0, iterates, at, length, sums, state.length + 1);
      if (overlapping) block.addSquares(0, products);
      for (let i = 0; i < length; i++) {
        state.length++;
        if (overlapping) {
          state.lengths += state.length;
          state.squaredLengths += state.length * state.length;
        }
      }
    },
    // Steps that begin a batch or move the reference are made alone, and so is the first batch, which has sums of its own.
    () => (state.inHead ? 0 : min(state.nextStart, state.nextCentre) - 1 - state.steps),
  );
}

/**
 * The batch-means estimate of the covariance of √n(θ̄ − θ₀): Σ (S − l·θ̄)(S − l·θ̄)ᵀ/Σ l over the recorded batches, S the
 * sum of the l iterates of one. For batches that do not overlap, the open batch is recorded as it is, so that Σ l = n.
 *
 * Shape: p × p row-major, exactly symmetric and positive semi-definite to rounding. Singular while there are few
 * batches; exactly 0 if the value is only rounding.
 *
 * Source: Zhu, Chen and Wu (2023), Online covariance matrix estimation in SGD.
 * @throws RangeError for a path without iterates.
 */
export function batchMeansCovariance(state: BatchMeans): Float64Array {
  if (state.steps < 1) throw new RefusedValue('steps', 'at least 1', state.steps);
  const closed = {
    ...state,
    head: state.head.slice(),
    weightedSum: state.weightedSum.slice(),
    products: state.products.slice(),
  };
  if (!state.overlapping) recordBatch(closed);
  const { dimension, steps, weightedSum, products } = closed;
  const mean = closed.total.map((entry) => entry / steps);
  const sizes = mean.map((entry, i) => products[packedIndex(i, i)] + closed.squaredLengths * entry * entry);
  addSymmetricProduct(products, weightedSum, mean, -1);
  addSquare(products, mean, closed.squaredLengths);
  // A single batch deviates from its own mean by exactly 0. Rounding errors must not be mistaken for a variance.
  for (let i = 0; i < dimension; i++) {
    if (products[packedIndex(i, i)] > ROUNDING * sizes[i]) continue;
    for (let j = 0; j < dimension; j++) products[packedIndex(max(i, j), min(i, j))] = 0;
  }
  return unpackSymmetric(products, dimension, 1 / closed.lengths);
}

/** Ends the open batch: records it if it has no record yet, and opens an empty batch at the next start. */
function closeBatch(state: BatchMeans): void {
  if (!state.overlapping && state.length > 0) recordBatch(state);
  state.open.fill(0);
  state.length = 0;
  state.inHead = false;
  const { batch, start } = nextBatch(state.schedule, state.nextBatch, state.nextStart);
  state.nextBatch = batch;
  state.nextStart = start;
}

function recordBatch(state: BatchMeans): void {
  const { dimension, open, length, weightedSum, products } = state;
  for (let i = 0, k = 0; i < dimension; i++) {
    const entry = open[i];
    weightedSum[i] += length * entry;
    for (let j = 0; j <= i; j++) products[k++] += entry * open[j];
  }
  state.lengths += length;
  state.squaredLengths += length * length;
  if (!state.inHead) return;
  for (let i = 0; i < dimension; i++) state.head[i] += open[i];
  state.headCount++;
  state.headLengths += length;
}

/** Moves the reference of a state, by exact identities: with Δ = c − c′ every S of length l becomes S + lΔ. */
function shiftBatchMeans(state: BatchMeans, target: Float64Array): void {
  const { dimension, reference, total, open, head, weightedSum, products } = state;
  const delta = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) delta[i] = reference[i] - target[i];
  addSymmetricProduct(products, delta, weightedSum);
  addSquare(products, delta, state.squaredLengths);
  for (let i = 0; i < dimension; i++) {
    weightedSum[i] += state.squaredLengths * delta[i];
    head[i] += state.headLengths * delta[i];
    open[i] += state.length * delta[i];
    total[i] += state.steps * delta[i];
    reference[i] = target[i];
  }
}

/** Where the batches of batch means begin: at a_m = ⌊c·m^(2/(1 − α))⌋. */
interface BatchSchedule {
  /** α in (0, 1), the exponent of the step size γ·i^(−α). */
  readonly stepExponent: number;
  /** c > 0. */
  readonly scale: number;
}

/**
 * The schedule of a step size γ·i^(−α): batch m is of the order m^((1 + α)/(1 − α)), longer than the correlation of the
 * iterates there.
 *
 * Source: Zhu, Chen and Wu (2023), Online covariance matrix estimation in SGD.
 */
export function batchSchedule(stepExponent: number, scale: number = 1): BatchSchedule {
  checkOpenUnit('stepExponent', stepExponent);
  const least = Number.MAX_SAFE_INTEGER ** (1 - 2 / (1 - stepExponent));
  if (checkPositive('scale', scale) < least) throw new RefusedValue('scale', `a number >= ${least}`, scale);
  return { stepExponent, scale };
}

/** The number m of the first batch above `batch` that begins after the place `place`, and the place a_m where it begins. */
export function nextBatch(
  schedule: BatchSchedule,
  batch: number,
  place: number,
): { readonly batch: number; readonly start: number } {
  checkInteger('batch', batch, 0);
  checkInteger('place', place, 0);
  const { stepExponent, scale } = schedule;
  const exponent = 2 / (1 - stepExponent);
  // Slightly enlarged, so that a power that is a whole number stays one in both directions of rounding.
  const startOf = (m: number): number => floor(scale * m ** exponent * (1 + 1e-12));
  // Starts grow with m. The search begins just below the m that begins at the place, doubles its steps, then bisects: one by one
  // it would take 2·10⁷ steps to the first batch of a scale of 1e-30.
  let low = batch;
  const guess = floor((place / scale) ** (1 / exponent) * (1 - 1e-12)) - 1;
  if (guess > low && startOf(guess) <= place) low = guess;
  let high = low + 1;
  for (let stride = 1; startOf(high) <= place; stride *= 2) {
    low = high;
    high += stride;
  }
  while (high - low > 1) {
    const middle = floor((low + high) / 2);
    if (startOf(middle) > place) high = middle;
    else low = middle;
  }
  // Starts that become equal by rounding down are one batch; a start that no stream reaches is kept finite.
  return { batch: high, start: min(startOf(high), Number.MAX_SAFE_INTEGER) };
}
