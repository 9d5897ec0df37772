import { expect, test } from '@jest/globals';
import { beyondStated } from '../../../src/node/report/verdict.ts';

const said = (error: number, repetitions: number): string => beyondStated(error, 0.5, repetitions);

// The bounds are 3 standard errors for a few runs and 2 for five or more: a fifth less or more is on the other side.
test.each([
  [1, 2.6, 3.4],
  [4, 2.6, 3.4],
  [5, 1.7, 2.3],
  [20, 1.7, 2.3],
])('an error of %d runs that is far above the stated one is said, and a usual one is not', (runs, usual, far) => {
  expect(said(0.5 * usual, runs)).toBe('');
  expect(said(0.5 * far, runs)).toContain(`That is ${far.toFixed(1)} times the standard error`);
});

test('nothing is said where no error is stated', () => {
  expect(said(2, 5)).not.toBe('');
  expect(beyondStated(1, Number.NaN, 5)).toBe('');
});
