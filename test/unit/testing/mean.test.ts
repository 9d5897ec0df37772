import { expect, test } from '@jest/globals';
import { measuredMean } from '../../../src/testing/claim.ts';
import {
  columnMeans,
  measuredSums,
  pooledMeans,
  rootMeans,
  shareError,
  summed,
} from '../../evidence/experiment/statistics.ts';

test('by hand: 1, 2, 3, 6 have mean 3 and standard error √(14/3/4); a single number has none', () => {
  const { mean, error } = measuredMean([1, 2, 3, 6]);
  expect(mean).toBe(3);
  expect(error).toBeCloseTo(Math.sqrt(14 / 12), 14);
  expect(measuredMean([7])).toEqual({ mean: 7, error: 0 });
});

test('means from sums are those of the numbers', () => {
  const values = [0.3, -1.2, 4, 2.5, 0.1];
  const squares = values.map((value) => value * value);
  const kept = measuredSums(
    5,
    summed(values, (value) => value),
    summed(squares, (value) => value),
  );
  const { mean, error } = measuredMean(values);
  expect(kept.mean).toBeCloseTo(mean, 14);
  expect(kept.error).toBeCloseTo(error, 14);
});

test('columns are means over replications', () => {
  expect(
    columnMeans([
      [1, 10],
      [3, 10],
    ]),
  ).toEqual([
    { mean: 2, error: 1 },
    { mean: 10, error: 0 },
  ]);
});

test('pooled means share their deviation: by hand, four squares of 1 over two degrees of freedom', () => {
  const [a, b] = pooledMeans([
    [1, 3],
    [10, 12],
  ]);
  expect([a.mean, b.mean]).toEqual([2, 11]);
  expect(a.error).toBeCloseTo(1, 14);
  expect(b.error).toBe(a.error);
});

test('root mean squares share their relative error', () => {
  const [a, b] = rootMeans([
    [1, 3],
    [10, 30],
  ]);
  // Squares over their means are ½ and 3/2 in both groups: four squares of ½ over two degrees of freedom, root √½.
  expect([a.mean, b.mean]).toEqual([Math.sqrt(2), Math.sqrt(20)]);
  expect(a.error / a.mean).toBeCloseTo(Math.SQRT1_2 / (2 * Math.SQRT2), 12);
  expect(b.error / b.mean).toBeCloseTo(a.error / a.mean, 14);
});

test('a share of all trials still has an error, that of one in so many', () => {
  expect(shareError(0.5, 100)).toBe(0.05);
  expect(shareError(1, 100)).toBe(0.01);
});
