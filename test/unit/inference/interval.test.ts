import { describe, expect, test } from '@jest/globals';
import { chiSquareCriticalValue } from '../../../src/inference/critical-value.ts';
import {
  type ConfidenceInterval,
  ellipsoidDistance,
  normalEllipsoid,
  normalIntervals,
  randomScalingIntervals,
} from '../../../src/inference/interval.ts';
import { averageIterate, randomScalingMatrix } from '../../../src/inference/iterate-average.ts';
import { fed, wanderingPath } from './paths.ts';

const middle = ({ low, high }: ConfidenceInterval): number => (low + high) / 2;
const half = ({ low, high }: ConfidenceInterval): number => (high - low) / 2;

describe('intervals', () => {
  test('by random scaling: average ± 6.7473·√(V/n) at 0.95', () => {
    const state = fed(wanderingPath(300, 2, 'interval'), 2);
    const intervals = randomScalingIntervals(state, { level: 0.95 });
    const matrix = randomScalingMatrix(state);
    for (const [i, interval] of intervals.entries()) {
      expect(middle(interval)).toBeCloseTo(averageIterate(state)[i], 13);
      // The critical value was computed independently with SciPy.
      expect(half(interval)).toBeCloseTo(6.747302109172834 * Math.sqrt(matrix[3 * i] / 300), 12);
    }
  });

  test('by the normal law: mean ± 1.96·√(Σ/n)', () => {
    const request = { level: 0.95 };
    const [interval] = normalIntervals(Float64Array.of(3), Float64Array.of(4), 100, request);
    expect(interval).toEqual({
      low: expect.closeTo(3 - 0.3919927969080108, 13),
      high: expect.closeTo(3.391992796908, 11),
    });
  });

  test('for contrasts: the interval of θ₁ − 2θ₂ from its variance', () => {
    const contrasts = [[1, -2], Float64Array.of(0, 1)];
    const covariance = Float64Array.of(2, 0.5, 0.5, 1);
    const intervals = normalIntervals(Float64Array.of(5, 1), covariance, 1, { level: 0.5, contrasts });
    expect(intervals).toHaveLength(2);
    expect(middle(intervals[0])).toBeCloseTo(3, 14);
    // 2 − 4·½ + 4·1 = 4.
    expect(half(intervals[0]) / half(intervals[1])).toBeCloseTo(2, 14);
  });

  test('of p contrasts read them some p³ times, not p⁴, and those of the identity are those of none', () => {
    const p = 40;
    let reads = 0;
    const row = (entry: (j: number) => number): ArrayLike<number> =>
      new Proxy(
        Array.from({ length: p }, (_, j) => entry(j)),
        {
          get(target, key) {
            reads++;
            return Reflect.get(target, key);
          },
        },
      );
    const state = fed(wanderingPath(200, p, 'many'), p);
    const mean = averageIterate(state);
    const matrix = randomScalingMatrix(state);
    const request = (contrasts?: readonly ArrayLike<number>[]) => ({ level: 0.9, ...(contrasts && { contrasts }) });
    const identity = Array.from({ length: p }, (_, i) => row((j) => Number(i === j)));
    expect(normalIntervals(mean, matrix, 200, request(identity))).toEqual(
      normalIntervals(mean, matrix, 200, request()),
    );
    expect(reads).toBeGreaterThan(p ** 3);
    expect(reads).toBeLessThan(4 * p ** 3);
  });

  test('move and stretch with the parameter: θ → sθ + t', () => {
    const path = wanderingPath(200, 1, 'equivariance');
    const [plain] = randomScalingIntervals(fed(path, 1), { level: 0.9 });
    const moved = path.map((entry) => 8 * entry + 100);
    const [image] = randomScalingIntervals(fed(moved, 1), { level: 0.9 });
    expect(image.low).toBeCloseTo(8 * plain.low + 100, 9);
    expect(image.high).toBeCloseTo(8 * plain.high + 100, 9);
  });

  test('a singular V is an error, not an interval of NaN', () => {
    const still = fed(new Float64Array(20).fill(0.1), 2);
    expect(() => randomScalingIntervals(still, { level: 0.95 })).toThrow(
      new RangeError('"variance of contrast 0" expected a positive number, not a singular matrix, got 0'),
    );
    expect(() => randomScalingIntervals(fed(Float64Array.of(1, 2), 2), { level: 0.95 })).toThrow('"steps"');
    // Two coordinates that move as one: each has its interval, their difference has none.
    const twins = fed(
      wanderingPath(100, 2, 'twins', 3).map((_, k, path) => path[k - (k % 2)]),
      2,
    );
    expect(randomScalingIntervals(twins, { level: 0.9 })).toHaveLength(2);
    expect(() => randomScalingIntervals(twins, { level: 0.9, contrasts: [[1, -1]] })).toThrow('singular');
    expect(() => normalIntervals(Float64Array.of(1), Float64Array.of(-1), 5, { level: 0.9 })).toThrow('singular');
    expect(() => normalEllipsoid(averageIterate(twins), randomScalingMatrix(twins), 100, { level: 0.9 })).toThrow(
      '"least eigenvalue of the contrasts"',
    );
  });

  test('a centre or axes that are no ellipsoid are refused, and give no distance', () => {
    const point = [1, 1];
    const [centre, axes] = [Float64Array.of(0, 0), Float64Array.of(1, 0, 0, 2)];
    expect(ellipsoidDistance({ centre, axes }, point)).toBeCloseTo(Math.sqrt(1.25), 12);
    expect(() => ellipsoidDistance({ centre: Float64Array.of(Number.NaN, 0), axes }, point)).toThrow('"centre"');
    expect(() => ellipsoidDistance({ centre, axes: axes.subarray(0, 3) }, point)).toThrow('"axes" expected 4 numbers');
    expect(() => ellipsoidDistance({ centre, axes: Float64Array.of(1, 0, 0, 0) }, point)).toThrow('"axes[1]"');
  });

  test('what is no request is refused', () => {
    const state = fed(wanderingPath(30, 2, 'refused'), 2);
    for (const level of [0, 1, 95, Number.NaN]) {
      expect(() => randomScalingIntervals(state, { level })).toThrow('"level"');
      expect(() => normalIntervals(Float64Array.of(1), Float64Array.of(1), 5, { level })).toThrow('"level"');
    }
    expect(() => randomScalingIntervals(state, { level: 0.9, contrasts: [] })).toThrow(
      '"contrasts" expected at least one',
    );
    expect(() => randomScalingIntervals(state, { level: 0.9, contrasts: [[1]] })).toThrow('"contrasts[0]" expected 2');
    expect(() => randomScalingIntervals(state, { level: 0.9, contrasts: [[0, 0]] })).toThrow('singular');
    expect(() => randomScalingIntervals(state, { level: 0.9, contrasts: [[1, Number.NaN]] })).toThrow('"contrasts[0]"');
    expect(() => normalIntervals(Float64Array.of(1), new Float64Array(4), 5, { level: 0.9 })).toThrow('"matrix"');
    expect(() => normalIntervals(Float64Array.of(1), Float64Array.of(1), 0, { level: 0.9 })).toThrow('"steps"');
  });
});

describe('ellipsoids', () => {
  const state = fed(wanderingPath(400, 3, 'ellipsoid'), 3);
  const contrasts = [
    [1, 0, 0],
    [0, 1, -1],
  ];

  test('hold exactly the points whose statistic is at most critical', () => {
    const set = normalEllipsoid(averageIterate(state), randomScalingMatrix(state), 400, { level: 0.9, contrasts });
    const critical = chiSquareCriticalValue(0.9, 2);
    const v = randomScalingMatrix(state);
    const [a, b, d] = [v[0], v[1] - v[2], v[4] - 2 * v[5] + v[8]];
    for (const [x, y] of [
      [1, 0],
      [0, -2],
      [0.3, 0.4],
    ]) {
      const statistic = (400 * (d * x * x - 2 * b * x * y + a * y * y)) / (a * d - b * b);
      const distance = ellipsoidDistance(set, [set.centre[0] + x, set.centre[1] + y]);
      expect(distance ** 2 / (statistic / critical)).toBeCloseTo(1, 10);
    }
    expect(ellipsoidDistance(set, set.centre)).toBe(0);
    // The tip of a half-axis lies on the boundary.
    const tip = set.centre.map((entry, j) => entry + set.axes[2 + j]);
    expect(ellipsoidDistance(set, tip)).toBeCloseTo(1, 12);
  });

  test('by the normal law use the chi-square quantile 5.9915', () => {
    const set = normalEllipsoid(Float64Array.of(1, 1), Float64Array.of(4, 0, 0, 1), 100, { level: 0.95 });
    expect(Math.hypot(set.axes[0], set.axes[1])).toBeCloseTo(Math.sqrt(5.991464547107979 / 100), 12);
    expect(Math.hypot(set.axes[2], set.axes[3])).toBeCloseTo(2 * Math.sqrt(5.991464547107979 / 100), 12);
  });

  test('refuse a strange point and a level that is none', () => {
    const set = normalEllipsoid(Float64Array.of(1), Float64Array.of(4), 100, { level: 0.95 });
    expect(() => ellipsoidDistance(set, [1, 2])).toThrow('"point" expected 1 numbers');
    expect(() => normalEllipsoid(Float64Array.of(1), Float64Array.of(4), 100, { level: 1 })).toThrow('"level"');
  });
});
