import { describe, expect, test } from '@jest/globals';
import { auditVectors } from '../../../src/audit/target.ts';
import { normalLogRatio, sphericalLogRatio, unitLogRatio } from '../../../src/core/vector-channel.ts';
import { sphericalLaplace } from '../../../src/mechanism/added-noise.ts';
import { privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

// log(x·K₁(x)), computed independently with SciPy (scipy.special.k1).
const MARGINALS: readonly (readonly [number, number])[] = [
  [0.01, -0.00026109289882231295],
  [0.5, -0.18847578325529427],
  [2, -1.2739241220005684],
  [7.3, -6.032058827338112],
  [60, -57.72083770584529],
];

describe('log ratios', () => {
  test('of normal laws are those of the two densities, in the units of the values', () => {
    const [first, second, deviations] = [
      [1, 2],
      [0, -1],
      [0.5, 3],
    ];
    const values = [0.7, 4];
    const logDensity = (mean: readonly number[]): number =>
      mean.reduce((sum, m, i) => sum - (values[i] - m) ** 2 / (2 * deviations[i] ** 2), 0);
    const expected = logDensity(first) - logDensity(second);
    expect(normalLogRatio(first, second, deviations)(values)).toBeCloseTo(expected, 13);
    expect(normalLogRatio(first, second, deviations, 0.25)([2.8, 16])).toBeCloseTo(expected, 13);
  });

  test('of PrivUnitG take the values −ε, 0 and ε, by the caps the report lies in', () => {
    const mechanism = privUnitG({ epsilon: 1.5, dimension: 3 });
    const ratio = unitLogRatio(mechanism, [1, 0, 0], [0, 1, 0]);
    const far = 10 * mechanism.scale * (1 + mechanism.threshold);
    expect(ratio([far, 0, 0])).toBeCloseTo(1.5, 10);
    expect(ratio([0, far, 0])).toBeCloseTo(-1.5, 10);
    expect(ratio([far, far, 0])).toBe(0);
    expect(ratio([0, 0, far])).toBe(0);
  });

  test('of spherical Laplace noise are a difference of distances in an odd dimension', () => {
    const mechanism = sphericalLaplace({ epsilon: 2, dimension: 3 });
    expect(sphericalLogRatio(mechanism, [0, 0, 0], [1, 0, 0])([1, 2, 2])).toBeCloseTo(Math.sqrt(8) - 3, 14);
  });

  test.each(MARGINALS)('and of a Bessel function of the distance %p in an even one', (distance, expected) => {
    const mechanism = sphericalLaplace({ epsilon: 2, dimension: 2 });
    // At its own vector the density is largest, log 1.
    const ratio = sphericalLogRatio(mechanism, [0, 0], [0, distance]);
    expect(Math.abs(ratio([0, distance]) / expected - 1)).toBeLessThan(1e-10);
  });
});

describe('vectors for an audit', () => {
  test.each([1, 2, 7])('in dimension %i lie in the ball, where they should', (dimension) => {
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);
    const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(dimension, seededRandom('vectors'));
    expect(dot(unit, unit)).toBeCloseTo(1, 12);
    expect(dot(unit, opposite)).toBeCloseTo(-1, 12);
    expect(dot(axis[0], axis[1])).toBe(-1);
    expect(dot(zero, zero)).toBe(0);
    for (const point of inside) {
      expect(point).toHaveLength(dimension + 1);
      expect(dot(point, point)).toBeLessThan(1);
    }
    expect(orthogonal === undefined).toBe(dimension === 1);
    if (orthogonal !== undefined) {
      expect(dot(orthogonal, orthogonal)).toBeCloseTo(1, 12);
      expect(Math.abs(dot(orthogonal, unit))).toBeLessThan(1e-15);
    }
  });
});
