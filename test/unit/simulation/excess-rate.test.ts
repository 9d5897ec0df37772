import { expect, test } from '@jest/globals';
import { excessRateReport } from '../../../src/simulation/excess-rate.ts';

const text = {
  claim: { what: 'excess in n', slope: -1, widest: 0.3 },
  figure: 'rate',
  title: 'Excess',
  note: 'By hand.',
};

function reportOf(power: number) {
  const results = [100, 400, 1600].map((players) => ({
    cell: { key: `n-${players}`, label: '', setting: { players, runs: 2 }, parts: 2 },
    parts: [0.98, 1].map((size) => ({ excess: [size, 1.02].map((factor) => factor * players ** power) })),
  }));
  return excessRateReport(results, text);
}

test('an excess of exactly 1/n meets the claim, and is drawn on the dashed line of that order', () => {
  const { claims, figures, tables } = reportOf(-1);
  expect(claims.map(({ met }) => met)).toEqual([true]);
  const [figure] = figures;
  if (figure.kind !== 'curves') throw new Error('curves');
  const [measured, first, second] = figure.curves;
  for (const [i, { y }] of measured.points.entries()) expect(first.points[i].y).toBeCloseTo(y, 12);
  expect(second.points[0].y).toBeCloseTo(4 * second.points[2].y, 12);
  expect([measured.dashed, first.dashed, second.dashed]).toEqual([false, true, true]);
  expect(tables[0].rows.map(([players, collections]) => [players, collections])).toEqual([
    ['100', '4'],
    ['400', '4'],
    ['1,600', '4'],
  ]);
});

test('one of 1/√n does not', () => {
  expect(reportOf(-0.5).claims.map(({ met }) => met)).toEqual([false]);
});
