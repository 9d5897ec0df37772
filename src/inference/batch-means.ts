import { checkInteger, refusal } from '../check/number.ts';
import { type BatchSchedule, nextBatch } from './batch-schedule.ts';
import { addSquare, addSymmetricProduct, packedIndex, packedLength, unpackSymmetric } from './packed-symmetric.ts';
import { checkVector } from './vector.ts';

const { max, min } = Math;

/** Share of the sums that a variance is made of below which it is rounding. */
const ROUNDING = 1e-13;

/**
 * What online batch means keep of a path of iterates. In the batch of place i, which began at t_i, S_i is the sum of
 * θ − c from t_i to i and l_i = i − t_i + 1 its length. A pair (S, l) is *recorded* at every place (overlapping), or at the
 * end of a batch only. Plain data of fixed size: saved and resumed, a stream goes on bit for bit.
 *
 * Shape: vectors of length p; `products` is a packed lower triangle of p(p + 1)/2 entries.
 */
export interface BatchMeans {
  readonly dimension: number;
  readonly overlapping: boolean;
  readonly schedule: BatchSchedule;
  /** Place of the first iterate in the whole stream, from 1. */
  readonly first: number;
  /** Number of iterates so far. */
  steps: number;
  /** The number of steps at which the reference moves next. */
  nextCentre: number;
  /** Number and place of the next batch. */
  nextBatch: number;
  nextStart: number;
  /** l: how much of the open batch is in this state. */
  length: number;
  /** Sums of l and of l² over the records. */
  lengths: number;
  squaredLengths: number;
  /** Whether the open batch is still the one of the first iterate, which may have begun before it. */
  inHead: boolean;
  /** Number of records in that batch, and the sum of their l. */
  headCount: number;
  headLengths: number;
  /** c, moved to the average whenever the path has doubled: see `RandomScaling`. */
  readonly reference: Float64Array;
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

/** What makes a state of batch means. */
export interface BatchMeansRequest {
  readonly dimension: number;
  readonly schedule: BatchSchedule;
  /** Whether every place is recorded (the fully overlapping estimate) or only the ends of batches. */
  readonly overlapping: boolean;
  /** Place of the first iterate in the stream; 1 unless the state is one to be merged behind another. */
  readonly first?: number | undefined;
}

/**
 * The state of an empty path.
 *
 * @throws TypeError or RangeError unless dimension and place are whole numbers ≥ 1.
 */
export function createBatchMeans(request: BatchMeansRequest): BatchMeans {
  const { schedule, overlapping } = request;
  const dimension = checkInteger('dimension', request.dimension, 1);
  const first = checkInteger('first', request.first ?? 1, 1);
  if (typeof overlapping !== 'boolean') throw new TypeError(refusal('overlapping', 'true or false', overlapping));
  const { batch, start } = nextBatch(schedule, 0, first);
  return {
    dimension,
    overlapping,
    schedule,
    first,
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
 *
 * @throws RangeError for another length or an entry that is not finite; the state is then unchanged.
 */
export function addToBatchMeans(state: BatchMeans, iterate: Float64Array): void {
  const { dimension, reference, total, open } = state;
  checkVector('iterate', iterate, dimension);
  if (state.first + state.steps === state.nextStart) closeBatch(state);
  for (let i = 0; i < dimension; i++) {
    const entry = iterate[i] - reference[i];
    total[i] += entry;
    open[i] += entry;
  }
  state.length++;
  state.steps++;
  if (state.overlapping) recordBatch(state);
  if (state.steps === state.nextCentre) {
    shiftBatchMeans(state, batchMeansAverage(state));
    state.nextCentre *= 2;
  }
}

/** The average of the path. */
export function batchMeansAverage(state: BatchMeans): Float64Array {
  if (state.steps < 1) throw new RangeError(refusal('steps', 'at least 1', state.steps));
  return state.reference.map((entry, i) => entry + state.total[i] / state.steps);
}

/**
 * The batch-means estimate of the covariance of √n(θ̄ − θ₀): Σ (S − l·θ̄)(S − l·θ̄)ᵀ/Σ l over the records; for batches that
 * do not overlap the open one is recorded as it stands, so that Σ l = n.
 *
 * Shape: p × p row-major, exactly symmetric and positive semi-definite to rounding; singular while there are few batches, exactly 0
 * where it is only rounding.
 *
 * Source: Zhu, Chen and Wu (2023), Online covariance matrix estimation in SGD.
 *
 * @throws RangeError for a path without iterates.
 */
export function batchMeansCovariance(state: BatchMeans): Float64Array {
  if (state.steps < 1) throw new RangeError(refusal('steps', 'at least 1', state.steps));
  const closed = copyBatchMeans(state);
  if (!state.overlapping) recordBatch(closed);
  const { dimension, steps, weightedSum, products } = closed;
  const mean = closed.total.map((entry) => entry / steps);
  const sizes = mean.map((entry, i) => products[packedIndex(i, i)] + closed.squaredLengths * entry * entry);
  addSymmetricProduct(products, weightedSum, mean, -1);
  addSquare(products, mean, closed.squaredLengths);
  // A single batch deviates from its own mean by exactly 0. What rounding leaves of that must not pass for a variance.
  for (let i = 0; i < dimension; i++) {
    if (products[packedIndex(i, i)] > ROUNDING * sizes[i]) continue;
    for (let j = 0; j < dimension; j++) products[packedIndex(max(i, j), min(i, j))] = 0;
  }
  return unpackSymmetric(products, dimension, 1 / closed.lengths);
}

/** An independent copy. */
export function copyBatchMeans(state: BatchMeans): BatchMeans {
  return {
    ...state,
    reference: state.reference.slice(),
    total: state.total.slice(),
    open: state.open.slice(),
    head: state.head.slice(),
    weightedSum: state.weightedSum.slice(),
    products: state.products.slice(),
  };
}

/** Ends the open batch: its record, if it has none yet, and an empty one at the next start. */
export function closeBatch(state: BatchMeans): void {
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
export function shiftBatchMeans(state: BatchMeans, target: Float64Array): void {
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
