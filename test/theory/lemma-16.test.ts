// Lemma 16 of Wang, Smith, Xu 2020, with the right constant: ‖x‖ = C·E|⟨u, x⟩| for u uniform on the sphere of R^p.
import { describe, expect, test } from '@jest/globals';
import { fillSphere } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { sphereConstant } from '../../src/risk/convex-mixture.ts';

// Computed independently with SciPy and mpmath.
const GOLDEN: readonly (readonly [number, number])[] = [
  [1, 1],
  [2, 1.5707963267948966],
  [3, 2],
  [4, 2.356194490192345],
  [5, 2.6666666666666665],
  [20, 5.535393641535147],
  [1000, 39.62336589790364],
  [1_000_000, 1253.3138239870052],
];

test.each(GOLDEN)('Lemma 16: for p = %d the constant is %d', (dimension, expected) => {
  expect(Math.abs(sphereConstant(dimension) / expected - 1)).toBeLessThan(1e-14);
});

describe('Lemma 16: the mean of |⟨u, x⟩| over the sphere', () => {
  // E⟨u, x⟩² = ‖x‖²/p gives the exact variance of one term; a deviation beyond 4 standard errors has probability 6.3e-5.
  test.each([2, 3, 5, 20])('gives the norm in dimension %d, and not one 5 %% off', (dimension) => {
    const draws = 40_000;
    const random = seededRandom(`sphere ${dimension}`);
    const x = Float64Array.from({ length: dimension }, (_, i) => Math.sin(i + 1));
    const norm = Math.hypot(...x);
    const u = new Float64Array(dimension);
    let sum = 0;
    for (let k = 0; k < draws; k++) {
      fillSphere(u, random);
      let inner = 0;
      for (let i = 0; i < dimension; i++) inner += u[i] * x[i];
      sum += Math.abs(inner);
    }
    const constant = sphereConstant(dimension);
    const estimate = (constant * sum) / draws;
    const deviation = (norm * Math.sqrt(constant ** 2 / dimension - 1)) / Math.sqrt(draws);
    expect(Math.abs(estimate - norm) / deviation).toBeLessThan(4);
    expect(Math.abs(1.05 * estimate - norm) / deviation).toBeGreaterThan(4);
  });
});

test('Lemma 16: a dimension that is none is refused', () => {
  expect(() => sphereConstant(0)).toThrow('"dimension" expected a whole number from 1');
  expect(() => sphereConstant(2.5)).toThrow(RangeError);
});
