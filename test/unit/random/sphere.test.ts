import { expect, test } from '@jest/globals';
import { fillSphere, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { proportionTest } from '../../statistics/moments.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 7 of them.
const ALARM = 1e-6;

/** Inner products of `count` points of S^(p−1) with a fixed oblique unit vector. */
function products(dimension: number, count: number, fill: (point: Float64Array) => void): Float64Array {
  const point = new Float64Array(dimension);
  const direction = Float64Array.from({ length: dimension }, (_, i) => i + 1);
  const norm = Math.hypot(...direction);
  return Float64Array.from({ length: count }, () => {
    fill(point);
    let sum = 0;
    for (let i = 0; i < dimension; i++) sum += point[i] * direction[i];
    return sum / norm;
  });
}

// The law of one coordinate, density ∝ (1 − t²)^((p−3)/2), in the dimensions where it is elementary.
test.each<[number, (t: number) => number]>([
  [2, (t) => 1 - Math.acos(t) / Math.PI],
  [3, (t) => (1 + t) / 2],
  [5, (t) => 0.5 + 0.75 * (t - t ** 3 / 3)],
  [7, (t) => 0.5 + (15 / 16) * (t - (2 / 3) * t ** 3 + t ** 5 / 5)],
])(
  'in dimension %d a coordinate in an oblique direction has its law; one off by 5 %% is rejected',
  (dimension, law) => {
    const random = seededRandom(`sphere ${dimension}`);
    const sample = products(dimension, 100_000, (point) => fillSphere(point, random));
    const clipped = (t: number): number => law(Math.min(1, Math.max(-1, t)));
    expect(kolmogorovTest(sample, clipped)).toBeGreaterThan(ALARM);
    const wrong = sample.map((t) => 1.05 * t);
    expect(kolmogorovTest(wrong, clipped)).toBeLessThan(ALARM);
  },
);

test('a normalised point of the cube, which is not uniform, is rejected', () => {
  const random = seededRandom('cube');
  const sample = products(3, 100_000, (point) => {
    for (let i = 0; i < 3; i++) point[i] = 2 * uniform(random) - 1;
    const norm = Math.hypot(...point);
    for (let i = 0; i < 3; i++) point[i] /= norm;
  });
  expect(kolmogorovTest(sample, (t) => (1 + t) / 2)).toBeLessThan(ALARM);
});

test('in dimension 1 it is a fair sign', () => {
  const random = seededRandom('sign');
  const point = new Float64Array(1);
  let positive = 0;
  let other = 0;
  for (let i = 0; i < 10_000; i++) {
    fillSphere(point, random);
    if (point[0] === 1) positive++;
    else if (point[0] !== -1) other++;
  }
  expect(other).toBe(0);
  expect(proportionTest(positive, 10_000, 0.5)).toBeGreaterThan(ALARM);
});

test.each([1, 2, 10, 1000])('in dimension %d the norm is 1 to rounding', (dimension) => {
  const point = new Float64Array(dimension);
  fillSphere(point, seededRandom('norm'));
  expect(Math.abs(Math.hypot(...point) - 1)).toBeLessThan(1e-14);
});

test('an empty target is refused', () => {
  expect(() => fillSphere(new Float64Array(0), scripted())).toThrow(RangeError);
});
