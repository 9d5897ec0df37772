import { describe, expect, test } from '@jest/globals';
import { chiSquareCriticalValue, chiSquareExceedance, solveDecreasing } from '../../../src/inference/critical-value.ts';

// Computed independently with SciPy and mpmath.
describe('the chi-square law', () => {
  test.each([
    [3.84, 1, 0.050043521248705106],
    [0.01, 1, 0.920344325445942],
    [5, 2, 0.0820849986238988],
    [0.001, 3, 0.9999915920809419],
    [11.07, 5, 0.05000961862240548],
    [800, 6, 1.5398155074540276e-169],
    [1400, 7, 3.859963181237336e-298],
    [30, 20, 0.06985366069940976],
    [3000, 999, 9.477973075169227e-199],
  ])('P(χ² > %d) with %d degrees', (x, degrees, expected) => {
    expect(Math.abs(chiSquareExceedance(x, degrees) / expected - 1)).toBeLessThan(1e-12);
  });

  test.each([
    [1, 3.841458820694124],
    [2, 5.991464547107979],
    [5, 11.070497693516351],
  ])('the critical value at level 0.95 with %d degrees', (degrees, expected) => {
    expect(chiSquareCriticalValue(0.95, degrees)).toBeCloseTo(expected, 12);
  });

  test.each([
    [1e-15, 1, 1.5707963267948969e-30],
    [1e-15, 2, 2.0000000000000013e-15],
    [1e-15, 3, 2.417987931141638e-10],
    [1e-15, 57, 7.800447585724014],
    [1e-15, 1000, 685.0598915271324],
  ])('the critical value at level %d with %d degrees', (level, degrees, expected) => {
    expect(Math.abs(chiSquareCriticalValue(level, degrees) / expected - 1)).toBeLessThan(1e-11);
  });

  test('the two branches of the critical value meet', () => {
    for (const degrees of [1, 2, 17, 400]) {
      const [below, above] = [0.5 - 2 ** -40, 0.5].map((level) => chiSquareCriticalValue(level, degrees));
      expect(below).toBeLessThan(above);
      expect(above / below - 1).toBeLessThan(1e-10);
    }
  });

  test('falls to 0 without a jump for more than the doubles hold', () => {
    expect(chiSquareExceedance(9_999, 1000)).toBe(0);
    expect(chiSquareExceedance(1e300, 1000)).toBe(0);
    expect(chiSquareCriticalValue(1e-200, 1)).toBe(0);
    // On both sides of a change of the number of parts; log P has the slope −¼ there.
    expect(chiSquareExceedance(1999.999, 1000) / chiSquareExceedance(2000.001, 1000)).toBeCloseTo(1.0005, 3);
  });

  test('is 1 at 0 and refuses what is no argument', () => {
    expect([1, 2, 3].map((degrees) => chiSquareExceedance(0, degrees))).toEqual([1, 1, 1]);
    expect(() => chiSquareExceedance(-1, 1)).toThrow('"x"');
    expect(() => chiSquareExceedance(1, 0)).toThrow('"degrees"');
    expect(() => chiSquareCriticalValue(1, 1)).toThrow('"level"');
  });
});

describe('solveDecreasing', () => {
  test('finds the place of a value over 300 orders of magnitude', () => {
    for (const x of [1e-200, 0.3, 1, 7, 1e150]) expect(solveDecreasing((t) => 1 / t, 1 / x) / x).toBeCloseTo(1, 12);
  });

  test('refuses a value that is never taken', () => {
    expect(() => solveDecreasing((t) => 1 / (1 + t), 2)).toThrow('"target" expected a value that the function takes');
    expect(() => solveDecreasing((t) => 1 + 1 / t, 0.5)).toThrow(RangeError);
  });
});
