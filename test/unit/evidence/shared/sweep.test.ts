import { expect, test } from '@jest/globals';
import { sweepCells, sweepResults } from '../../../evidence/experiment/experiment.ts';

test('a sweep has a cell for each value, and finds its results again', () => {
  const sweep = {
    ...{ key: 'n', variable: 'players n', xs: [10, 20] },
    setting: (x: number, place: number, scale: string) => ({ x, place, scale }),
  };
  const cells = sweepCells([sweep, { ...sweep, key: 'm' }], 'full', 3);
  expect(cells.map(({ key, chunks }) => [key, chunks])).toEqual([
    ['n-0', 3],
    ['n-1', 3],
    ['m-0', 3],
    ['m-1', 3],
  ]);
  expect(cells[1].setting).toEqual({ x: 20, place: 1, scale: 'full' });
  const results = [...cells].reverse().map((cell) => ({ cell, chunks: [cell.key] }));
  expect(sweepResults(sweep, results).map(({ chunks }) => chunks)).toEqual([['n-0'], ['n-1']]);
  expect(() => sweepResults({ ...sweep, key: 'd' }, results)).toThrow(RangeError);
});
