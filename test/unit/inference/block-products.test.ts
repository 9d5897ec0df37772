import { expect, test } from '@jest/globals';
import {
  addToBatchMeans,
  addToBatchMeansBy,
  type BatchMeans,
  batchSchedule,
  createBatchMeans,
} from '../../../src/inference/batch-means.ts';
import { blockSums } from '../../../src/inference/block-sums.ts';
import {
  createRandomScaling,
  extendRandomScaling,
  extendRandomScalingBy,
  type RandomScaling,
} from '../../../src/inference/iterate-average.ts';
import {
  addReleasedGradient,
  addReleasedGradients,
  createReleasedGradients,
  type ReleasedGradients,
} from '../../../src/inference/released-gradients.ts';
import { stepOf, wanderingPath } from './paths.ts';

const STEPS = 700;

/** Lengths of a row: two coordinates share a vector, four a tile; beyond 64 rows are added one by one. */
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 19, 64, 65];

/** After which steps the rows are cut into parts. */
const CUTS = [[], [1], [2, 3], [63, 64, 127], [255, 256, 512], [100, 101, 699]];

/** Ways of cutting the rows after which a state to which parts are added is not the state that is expected. */
function differing<State>(expected: State, create: () => State, add: (to: State, at: number, count: number) => void) {
  const text = JSON.stringify(expected);
  return CUTS.filter((cuts) => {
    const state = create();
    let at = 0;
    for (const cut of [...cuts, STEPS]) {
      add(state, at, cut - at);
      at = cut;
    }
    return JSON.stringify(state) !== text;
  });
}

test.each(LENGTHS)('iterates of length %i added together are those added one by one, bit for bit', (p) => {
  const path = wanderingPath(STEPS, p, `block ${p}`, 50);
  const create = (): RandomScaling => createRandomScaling(p);
  const whole = create();
  for (let i = 0; i < STEPS; i++) extendRandomScaling(whole, stepOf(path, p, i));
  expect(differing(whole, create, (to, at, count) => extendRandomScalingBy(to, path, at, count))).toEqual([]);
  // The control: one iterate more is another state.
  const shorter = create();
  extendRandomScalingBy(shorter, path, 0, STEPS - 1);
  expect(JSON.stringify(shorter)).not.toBe(JSON.stringify(whole));
});

test.each(LENGTHS)('so are released gradients of length %i', (p) => {
  const path = wanderingPath(STEPS, p, `asked at ${p}`, 50);
  const gradients = wanderingPath(STEPS, p, `released ${p}`);
  const create = (): ReleasedGradients => createReleasedGradients(p);
  const whole = create();
  for (let i = 0; i < STEPS; i++) addReleasedGradient(whole, stepOf(gradients, p, i), stepOf(path, p, i));
  expect(differing(whole, create, (to, at, count) => addReleasedGradients(to, gradients, path, at, count))).toEqual([]);
  // The control: gradients and iterates exchanged are another state.
  const exchanged = create();
  addReleasedGradients(exchanged, path, gradients, 0, STEPS);
  expect(JSON.stringify(exchanged)).not.toBe(JSON.stringify(whole));
});

test.each(LENGTHS)('so are batch means of length %i, overlapping or not', (p) => {
  const path = wanderingPath(STEPS, p, `batches ${p}`, 50);
  // α = ⅓ gives batches from m³ on: eight of them; the other schedule has one batch only.
  for (const schedule of [batchSchedule(1 / 3), batchSchedule(1 / 3, 1000)]) {
    for (const overlapping of [true, false]) {
      const create = (): BatchMeans => createBatchMeans({ dimension: p, schedule, overlapping });
      const whole = create();
      for (let i = 0; i < STEPS; i++) addToBatchMeans(whole, stepOf(path, p, i));
      expect(differing(whole, create, (to, at, count) => addToBatchMeansBy(to, path, at, count))).toEqual([]);
      // The control: one iterate more is another state.
      const shorter = create();
      addToBatchMeansBy(shorter, path, 0, STEPS - 1);
      expect(JSON.stringify(shorter)).not.toBe(JSON.stringify(whole));
    }
  }
});

test('rows are really added by a kernel, but for those beyond its length', () => {
  expect(LENGTHS.map((length) => blockSums(length) !== undefined)).toEqual(LENGTHS.map((length) => length <= 64));
});

test('no iterates change nothing', () => {
  const state = createRandomScaling(2);
  extendRandomScalingBy(state, new Float64Array(0), 0, 0);
  expect(state).toEqual(createRandomScaling(2));
});
