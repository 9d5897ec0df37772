import { describe, expect, test } from '@jest/globals';
import { euclideanNorm } from '../../../src/numeric/matrix.ts';
import { minimizeBallQuadratic, projectedGradient } from '../../../src/optimize/ball.ts';
import type { SmoothFunction } from '../../../src/optimize/oracle.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { matrixOf, quadratic } from './quadratic.ts';

const vector = (...entries: number[]): Float64Array => Float64Array.from(entries);

/** A function of one variable. */
const curve = (value: (w: number) => number, slope: (w: number) => number): SmoothFunction => ({
  dimension: 1,
  value: (at) => value(at[0]),
  gradient: (at, target) => target.fill(slope(at[0])),
});

describe('projectedGradient on convex functions', () => {
  test('finds an interior minimiser and one on the sphere', () => {
    const f = quadratic(vector(-1, 2), vector(2, 0, 0, 4));
    const inside = projectedGradient({ objective: f, radius: 1 });
    expect([...inside.point]).toEqual([0.5, -0.5].map((x) => expect.closeTo(x, 8)));
    expect(inside.value).toBeCloseTo(-0.75, 14);
    expect(inside.converged).toBe(true);
    expect(inside.gradientMapNorm).toBeLessThanOrEqual(1e-8);
    const outside = projectedGradient({ objective: quadratic(vector(-30, 40), vector(2, 0, 0, 2)), radius: 5 });
    expect([...outside.point]).toEqual([3, -4].map((x) => expect.closeTo(x, 8)));
    expect(outside.converged).toBe(true);
  });

  test('agrees with the exact solution of quadratics of condition up to 1000, on balls from 1e-6 to 1e3', () => {
    const random = seededRandom('full batch');
    let worst = 0;
    let unfinished = 0;
    let most = 0;
    for (let trial = 0; trial < 60; trial++) {
      const p = 1 + (trial % 9);
      const condition = 10 ** (trial % 4);
      const matrix = matrixOf(
        Array.from({ length: p }, (_, i) => condition ** (-i / Math.max(1, p - 1))),
        random,
      );
      const linear = new Float64Array(p);
      fillNormal(linear, random);
      const radius = 10 ** ((trial % 10) - 6);
      const exact = minimizeBallQuadratic(linear, matrix, radius);
      const found = projectedGradient({ objective: quadratic(linear, matrix), radius, iterations: 5000 });
      if (!found.converged) unfinished++;
      most = Math.max(most, found.iterations);
      worst = Math.max(worst, (found.value - exact.value) / Math.abs(exact.value));
    }
    expect(unfinished).toBe(0);
    expect(worst).toBeLessThan(1e-12);
    // √1000·log(1/1e-8) is about 600; plain gradient descent would need some 18,000.
    expect(most).toBeLessThan(1500);
  });

  test('is accelerated: on a quadratic of condition 1e4 a fraction of the steps of a run without momentum', () => {
    const p = 30;
    const matrix = new Float64Array(p * p);
    const linear = new Float64Array(p).fill(1);
    for (let i = 0; i < p; i++) matrix[i * p + i] = 1e4 ** (-i / (p - 1));
    const objective = quadratic(linear, matrix);
    const { iterations, converged } = projectedGradient({ objective, radius: 1e5, tolerance: 1e-5, iterations: 5000 });
    expect(converged).toBe(true);
    // Steps of 1/L shrink the part of curvature 1e-4 by 1 − 1e-4 each: ln(1e5)/1e-4 = 115,000 of them.
    expect(iterations).toBeLessThan(3000);
  });

  test('the gradient map and the flag tell the truth when it is stopped early', () => {
    const objective = quadratic(vector(-1, -1), vector(1, 0, 0, 1e-4));
    const options = { objective, radius: 1e6, iterations: 3 };
    const early = projectedGradient(options);
    expect(early.iterations).toBe(3);
    expect(early.converged).toBe(false);
    const gradient = new Float64Array(2);
    objective.gradient(early.point, gradient);
    // Far inside the ball the gradient map is the gradient.
    expect(early.gradientMapNorm / euclideanNorm(gradient)).toBeCloseTo(1, 6);
    expect(projectedGradient({ ...options, iterations: 3000 }).converged).toBe(true);
  });

  test('a good or a bad first guess of the smoothness leads to the same place', () => {
    for (const smoothness of [1e-6, 1, 1e6]) {
      const f = curve(
        (w) => Math.exp(w) - 2 * w,
        (w) => Math.exp(w) - 2,
      );
      const { point, converged } = projectedGradient({ objective: f, radius: 3, smoothness });
      expect(point[0]).toBeCloseTo(Math.log(2), 7);
      expect(converged).toBe(true);
    }
  });

  test('no step measures the start: converged there or not', () => {
    const f = quadratic(vector(-1, 2), vector(2, 0, 0, 4));
    const none = projectedGradient({ objective: f, radius: 1, iterations: 0 });
    expect([...none.point, none.value, none.iterations]).toEqual([0, 0, 0, 0]);
    expect(none.converged).toBe(false);
    expect(none.gradientMapNorm).toBeGreaterThan(0.1);
    const start = vector(0.5, -0.5);
    const done = projectedGradient({ objective: f, radius: 1, iterations: 0, start });
    expect([done.converged, done.gradientMapNorm]).toEqual([true, 0]);
    projectedGradient({ objective: f, radius: 1, start: vector(-0.5, 0.5) });
    expect([...start]).toEqual([0.5, -0.5]);
  });

  test('a large constant in the objective hides the values, not the minimiser', () => {
    const f = curve(
      (w) => 1e6 + (w - 0.3) ** 2,
      (w) => 2 * (w - 0.3),
    );
    const { point, converged } = projectedGradient({ objective: f, radius: 1 });
    expect(point[0]).toBeCloseTo(0.3, 7);
    expect(converged).toBe(true);
  });
});

describe('projectedGradient on non-convex functions', () => {
  test('never raises the value and ends at a stationary point, from every start', () => {
    const random = seededRandom('non-convex');
    let rises = 0;
    let unfinished = 0;
    let above = Infinity;
    for (let trial = 0; trial < 60; trial++) {
      const p = 2 + (trial % 5);
      const matrix = matrixOf(
        Array.from({ length: p }, (_, i) => (i % 2 ? -1 : 1) / (1 + i)),
        random,
      );
      const linear = new Float64Array(p);
      fillNormal(linear, random);
      const objective = quadratic(linear, matrix);
      const start = new Float64Array(p);
      fillNormal(start, random);
      const norm = euclideanNorm(start);
      for (let i = 0; i < p; i++) start[i] /= norm;
      const found = projectedGradient({ objective, radius: 1, start, iterations: 5000 });
      if (!found.converged) unfinished++;
      if (found.value > objective.value(start)) rises++;
      above = Math.min(above, found.value - minimizeBallQuadratic(linear, matrix, 1).value);
    }
    expect([rises, unfinished]).toEqual([0, 0]);
    expect(above).toBeGreaterThan(-1e-12);
  });

  test('is monotone: one more step never gives a higher value, on stiff valleys and across a kink in the curvature', () => {
    const stiff = quadratic(vector(-1, -1, -1), vector(1, 0, 0, 0, 0.03, 0, 0, 0, 0.001));
    // Flat to the left, then a steep valley: momentum gathered on the slope overshoots.
    const ravine = curve(
      (w) => -w + 50 * Math.max(0, w - 3) ** 2,
      (w) => -1 + 100 * Math.max(0, w - 3),
    );
    const waves = curve(
      (w) => Math.cos(3 * w) - 0.5 * w,
      (w) => -3 * Math.sin(3 * w) - 0.5,
    );
    let rises = 0;
    for (const [objective, radius] of [
      [stiff, 2000],
      [ravine, 10],
      [waves, 10],
    ] as const) {
      const start = new Float64Array(objective.dimension).fill(-5);
      let before = objective.value(start);
      for (let iterations = 1; iterations <= 100; iterations++) {
        const { value } = projectedGradient({
          objective,
          radius,
          start,
          iterations,
          smoothness: 0.01,
          tolerance: 1e-6,
        });
        if (value > before + 1e-12 * Math.abs(before)) rises++;
        before = value;
      }
    }
    expect(rises).toBe(0);
  });

  test('takes the valley of its start in a double well, and says that a saddle is stationary', () => {
    const well = curve(
      (w) => (w * w - 1) ** 2,
      (w) => 4 * w * (w * w - 1),
    );
    for (const start of [0.1, 0.7, 1.9]) {
      expect(projectedGradient({ objective: well, radius: 2, start: vector(start) }).point[0]).toBeCloseTo(1, 8);
      expect(projectedGradient({ objective: well, radius: 2, start: vector(-start) }).point[0]).toBeCloseTo(-1, 8);
    }
    const saddle = projectedGradient({ objective: well, radius: 2 });
    expect([saddle.point[0], saddle.converged]).toEqual([0, true]);
  });

  test('asks at points of the ball only, where a polynomial surrogate means something', () => {
    let farthest = 0;
    const note = (at: Float64Array): void => {
      farthest = Math.max(farthest, euclideanNorm(at));
    };
    const f = quadratic(vector(-1, -0.2), vector(0.5, 0.3, 0.3, -2));
    const objective: SmoothFunction = {
      dimension: 2,
      value: (at) => {
        note(at);
        return f.value(at);
      },
      gradient: (at, target) => {
        note(at);
        f.gradient(at, target);
      },
    };
    expect(projectedGradient({ objective, radius: 0.8, start: vector(-0.5, 0.1) }).converged).toBe(true);
    expect(farthest).toBeLessThanOrEqual(0.8 * (1 + 1e-12));
  });
});

describe('projectedGradient refuses', () => {
  test('a value or a gradient that is not finite, wherever it comes', () => {
    let calls = 0;
    const nan: SmoothFunction = {
      dimension: 1,
      value: (at) => -at[0],
      gradient: (_, target) => target.fill(++calls < 3 ? -1e-3 : Number.NaN),
    };
    expect(() => projectedGradient({ objective: nan, radius: 1, smoothness: 1, iterations: 100 })).toThrow(
      new RangeError('"gradient" expected finite numbers, got NaN'),
    );
    expect(calls).toBe(3);
    const infinite = curve(
      (w) => (w > 0.5 ? Infinity : -w),
      () => -1,
    );
    expect(() => projectedGradient({ objective: infinite, radius: 1 })).toThrow(
      new RangeError('"value" expected a finite number, got Infinity'),
    );
  });

  test('to loop on a gradient that contradicts the values: it stops without claiming convergence', () => {
    const uphill = curve(
      (w) => w,
      () => -1,
    );
    const { converged, point, value } = projectedGradient({ objective: uphill, radius: 1, iterations: 100_000 });
    expect(converged).toBe(false);
    expect(value).toBeLessThan(1e-6);
    expect(point[0]).toBeCloseTo(value, 12);
  });

  test('settings that are none', () => {
    const f = quadratic(vector(1), vector(1));
    expect(() => projectedGradient({ objective: f, radius: 0 })).toThrow(
      '"radius" expected a finite number > 0, got 0',
    );
    expect(() => projectedGradient({ objective: f, radius: 1, tolerance: -1 })).toThrow('"tolerance"');
    expect(() => projectedGradient({ objective: f, radius: 1, iterations: 0.5 })).toThrow('"iterations"');
    expect(() => projectedGradient({ objective: f, radius: 1, smoothness: 0 })).toThrow('"smoothness"');
    expect(() => projectedGradient({ objective: f, radius: 1, start: vector(2) })).toThrow('"start"');
  });
});
