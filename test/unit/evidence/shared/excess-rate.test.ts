import { expect, test } from '@jest/globals';
import { excessRateCells, excessRateReport } from '../../../evidence/shared/excess-rate.ts';

const text = {
  claim: { what: 'excess in n', expected: -1, largestTolerance: 0.3 },
  // The mean of the factors below is 1.005.
  forecast: (n: number) => 1.005 / n,
  slack: 0.01,
  largestTolerance: 0.1,
  figure: 'rate',
  title: 'Excess',
  note: 'By hand.',
};

function reportOf(power: number, level = 1) {
  const results = [100, 400, 1600].map((players) => ({
    cell: { key: `n-${players}`, label: '', setting: { players, runs: 2 }, chunks: 2 },
    chunks: [0.98, 1].map((size) => ({ excess: [size, 1.02].map((factor) => factor * level * players ** power) })),
  }));
  return excessRateReport(results, text);
}

test('an excess of exactly 1/n meets the claim, and is drawn on the closed form', () => {
  const { claims, figures, tables } = reportOf(-1);
  expect(claims.map(({ met }) => met)).toEqual([true, true]);
  const [figure] = figures;
  if (figure.kind !== 'curves') throw new Error('curves');
  const [measured, first, second] = figure.curves;
  for (const [i, { y }] of measured.points.entries()) expect(first.points[i].y).toBeCloseTo(y, 12);
  // The printed order begins on the closed form and falls by 16^(−¼).
  expect(second.points[0].y).toBeCloseTo(0.01005, 12);
  expect(second.points[2].y).toBeCloseTo(0.005025, 12);
  expect([measured.dashed, first.dashed, second.dashed]).toEqual([false, true, true]);
  expect(tables[0].rows.map(([players, collections]) => [players, collections])).toEqual([
    ['100', '4'],
    ['400', '4'],
    ['1,600', '4'],
  ]);
});

test('one of 1/√n does not', () => {
  expect(reportOf(-0.5).claims.map(({ met }) => met)).toEqual([false, false]);
});

test('one of 1/n at another level does not meet the level', () => {
  expect(reportOf(-1, 1.2).claims.map(({ met }) => met)).toEqual([true, false]);
});

test('smaller collections are run more often', () => {
  const cells = excessRateCells({ quick: [400, 1600], full: [400] }, 'quick');
  expect(cells.map(({ key, setting, chunks }) => [key, setting.players, setting.runs, chunks])).toEqual([
    ['players-400', 400, 2200, 1],
    ['players-1600', 1600, 1100, 1],
  ]);
});
