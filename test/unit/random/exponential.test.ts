import { expect, test } from '@jest/globals';
import { exponential } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { meanTest } from '../../statistics/moments.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 2 of them.
const ALARM = 1e-6;

test('the law is 1 − exp(−x/s), and a scale off by 5 % is rejected', () => {
  const random = seededRandom('exponential');
  const sample = Float64Array.from({ length: 100_000 }, () => exponential(2.5, random));
  expect(kolmogorovTest(sample, (x) => -Math.expm1(-x / 2.5))).toBeGreaterThan(ALARM);
  expect(kolmogorovTest(sample, (x) => -Math.expm1(-x / 2.625))).toBeLessThan(ALARM);
  expect(meanTest(sample, 2.5, 6.25)).toBeGreaterThan(ALARM);
  expect(meanTest(sample, 2.625, 6.25)).toBeLessThan(ALARM);
});

test('the extreme words give the smallest and the largest number, neither 0 nor infinite', () => {
  expect(exponential(1, scripted(0xffffffff, 0xffffffff))).toBeCloseTo(2 ** -53, 30);
  expect(exponential(1, scripted(0xffffffff, 0xffffffff))).toBeGreaterThan(0);
  expect(exponential(1, scripted(0, 0))).toBe(53 * Math.LN2);
});

test.each([0, -1, Number.NaN, Infinity])('the scale %d is refused with a RangeError', (scale) => {
  expect(() => exponential(scale, scripted(1, 2))).toThrow(RangeError);
});
