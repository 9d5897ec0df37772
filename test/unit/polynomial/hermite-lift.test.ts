import { describe, expect, test } from '@jest/globals';
import { addHermiteLift, correctedMonomials, fillHermiteLift } from '../../../src/polynomial/heat.ts';
import { createLift, fillLift, type Lift } from '../../../src/polynomial/lift.ts';
import { visitGaussian } from './gauss-hermite.ts';

const SHAPES = [
  { dimension: 4, degree: 1 },
  { dimension: 3, degree: 2 },
  { dimension: 1, degree: 2 },
  { dimension: 3, degree: 3 },
  { dimension: 2, degree: 5 },
];

const vector = (dimension: number): number[] => Array.from({ length: dimension }, (_, i) => 0.6 * Math.sin(2 + 3 * i));

function largest(a: Float64Array, b: Float64Array): number {
  return a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i])), 0);
}

/** Largest |E(corrected lift) − lift of v|, when the variance is believed `believed` times what it is. */
function bias(lift: Lift, believed: number): number {
  const { dimension, degree, size } = lift;
  const sigma = 0.9;
  const v = vector(dimension);
  const mean = new Float64Array(size);
  const corrected = new Float64Array(size);
  visitGaussian(dimension, degree + 1, (g, mass) => {
    fillHermiteLift(
      lift,
      v.map((entry, i) => entry + sigma * g[i]),
      believed * sigma * sigma,
      corrected,
    );
    for (let i = 0; i < size; i++) mean[i] += mass * corrected[i];
  });
  const expected = new Float64Array(size);
  fillLift(lift, lift.weight, v, expected);
  return largest(mean, expected);
}

describe.each(SHAPES)('the corrected lift of R^$dimension to power $degree', ({ dimension, degree }) => {
  const lift = createLift(dimension, degree);

  test('has the lift of v as its expectation exactly (tensor Gauss–Hermite quadrature)', () => {
    expect(bias(lift, 1)).toBeLessThan(1e-12);
  });

  test('control: a variance believed 5 % too large is caught, unless nothing is corrected', () => {
    if (degree === 1) expect(bias(lift, 1.05)).toBeLessThan(1e-12);
    else expect(bias(lift, 1.05)).toBeGreaterThan(1e-2);
  });

  test('is weight × Π H_m(z_i) entry by entry', () => {
    const z = vector(dimension).map((entry) => 2 * entry - 0.3);
    const corrected = new Float64Array(lift.size);
    fillHermiteLift(lift, z, 0.7, corrected);
    const expected = new Float64Array(lift.size);
    const powers = new Float64Array(degree + 1);
    for (let entry = 0; entry < lift.size; entry++) {
      const exponents = new Int32Array(dimension);
      for (let at = entry; at >= 0; at = lift.parent[at]) exponents[lift.factor[at]]++;
      expected[entry] = lift.weight[entry];
      exponents.forEach((m, i) => {
        correctedMonomials(z[i], Math.sqrt(0.7), powers);
        expected[entry] *= powers[m];
      });
    }
    expect(largest(corrected, expected)).toBeLessThan(1e-13);
  });

  test('is added to sums', () => {
    const sums = new Float64Array(lift.size).fill(2);
    const scratch = new Float64Array(lift.size);
    const corrected = new Float64Array(lift.size);
    const z = vector(dimension);
    addHermiteLift(lift, z, 0.7, sums, scratch);
    addHermiteLift(lift, z, 0.7, sums, scratch);
    fillHermiteLift(lift, z, 0.7, corrected);
    expect(
      largest(
        sums,
        corrected.map((value) => 2 + 2 * value),
      ),
    ).toBeLessThan(1e-14);
  });
});
