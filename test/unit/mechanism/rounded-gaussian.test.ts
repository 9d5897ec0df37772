import { describe, expect, test } from '@jest/globals';
import { continuousBudget } from '../../../src/mechanism/discrete-gaussian.ts';
import { gdpDelta, gdpMu } from '../../../src/privacy/gaussian.ts';
import { exactIntegerDelta } from './integer-noise.ts';

describe('discrete noise calibrated on the continuous curve', () => {
  test.each([
    [1, 8, 1e-3],
    [2, 4, 1e-6],
    [3, 8, 1e-12],
    [4, 2, 1e-3],
    [5, 1, 1e-6],
    [17, 0.5, 1e-9],
    [20, 8, 1e-6],
    [200, 0.1, 1e-6],
    [1000, 1, 1e-12],
    [5000, 4, 1e-3],
  ])('σ = %d stays within (%d, %d) in one dimension, exactly summed', (sigma, epsilon, delta) => {
    const budget = continuousBudget({ epsilon, delta, sigma, coordinates: 1 });
    const shift = Math.floor(gdpMu(budget) * sigma);
    for (let c = Math.max(1, shift - 3); c <= shift; c++) {
      expect(exactIntegerDelta(sigma, epsilon, [c])).toBeLessThanOrEqual(delta);
    }
    // The control: a sensitivity 25 % (and one unit) larger is caught.
    expect(exactIntegerDelta(sigma, epsilon, [Math.ceil(1.25 * shift) + 1])).toBeGreaterThan(delta);
  });

  test.each([
    [3, 8, 1e-6],
    [6, 3, 1e-3],
    [25, 1, 1e-6],
  ])('σ = %d stays within (%d, %d) in two dimensions, in several directions', (sigma, epsilon, delta) => {
    const budget = continuousBudget({ epsilon, delta, sigma, coordinates: 2 });
    const length = gdpMu(budget) * sigma;
    for (const angle of [0, 0.3, 0.5, Math.PI / 4]) {
      const center = [Math.trunc(length * Math.cos(angle)), Math.trunc(length * Math.sin(angle))];
      expect(exactIntegerDelta(sigma, epsilon, center)).toBeLessThanOrEqual(delta);
    }
    const far = [Math.ceil(0.9 * length) + 1, Math.ceil(0.9 * length) + 1];
    expect(exactIntegerDelta(sigma, epsilon, far)).toBeGreaterThan(delta);
  });

  test('loses less than 2e-5 of δ at σ = 1000, and 1e-8 of ε at the default σ of ten coordinates', () => {
    const [sigma, epsilon] = [1000, 1];
    const exact = exactIntegerDelta(sigma, epsilon, [300]);
    expect(Math.abs(exact / gdpDelta(0.3, epsilon) - 1)).toBeLessThan(2e-5);
    const asked = { epsilon: 1, delta: 1e-6 };
    const budget = continuousBudget({ ...asked, sigma: 65_536, coordinates: 10 });
    expect(1 - budget.epsilon).toBeLessThan(1e-8);
    expect(1 - budget.epsilon).toBeGreaterThan(0);
    expect(1 - budget.delta / 1e-6).toBeLessThan(1e-6 * 1.0001);
  });
});

test('a σ for which nothing is left of ε is refused, and so is what is no σ', () => {
  const asked = { epsilon: 1, delta: 1e-6 };
  expect(() => continuousBudget({ ...asked, sigma: 1, coordinates: 1 })).toThrow(
    '"sigma" expected a whole number large enough',
  );
  expect(() => continuousBudget({ ...asked, sigma: 1000, coordinates: 1e8 })).toThrow(RangeError);
  expect(() => continuousBudget({ ...asked, sigma: 0.5, coordinates: 1 })).toThrow(RangeError);
  expect(() => continuousBudget({ ...asked, sigma: 10, coordinates: 0 })).toThrow(RangeError);
});
