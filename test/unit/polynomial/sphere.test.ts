import { describe, expect, test } from '@jest/globals';
import { Matrix, solve } from 'ml-matrix';
import { createLift, fillLift, type Lift } from '../../../src/polynomial/lift.ts';
import { sphereMoments } from '../../../src/polynomial/sphere.ts';
import { fillNormal, fillSphere, normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** The moments of so many vectors of this norm. */
function momentsOf(lift: Lift, count: number, norm: number): Float64Array {
  const random = seededRandom('vectors');
  const moments = new Float64Array(lift.size);
  const powers = new Float64Array(lift.size);
  const v = new Float64Array(lift.dimension);
  for (let i = 0; i < count; i++) {
    fillSphere(v, random);
    // Around a mean that is not 0.
    v[0] += 0.7;
    const length = Math.hypot(...v) / norm;
    fillLift(
      lift,
      lift.weight,
      v.map((entry) => entry / length),
      powers,
    );
    for (let entry = 0; entry < moments.length; entry++) moments[entry] += powers[entry] / count;
  }
  return moments;
}

const furthest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, entry, i) => Math.max(most, Math.abs(entry - b[i])), 0);

describe('moments of vectors of norm 1', () => {
  test.each([
    [1, 3],
    [2, 2],
    [3, 6],
    [4, 5],
    [14, 4],
  ])('in R^%i, up to the power %i, stay what they are without noise, and others do not', (p, degree) => {
    const lift = createLift(p, degree);
    const noise = Float64Array.from({ length: degree }, (_, k) => 1 / (k + 1));
    const { pool } = sphereMoments(lift);
    const moments = momentsOf(lift, 5, 1);
    expect(furthest(pool(moments, noise, 1), moments)).toBeLessThan(1e-8);
    const shorter = momentsOf(lift, 5, 0.9);
    expect(furthest(pool(shorter, noise, 1), shorter)).toBeGreaterThan(0.01);
  });

  test('with noise are the weighted least squares over all laws, as an ordinary solver finds them', () => {
    const [p, degree] = [3, 4];
    const lift = createLift(p, degree);
    const noise = Float64Array.of(0.2, 0.5, 0.3, 0.7);
    const random = seededRandom('least squares');
    const measured = momentsOf(lift, 4, 1).map((entry) => entry + 0.3 * normal(random));
    // The moments of signed measures on 25 points: as many as there are harmonics up to the power 4, 1 + 3 + 5 + 7 + 9.
    const points = Array.from({ length: 25 }, () => {
      const v = new Float64Array(p);
      fillSphere(v, random);
      const powers = new Float64Array(lift.size);
      fillLift(lift, lift.weight, v, powers);
      return powers;
    });
    const weight = (entry: number): number => 1 / noise[lift.offsets.findIndex((end) => entry < end) - 1];
    const columns = new Matrix(lift.size + 1, points.length);
    const right = new Matrix(lift.size + 1, 1);
    for (let entry = 0; entry < lift.size; entry++) {
      for (const [i, powers] of points.entries()) columns.set(entry, i, powers[entry] * Math.sqrt(weight(entry)));
      right.set(entry, 0, measured[entry] * Math.sqrt(weight(entry)));
    }
    // The whole mass is 1, nearly without an error.
    for (const i of points.keys()) columns.set(lift.size, i, 1e4);
    right.set(lift.size, 0, 1e4);
    const masses = solve(columns, right);
    const expected = Float64Array.from(measured, (_, entry) =>
      points.reduce((sum, powers, i) => sum + powers[entry] * masses.get(i, 0), 0),
    );
    const { pool } = sphereMoments(lift);
    expect(furthest(pool(measured, noise, 1), expected)).toBeLessThan(1e-5);
    // Other weights are another estimate.
    expect(furthest(pool(measured, noise.map(Math.sqrt), 1), expected)).toBeGreaterThan(1e-2);
  });

  // On the unit sphere the part of sym³(s) that is a product with |v|² has the squared length 3/(p + 2), and 1/p is that of sym²(s).
  test.each([2, 3, 14])('have the variances that the harmonics of R^%i leave', (p) => {
    const { pooledNoise } = sphereMoments(createLift(p, 3));
    const [one, two, three] = pooledNoise(Float64Array.of(2, 5, 2));
    expect(one).toBeCloseTo((2 * (p + 2)) / (p + 5), 8);
    expect(two).toBeCloseTo(5 * (1 - 1 / p), 4);
    expect(three).toBeCloseTo(2 * ((p - 1) / (p + 2) + 9 / ((p + 2) * (p + 5))), 8);
  });

  test('have after pooling the stated variances in every direction', () => {
    const lift = createLift(3, 4);
    const noise = Float64Array.of(1, 3, 2, 4);
    const { pool, pooledNoise } = sphereMoments(lift);
    const stated = pooledNoise(noise);
    const direction = new Float64Array(lift.size);
    fillLift(lift, lift.weight, Float64Array.of(0.48, -0.6, 0.64), direction);
    const random = seededRandom('variances');
    const draws = 4000;
    const squares = new Float64Array(4);
    const drawn = new Float64Array(lift.size);
    for (let draw = 0; draw < draws; draw++) {
      fillNormal(drawn, random);
      for (let k = 0; k < 4; k++) {
        for (let entry = lift.offsets[k]; entry < lift.offsets[k + 1]; entry++) drawn[entry] *= Math.sqrt(noise[k]);
      }
      const pooled = pool(drawn, noise, 0);
      for (let k = 0; k < 4; k++) {
        let inner = 0;
        for (let entry = lift.offsets[k]; entry < lift.offsets[k + 1]; entry++)
          inner += direction[entry] * pooled[entry];
        squares[k] += inner * inner;
      }
    }
    // A mean of 4,000 squares of normal numbers has a relative deviation of √(2/4000) = .0224: five of them, in 8 comparisons, are
    // exceeded with a probability below 1e-5. Without pooling the variances are 1.2 to 3 times as large.
    for (let k = 0; k < 4; k++) {
      expect(Math.abs(squares[k] / draws / stated[k] - 1)).toBeLessThan(5 * Math.sqrt(2 / draws));
      expect(noise[k] / stated[k]).toBeGreaterThan(1.15);
    }
  });
});
