import { describe, expect, test } from '@jest/globals';
import { straightSlope } from '../../../../protocols/generalized-linear/fit.ts';
import { minimizeCorrectedRegression } from '../../../../protocols/generalized-linear/server.ts';
import { type CorrectedMoments, largestGap } from '../../../../src/optimize/corrected-risk.ts';
import { createLift, fillLift } from '../../../../src/polynomial/lift.ts';
import type { MarginLoss } from '../../../../src/risk/margin-loss.ts';
import { lossByName } from '../../../../src/risk/named-loss.ts';

// Eight records by hand: x in the disc, y near .5·x₁ − .25·x₂.
const records = [
  [0.8, 0.1, 0.4],
  [-0.7, 0.3, -0.4],
  [0.2, -0.9, 0.35],
  [-0.3, -0.6, 0],
  [0.5, 0.5, 0.1],
  [-0.6, -0.6, -0.2],
  [0.1, 0.9, -0.15],
  [0, 0.2, -0.1],
];

/** The moments of (x, y)/√2 without any noise, said to have come from so many players. */
function moments(degree: number, noise: number = 0): CorrectedMoments {
  const lift = createLift(3, degree);
  const values = new Float64Array(lift.size);
  const one = new Float64Array(lift.size);
  for (const record of records) {
    fillLift(
      lift,
      lift.weight,
      record.map((entry) => entry * Math.SQRT1_2),
      one,
    );
    for (let i = 0; i < lift.size; i++) values[i] += one[i] / records.length;
  }
  return { lift, values, noise: new Float64Array(degree).fill(noise), players: records.length };
}

const squared: MarginLoss = {
  ...lossByName('squared'),
  name: 'squared',
  value: (r) => (r * r) / 2,
  derivative: (r) => r,
};
const absolute = lossByName('absolute');
const mean = (f: (r: number) => number, w: ArrayLike<number>): number =>
  records.reduce((sum, [a, b, y]) => sum + f(y - w[0] * a - w[1] * b) / records.length, 0);

describe('minimizeCorrectedRegression', () => {
  test('solves the normal equations under the squared loss (by hand) and reconstructs its risk', () => {
    const sum = (f: (record: number[]) => number): number => records.reduce((total, record) => total + f(record), 0);
    const [aa, ab, bb] = [sum(([a]) => a * a), sum(([a, b]) => a * b), sum(([, b]) => b * b)];
    const [ay, by] = [sum(([a, , y]) => a * y), sum(([, b, y]) => b * y)];
    const determinant = aa * bb - ab * ab;
    const expected = [(bb * ay - ab * by) / determinant, (aa * by - ab * ay) / determinant];
    for (const degree of [2, 4]) {
      const query = { loss: squared, coefficients: [0, 1], radius: 3 };
      const { w, riskAt, coefficients, bias } = minimizeCorrectedRegression(moments(degree), query);
      expect(Math.hypot(w[0] - expected[0], w[1] - expected[1])).toBeLessThan(1e-12);
      expect(riskAt([0.3, -0.2])).toBeCloseTo(mean(squared.value, [0.3, -0.2]), 13);
      expect(Array.from(coefficients, (c) => Math.round(c * 1e12) / 1e12)).toEqual([0, 1]);
      expect(bias).toBeLessThan(1e-12);
    }
  });

  test('stays in the ball, and a ridge draws it in', () => {
    const norm = (radius: number, ridge: number): number => {
      const { w } = minimizeCorrectedRegression(moments(2), { loss: squared, coefficients: [0, 1], radius, ridge });
      return Math.hypot(...w);
    };
    expect(norm(0.3, 0)).toBeCloseTo(0.3, 12);
    expect(norm(3, 0.5)).toBeLessThan(0.6 * norm(3, 0));
  });

  test('fits an odd polynomial to the sign of the residual, and lowers the mean absolute residual', () => {
    const { w, coefficients, degree, riskAt } = minimizeCorrectedRegression(moments(4), { loss: absolute, degree: 3 });
    expect(degree).toBe(3);
    expect(coefficients[1]).toBeGreaterThan(0);
    expect(mean(Math.abs, w)).toBeLessThan(0.5 * mean(Math.abs, [0, 0]));
    // The reconstruction is the mean of the polynomial's integral over the records, exactly.
    const integral = (r: number): number => coefficients.reduce((sum, c, k) => sum + (c * r ** (k + 1)) / (k + 1), 0);
    expect(riskAt([0.2, 0.1])).toBeCloseTo(mean(integral, [0.2, 0.1]), 12);
  });

  test('a ridge draws the minimiser in at degree 3 too, to where its gradient vanishes', () => {
    const coefficients = [0.1, 1, 0.05, -0.1];
    const at = (ridge: number): Float64Array =>
      minimizeCorrectedRegression(moments(4), { loss: squared, coefficients, radius: 3, ridge }).w;
    const w = at(0.5);
    expect(Math.hypot(...w)).toBeLessThan(0.7 * Math.hypot(...at(0)));
    const slope = (r: number): number => coefficients.reduce((sum, c, k) => sum + c * r ** k, 0);
    const gradient = [0, 1].map((j) => {
      const data = records.reduce(
        (sum, x) => sum - (slope(x[2] - w[0] * x[0] - w[1] * x[1]) * x[j]) / records.length,
        0,
      );
      // The ridge is one on E zzᵀ: of z = (x, y)/√2, under a loss whose second derivative is 2·c_1.
      return data + 2 * 0.5 * w[j];
    });
    expect(Math.hypot(...gradient)).toBeLessThan(1e-6);
  });

  test('refuses moments without a second power, and a point of another length', () => {
    expect(() => minimizeCorrectedRegression(moments(1), { loss: squared })).toThrow(/^"moments" expected those up to/);
    const { riskAt } = minimizeCorrectedRegression(moments(2), { loss: squared });
    expect(() => riskAt([1])).toThrow('"w" expected 2 numbers, got 1');
    for (const coefficients of [[], [1, 2, 3], [NaN, 1]]) {
      expect(() => minimizeCorrectedRegression(moments(2), { loss: squared, coefficients })).toThrow(/^"coefficients/);
    }
  });
});

test('a straight f′ is known as one, and no other', () => {
  expect(Array.from(straightSlope(lossByName('squared'), 3) ?? [])).toEqual([-1, 1]);
  for (const name of ['logistic', 'hinge', 'squared-hinge', 'exponential', 'absolute']) {
    expect(straightSlope(lossByName(name), 3)).toBeUndefined();
  }
  // Inside its margin the squared hinge is a parabola.
  expect(straightSlope(lossByName('squared-hinge'), 0.5)?.[1]).toBeCloseTo(2, 12);
});

test('the largest gap of a line to a parabola on [−2, 2] is at the ends (by hand)', () => {
  expect(largestGap([0, 1], (t) => t * t, 2)).toBe(6);
});
