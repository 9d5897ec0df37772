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
} from '../../../src/inference/released-gradients.ts';
import { stepOf, wanderingPath } from './paths.ts';

const STEPS = 700;

/** Lengths of a row: two coordinates share a vector, four a tile; beyond 64 rows are added one by one. */
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 19, 64, 65];

const CUTS = [[], [1], [2, 3], [63, 64, 127], [255, 256, 512], [100, 101, 699]];

function gradientsOfEach(dimension: number, gradients: Float64Array, path: Float64Array, from: number, to: number) {
  const state = createReleasedGradients(dimension);
  for (let i = from; i < to; i++)
    addReleasedGradient(state, stepOf(gradients, dimension, i), stepOf(path, dimension, i));
  return state;
}

function stepByStep(state: RandomScaling, path: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) extendRandomScaling(state, stepOf(path, state.dimension, i));
}

test.each(LENGTHS)('iterates of length %i added together are those added one by one, bit for bit', (p) => {
  const path = wanderingPath(STEPS, p, `block ${p}`, 50);
  const whole = createRandomScaling(p);
  stepByStep(whole, path, 0, STEPS);
  const different: string[] = [];
  for (const cuts of CUTS) {
    const state = createRandomScaling(p);
    let at = 0;
    for (const cut of [...cuts, STEPS]) {
      extendRandomScalingBy(state, path, at, cut - at);
      at = cut;
    }
    if (JSON.stringify(state) !== JSON.stringify(whole)) different.push(`cut at ${cuts}`);
  }
  expect(different).toEqual([]);
  // The control: one iterate more is another state.
  const shorter = createRandomScaling(p);
  extendRandomScalingBy(shorter, path, 0, STEPS - 1);
  expect(JSON.stringify(shorter)).not.toBe(JSON.stringify(whole));
});

test.each(LENGTHS)('so are released gradients of length %i', (p) => {
  const path = wanderingPath(STEPS, p, `asked at ${p}`, 50);
  const gradients = wanderingPath(STEPS, p, `released ${p}`);
  const whole = JSON.stringify(gradientsOfEach(p, gradients, path, 0, STEPS));
  const different: string[] = [];
  for (const cuts of CUTS) {
    const state = createReleasedGradients(p);
    let at = 0;
    for (const cut of [...cuts, STEPS]) {
      addReleasedGradients(state, gradients, path, at, cut - at);
      at = cut;
    }
    if (JSON.stringify(state) !== whole) different.push(`cut at ${cuts}`);
  }
  expect(different).toEqual([]);
  // The control: gradients and iterates exchanged are another state.
  const exchanged = createReleasedGradients(p);
  addReleasedGradients(exchanged, path, gradients, 0, STEPS);
  expect(JSON.stringify(exchanged)).not.toBe(whole);
});

test.each(LENGTHS)('so are batch means of length %i, overlapping or not', (p) => {
  const path = wanderingPath(STEPS, p, `batches ${p}`, 50);
  // α = ⅓ gives batches from m³ on: eight of them; the other schedule has one batch only.
  for (const schedule of [batchSchedule(1 / 3), batchSchedule(1 / 3, 1000)]) {
    for (const overlapping of [true, false]) {
      const create = (): BatchMeans => createBatchMeans({ dimension: p, schedule, overlapping });
      const whole = create();
      for (let i = 0; i < STEPS; i++) addToBatchMeans(whole, stepOf(path, p, i));
      const different: string[] = [];
      for (const cuts of CUTS) {
        const state = create();
        let at = 0;
        for (const cut of [...cuts, STEPS]) {
          addToBatchMeansBy(state, path, at, cut - at);
          at = cut;
        }
        if (JSON.stringify(state) !== JSON.stringify(whole)) different.push(`cut at ${cuts}`);
      }
      expect(different).toEqual([]);
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
