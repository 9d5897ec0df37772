import { expect, test } from '@jest/globals';
import { laplace } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { centralMomentTest, meanTest } from '../../statistics/moments.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 3 of them.
const ALARM = 1e-6;

test('the law has density exp(−|x|/s)/(2s), and a scale off by 5 % is rejected', () => {
  const random = seededRandom('laplace');
  const sample = Float64Array.from({ length: 200_000 }, () => laplace(0.5, random));
  const law = (scale: number) => (x: number) => (x < 0 ? 0.5 * Math.exp(x / scale) : 1 - 0.5 * Math.exp(-x / scale));
  expect(kolmogorovTest(sample, law(0.5))).toBeGreaterThan(ALARM);
  expect(kolmogorovTest(sample, law(0.525))).toBeLessThan(ALARM);
  // Mean 0, variance 2s², fourth moment 24s⁴.
  expect(meanTest(sample, 0, 0.5)).toBeGreaterThan(ALARM);
  expect(centralMomentTest(sample, 0, 2, 0.5, 1.5)).toBeGreaterThan(ALARM);
  expect(centralMomentTest(sample, 0, 2, 0.5 * 1.05 ** 2, 1.5 * 1.05 ** 4)).toBeLessThan(ALARM);
});

test('the sign is the last bit of a word of its own', () => {
  expect(laplace(2, scripted(5, 6, 0))).toBe(-laplace(2, scripted(5, 6, 1)));
  expect(laplace(2, scripted(5, 6, 0))).toBeGreaterThan(0);
});

test.each([0, -1, Number.NaN, Infinity])('the scale %d is refused with a RangeError', (scale) => {
  expect(() => laplace(scale, scripted(1, 2, 3))).toThrow('"scale" expected a finite number > 0');
});
