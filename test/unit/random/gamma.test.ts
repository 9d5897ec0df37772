import { expect, test } from '@jest/globals';
import { gamma } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { upperGamma } from '../../statistics/incomplete-gamma.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { meanTest } from '../../statistics/moments.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 15 of them.
const ALARM = 1e-6;

function draw(shape: number, scale: number, count: number): Float64Array {
  const random = seededRandom(`gamma ${shape}`);
  return Float64Array.from({ length: count }, () => gamma(shape, scale, random));
}

test.each([0.5, 0.99, 1, 1.5, 5, 100, 10_000])('the law of shape %d; a scale off by 5 %% is rejected', (shape) => {
  const sample = draw(shape, 3, 100_000);
  const law = (x: number): number => 1 - upperGamma(shape, x / 3);
  expect(kolmogorovTest(sample, law)).toBeGreaterThan(ALARM);
  const wrong = sample.map((x) => 1.05 * x);
  expect(kolmogorovTest(wrong, law)).toBeLessThan(ALARM);
  expect(meanTest(sample, 3 * shape, 9 * shape)).toBeGreaterThan(ALARM);
});

// A scale barely shows in a law spread over so many orders of magnitude; a shape does.
test('the law of shape 0.1; a shape off by 5 % is rejected', () => {
  const sample = draw(0.1, 1, 200_000);
  expect(kolmogorovTest(sample, (x) => 1 - upperGamma(0.1, x))).toBeGreaterThan(ALARM);
  expect(kolmogorovTest(sample, (x) => 1 - upperGamma(0.105, x))).toBeLessThan(ALARM);
});

test('a tiny shape keeps the logarithm of its law, and what lies under the smallest double comes out as 0', () => {
  // X^shape is nearly uniform: P(X < x) = x^shape·(1 + O(shape)) for small x.
  const sample = draw(1e-3, 1, 20_000);
  let zeros = 0;
  for (const x of sample) if (x === 0) zeros++;
  // P(X < 2^-1075) = 0.4744; the standard deviation is 0.0035.
  const share = zeros / sample.length;
  expect(Math.abs(share - 2 ** -1.075)).toBeLessThan(0.02);
  expect(sample.every((x) => x >= 0 && x < Infinity)).toBe(true);
});

test('a tiny power times a large scale does not vanish on the way', () => {
  // U = 2^-13 to the power 1/0.01 is 2^-1300, below the smallest double; times 1e300 it is not.
  const power = gamma(0.01, 1e300, scripted(1, 0x20000000, 0x40000000, 0, 0x00080000, 0));
  expect(power).toBeGreaterThan(1e-92);
  expect(power).toBeLessThan(1e-90);
});

test.each([
  [0, 1],
  [-1, 1],
  [1, 0],
  [Number.NaN, 1],
  [1, Infinity],
])('gamma(%d, %d) is refused', (shape, scale) => {
  expect(() => gamma(shape, scale, scripted(1, 2, 3))).toThrow(RangeError);
});
