import { expect, test } from '@jest/globals';
import { claimedCurve, measuredCurve, measuredPoints } from '../../../evidence/experiment/figure.ts';
import { fiveNumbers } from '../../../evidence/experiment/statistics.ts';
import { start } from '../../../evidence/online-sgd/validations/start.ts';

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

test('rates that a start is forgotten with fall: n^(−2), and n^(−2ηm) = n^(−0.4) at α = 1', () => {
  const results = start.cells('quick').map((cell) => {
    const squares = cell.setting.checkpoints.map((n) => n ** -2);
    const rows = [squares, squares.map((square) => 2 * square)];
    return { cell, chunks: [{ last: rows, average: rows }] };
  });
  const curves = start.report(results).figures.flatMap((figure) => (figure.kind === 'curves' ? figure.curves : []));
  const slopes = curves
    .filter(({ name }) => name.startsWith('rate'))
    .map(({ points }) => {
      const [first, last] = [points[0], points[points.length - 1]];
      return Math.log(last.y / first.y) / Math.log(last.x / first.x);
    });
  expect(slopes).toEqual([-2, -2, -0.4].map((slope) => expect.closeTo(slope, 9)));
});
