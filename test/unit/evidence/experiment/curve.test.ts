import { expect, test } from '@jest/globals';
import { claimedCurve, measuredCurve, measuredPoints } from '../../../evidence/experiment/figure.ts';
import { fiveNumbers } from '../../../evidence/experiment/statistics.ts';

test('error bars are two standard errors and stay positive', () => {
  expect(measuredPoints([7], [{ mean: 3, error: 2 }])).toEqual([{ x: 7, y: 3, low: 1, high: 7 }]);
  const { dashed, points } = measuredCurve('measured', 0, [{ x: 7, y: 4, relative: 0.25 }]);
  expect([dashed, points]).toEqual([false, [{ x: 7, y: 4, low: 2, high: 6 }]]);
});

test('what is claimed is dashed and has no bars', () => {
  expect(claimedCurve('x²', 1, [2, 3], (x) => x * x)).toEqual({
    ...{ name: 'x²', style: 1, dashed: true },
    points: [
      { x: 2, y: 4 },
      { x: 3, y: 9 },
    ],
  });
});

test('five numbers of 0 to 100 are their shares', () => {
  expect(fiveNumbers(Array.from({ length: 101 }, (_, i) => 100 - i))).toEqual([5, 25, 50, 75, 95]);
});
