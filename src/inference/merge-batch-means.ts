import { refusal } from '../check/number.ts';
import { type BatchMeans, closeBatch, copyBatchMeans, shiftBatchMeans } from './batch-means.ts';
import { addSquare, addSymmetricProduct } from './packed-symmetric.ts';

/**
 * Appends the path of `next` to that of `state`, as if its iterates had been added one by one (to rounding); `next` stays
 * as it is. It must have been made for the place at which `state` ends.
 *
 * @throws RangeError for another dimension, schedule or kind of batches, or a path that begins elsewhere.
 */
export function mergeBatchMeans(state: BatchMeans, next: BatchMeans): void {
  checkContinuation(state, next);
  if (next.steps === 0) return;
  if (state.steps > 0 && next.first === state.nextStart) closeBatch(state);
  const later = copyBatchMeans(next);
  shiftBatchMeans(later, state.reference);
  appendRecords(state, later);
  const { dimension, total, open } = state;
  for (let i = 0; i < dimension; i++) {
    total[i] += later.total[i];
    open[i] = later.open[i] + (later.inHead ? open[i] : 0);
  }
  state.length = later.length + (later.inHead ? state.length : 0);
  state.inHead = state.inHead && later.inHead;
  state.nextBatch = later.nextBatch;
  state.nextStart = later.nextStart;
  state.steps += later.steps;
  shiftBatchMeans(
    state,
    state.reference.map((entry, i) => entry + total[i] / state.steps),
  );
  while (state.nextCentre <= state.steps) state.nextCentre *= 2;
}

// A record (S′, l′) in the first batch of the later path continues the open batch (S, l): it becomes (S + S′, l + l′).
function appendRecords(state: BatchMeans, later: BatchMeans): void {
  const { dimension, open, length, weightedSum, products } = state;
  const { head, headCount, headLengths } = later;
  for (let k = 0; k < products.length; k++) products[k] += later.products[k];
  addSymmetricProduct(products, open, head);
  addSquare(products, open, headCount);
  for (let i = 0; i < dimension; i++) {
    weightedSum[i] += later.weightedSum[i] + length * head[i] + open[i] * (headLengths + headCount * length);
    if (state.inHead) state.head[i] += head[i] + headCount * open[i];
  }
  state.lengths += later.lengths + headCount * length;
  state.squaredLengths += later.squaredLengths + 2 * length * headLengths + headCount * length * length;
  if (!state.inHead) return;
  state.headCount += headCount;
  state.headLengths += headLengths + headCount * length;
}

function checkContinuation(state: BatchMeans, next: BatchMeans): void {
  if (next.dimension !== state.dimension) {
    throw new RangeError(refusal('next', `a path in dimension ${state.dimension}`, next.dimension));
  }
  if (next.overlapping !== state.overlapping) {
    throw new RangeError(refusal('next.overlapping', String(state.overlapping), next.overlapping));
  }
  const { stepExponent, scale } = state.schedule;
  if (next.schedule.stepExponent !== stepExponent || next.schedule.scale !== scale) {
    throw new RangeError(refusal('next.schedule', `α = ${stepExponent} and c = ${scale}`, 'another one'));
  }
  if (next.first !== state.first + state.steps) {
    throw new RangeError(refusal('next.first', `${state.first + state.steps}, where the path ends`, next.first));
  }
}
