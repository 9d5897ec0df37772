import { describe, expect, test } from '@jest/globals';
import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import {
  digits,
  otherSlopeClaim,
  plusMinus,
  powerLaw,
  rangeClaim,
  rateFit,
  ratePoints,
  rootMeans,
  slopeClaim,
} from '../../../src/simulation/rate-fit.ts';
import { sweepCells, sweepResults } from '../../../src/simulation/sweep.ts';

describe('the fit of a power law', () => {
  test('is exact for one, whatever the weights', () => {
    const points = [1, 10, 1000].map((x, i) => ({ x, y: 3 * x ** -0.7, relative: 0.1 * (i + 1) }));
    const fit = rateFit(points);
    expect(fit.slope).toBeCloseTo(-0.7, 12);
    expect(powerLaw(fit, -0.7)(50)).toBeCloseTo(3 * 50 ** -0.7, 12);
  });

  test('of two points has the standard error of their difference', () => {
    const fit = rateFit([
      { x: 1, y: 2, relative: 0.03 },
      { x: Math.E, y: 1, relative: 0.04 },
    ]);
    // Hand: slope −ln 2, variance .03² + .04² over (ln e)².
    expect(fit.slope).toBeCloseTo(-Math.LN2, 12);
    expect(fit.error).toBeCloseTo(0.05, 12);
  });

  test('states an error that slopes have', () => {
    const random = seededRandom('slopes');
    const xs = [100, 400, 1600];
    let [z2, runs] = [0, 400];
    for (let run = 0; run < runs; run++) {
      const groups = xs.map((x) => Array.from({ length: 50 }, () => normal(random) ** 2 / x));
      const { slope, error } = rateFit(ratePoints(xs, groups));
      z2 += ((slope + 0.5) / error) ** 2 / runs;
    }
    // A mean of 400 squares deviates by .07; errors are themselves estimated from 150 squares. Control: without the ½ of a root it is 4.
    expect(z2).toBeGreaterThan(0.7);
    expect(z2).toBeLessThan(1.4);
  });
});

test('root mean squares share their relative error', () => {
  const [a, b] = rootMeans([
    [1, 3],
    [10, 30],
  ]);
  // Squares over their means are ½ and 3/2 in both groups: four squares of ½ over two degrees of freedom, root √½.
  expect([a.value, b.value]).toEqual([Math.sqrt(2), Math.sqrt(20)]);
  expect(a.relative).toBeCloseTo(Math.SQRT1_2 / (2 * Math.SQRT2), 12);
  expect(b.relative).toBe(a.relative);
});

test('claims say what was asked and whether it was met', () => {
  const fit = { slope: -0.47, error: 0.01, centre: 1, level: 1 };
  const law = { what: 'slope', expected: -0.5 };
  expect(slopeClaim(law, fit)).toEqual({
    asked: 'slope: −0.5 ± 0.04 (4 standard errors)',
    measured: '−0.470 ± 0.010',
    met: true,
  });
  expect(slopeClaim(law, { ...fit, slope: -0.45 }).met).toBe(false);
  expect(slopeClaim({ ...law, slack: 0.02 }, { ...fit, slope: -0.45 }).met).toBe(true);
  expect(otherSlopeClaim('slope', { printed: -1, apart: 0.4 }, fit).met).toBe(true);
  expect(otherSlopeClaim('slope', { printed: -1, apart: 0.5 }, fit).met).toBe(false);
  expect(rangeClaim('ratio', [1, 1], { value: 1.03, relative: 0.01 }).met).toBe(true);
  expect(rangeClaim('ratio', [1, 1], { value: 1.05, relative: 0.01 }).met).toBe(false);
});

test('numbers are written with a minus sign', () => {
  expect([digits(-0.12345), digits(12345, 2), plusMinus(-0.5123, 0.013)]).toEqual([
    '−0.123',
    '12000',
    '−0.512 ± 0.013',
  ]);
});

test('a sweep has a cell for each value, and finds its results again', () => {
  const sweep = {
    ...{ key: 'n', variable: 'players n', xs: [10, 20] },
    setting: (x: number, place: number, scale: string) => ({ x, place, scale }),
  };
  const cells = sweepCells([sweep, { ...sweep, key: 'm' }], 'full', 3);
  expect(cells.map(({ key, parts }) => [key, parts])).toEqual([
    ['n-0', 3],
    ['n-1', 3],
    ['m-0', 3],
    ['m-1', 3],
  ]);
  expect(cells[1].setting).toEqual({ x: 20, place: 1, scale: 'full' });
  const results = [...cells].reverse().map((cell) => ({ cell, parts: [cell.key] }));
  expect(sweepResults(sweep, results).map(({ parts }) => parts)).toEqual([['n-0'], ['n-1']]);
  expect(() => sweepResults({ ...sweep, key: 'd' }, results)).toThrow(RangeError);
});
