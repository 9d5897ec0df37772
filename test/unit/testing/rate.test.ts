import { describe, expect, test } from '@jest/globals';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { exactSlope, powerLaw, rateFit, ratePoints } from '../../../src/testing/claim.ts';
import { jackknifeSlope, meanRatio, rootPoints, scatteredFit } from '../../evidence/experiment/statistics.ts';

const X = [1, 10, 1000];

describe('the fit of a power law', () => {
  test('is exact for one, whatever the weights', () => {
    const points = X.map((x, i) => ({ x, y: 3 * x ** -0.7, relative: 0.1 * (i + 1) }));
    const fit = rateFit(points);
    expect(fit.slope).toBeCloseTo(-0.7, 12);
    expect(powerLaw(fit, -0.7)(50)).toBeCloseTo(3 * 50 ** -0.7, 12);
    const plain = exactSlope(
      X,
      X.map((x) => 3 * x ** -0.7),
    );
    expect(plain).toBeCloseTo(-0.7, 12);
  });

  test('of two means has the standard error of their log-ratio, by hand', () => {
    const fit = rateFit(
      ratePoints(
        [1, 10],
        [
          { mean: 4, error: 0.2 },
          { mean: 1, error: 0.12 },
        ],
      ),
    );
    expect(fit.slope).toBeCloseTo(-Math.log10(4), 12);
    expect(fit.error).toBeCloseTo(Math.hypot(0.05, 0.12) / Math.log(10), 12);
  });

  test('states an error that slopes have', () => {
    const random = seededRandom('slopes');
    const xs = [100, 400, 1600];
    let [z2, runs] = [0, 400];
    for (let run = 0; run < runs; run++) {
      const groups = xs.map((x) => Array.from({ length: 50 }, () => normal(random) ** 2 / x));
      const { slope, error } = rateFit(rootPoints(xs, groups));
      z2 += ((slope + 0.5) / error) ** 2 / runs;
    }
    // A mean of 400 squares deviates by .07; errors are themselves estimated from 150 squares. Control: without the ½ of a root it is 4.
    expect(z2).toBeGreaterThan(0.7);
    expect(z2).toBeLessThan(1.4);
  });

  test('has a larger error where points scatter by more than theirs, and no smaller one where they do not', () => {
    const off = (by: number) => [1, 2, 4].map((x, i) => ({ x, y: Math.exp(by * [1, -2, 1][i]), relative: 0.1 }));
    // By hand: residuals of 1, −2 and 1 times 3 standard errors, 54 over one degree of freedom, on a line without slope.
    const [fit, scattered] = [rateFit(off(0.3)), scatteredFit(off(0.3))];
    expect(scattered.slope).toBeCloseTo(0, 12);
    expect(scattered.error / fit.error).toBeCloseTo(Math.sqrt(54), 12);
    expect(scatteredFit(off(0.01))).toEqual(rateFit(off(0.01)));
  });
});

describe('the slope of streams', () => {
  test('has the standard error that its definition gives: leaving out each replication', () => {
    const rows = [
      [9, 4, 2.2, 1],
      [9, 4.4, 1.8, 1.2],
      [9, 3.6, 2, 0.9],
    ];
    const checkpoints = [1, 10, 20, 40];
    const of = (some: number[][]) =>
      exactSlope(
        [10, 20, 40],
        [1, 2, 3].map((k) => some.reduce((sum, row) => sum + row[k], 0)),
      );
    const without = rows.map((_, out) => of(rows.filter((__, r) => r !== out)));
    const mean = (without[0] + without[1] + without[2]) / 3;
    const squares = without.reduce((sum, slope) => sum + (slope - mean) ** 2, 0);
    const { slope, error } = jackknifeSlope(checkpoints, rows, 10);
    expect(slope).toBeCloseTo(of(rows), 12);
    expect(error).toBeCloseTo(Math.sqrt((2 / 3) * squares), 12);
    expect(jackknifeSlope(checkpoints, rows.slice(0, 1), 10).error).toBe(0);
  });
});

test('the mean ratio is geometric, by the weights of the points', () => {
  const points = [
    { x: 1, y: 2, relative: 0.1 },
    { x: 2, y: 4, relative: 0.1 },
  ];
  // Ratios to x² are 2 and 1: their geometric mean is √2, its relative error .1/√2.
  const { mean, error } = meanRatio(points, (x) => x * x);
  expect(mean).toBeCloseTo(Math.SQRT2, 12);
  expect(error).toBeCloseTo(0.1, 12);
});
