import { describe, expect, test } from '@jest/globals';
import { weiszfeld } from '../../../src/optimize/weiszfeld.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(...Array.from(a, (entry, i) => entry - b[i]));

test('points as far apart as they may be have the median of the same points nearby', () => {
  const points = [0, 0, 1, 0, 0, 1, 1, 0.5];
  const { point, value } = weiszfeld({ dimension: 2, points });
  const far = weiszfeld({ dimension: 2, points: points.map((entry) => 1e150 * entry) }, { tolerance: 1e138 });
  for (const [j, entry] of far.point.entries()) expect(entry / 1e150).toBeCloseTo(point[j], 9);
  expect(far.value / 1e150).toBeCloseTo(value, 9);
});

describe('the Euclidean median', () => {
  test('of a triangle with angles below 120° sees every side under 120° (the Fermat point, by hand)', () => {
    // Equilateral: the centroid. With the apex raised, the point 1/√3 above the base.
    const base = [-1, 0, 1, 0];
    expect(
      distance(weiszfeld({ dimension: 2, points: [...base, 0, Math.sqrt(3)] }).point, [0, 1 / Math.sqrt(3)]),
    ).toBeLessThan(1e-10);
    expect(distance(weiszfeld({ dimension: 2, points: [...base, 0, 9] }).point, [0, 1 / Math.sqrt(3)])).toBeLessThan(
      1e-9,
    );
  });

  test('of a triangle with an angle of 120° or more is that corner, exactly', () => {
    const { point, converged, value } = weiszfeld({ dimension: 2, points: [-1, 0, 1, 0, 0, 0.3] });
    expect(Array.from(point)).toEqual([0, 0.3]);
    expect(converged).toBe(true);
    expect(value).toBeCloseTo(Math.hypot(1, 0.3) / 3, 14);
  });

  test('steps off a data point it starts on: the mean of these points is one of them and not their median', () => {
    // Mean (0, 0), a data point; three points far to one side, more of them on the other.
    const points = [0, 0, -3, 0, 1, 0.5, 1, -0.5, 1, 0];
    const { point, converged } = weiszfeld({ dimension: 2, points });
    expect(converged).toBe(true);
    const value = (w: ArrayLike<number>): number => {
      let sum = 0;
      for (let i = 0; i < points.length; i += 2) sum += distance(w, points.slice(i, i + 2)) / 2;
      return sum / 5;
    };
    expect(value(point)).toBeLessThan(value([0, 0]) - 0.01);
    for (const [dx, dy] of [
      [1e-3, 0],
      [-1e-3, 0],
      [0, 1e-3],
      [0, -1e-3],
    ]) {
      expect(value([point[0] + dx, point[1] + dy])).toBeGreaterThanOrEqual(value(point) - 1e-12);
    }
  });

  test('has a vanishing pull: Σ (x − w)/‖x − w‖ = 0 for a cloud in space, and not at the mean', () => {
    const points = new Float64Array(3 * 200);
    fillNormal(points, seededRandom('cloud'), 0, points.length);
    for (let i = 0; i < points.length; i += 3) points[i] = Math.exp(points[i]);
    const pull = (w: ArrayLike<number>): number => {
      const sum = [0, 0, 0];
      for (let i = 0; i < points.length; i += 3) {
        const at = points.subarray(i, i + 3);
        for (let j = 0; j < 3; j++) sum[j] += (at[j] - w[j]) / distance(at, w) / 200;
      }
      return Math.hypot(...sum);
    };
    expect(pull(weiszfeld({ dimension: 3, points }).point)).toBeLessThan(1e-10);
    const mean = [0, 1, 2].map((j) => points.reduce((sum, entry, i) => sum + (i % 3 === j ? entry / 200 : 0), 0));
    expect(pull(mean)).toBeGreaterThan(0.05);
  });

  test('counts weights as copies', () => {
    const twice = weiszfeld({ dimension: 2, points: [0, 0, 1, 0, 0, 1, 1, 2], weights: [2, 1, 1, 3] });
    const copies = weiszfeld({ dimension: 2, points: [0, 0, 0, 0, 1, 0, 0, 1, 1, 2, 1, 2, 1, 2] });
    expect(distance(twice.point, copies.point)).toBeLessThan(1e-9);
    expect(twice.value).toBeCloseTo(copies.value, 12);
  });
});

describe('refused by name', () => {
  test.each([
    ['one point', [1, 2]],
    ['the same point twice', [1, 2, 1, 2]],
  ])('%s', (_, points) => {
    expect(() => weiszfeld({ dimension: 2, points })).toThrow('"points" expected two or more distinct points, got 1');
  });

  test('points whose weights leave one of them', () => {
    expect(() => weiszfeld({ dimension: 1, points: [1, 2], weights: [1, 0] })).toThrow(/two or more distinct points/);
  });

  test('what is no list of points', () => {
    expect(() => weiszfeld({ dimension: 2, points: [1, 2, 3] })).toThrow(/^"points.length \/ dimension" expected /);
    expect(() => weiszfeld({ dimension: 1, points: [1, NaN] })).toThrow('"points" expected finite numbers only');
    expect(() => weiszfeld({ dimension: 1, points: [1, 2], weights: [1, -1] })).toThrow(/^"weights" expected finite/);
    expect(() => weiszfeld({ dimension: 1, points: [1, 2], weights: [1] })).toThrow(
      '"weights" expected 2 numbers, got 1',
    );
    expect(() => weiszfeld({ dimension: 1, points: [-1e300, 1e300] })).toThrow(
      '"points" expected points at most 1e+150 apart',
    );
    expect(() => weiszfeld({ dimension: 1, points: [1, 2], weights: [1e308, 1e308] })).toThrow(
      '"weights" expected a sum of at most 1e+150, got Infinity',
    );
    expect(() => weiszfeld({ dimension: 1, points: [1, 2] }, { tolerance: -1 })).toThrow(/^"tolerance" expected /);
  });
});
