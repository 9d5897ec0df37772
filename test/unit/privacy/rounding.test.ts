import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decimal, decimalAbove, upward } from '../../../src/privacy/rounding.ts';

describe('Rounding to the safe side', () => {
  test('raises a number by less than 1e-13 of itself and leaves zero alone', () => {
    expect(upward(1)).toBeGreaterThan(1);
    expect(upward(1)).toBeLessThan(1 + 1e-13);
    expect(upward(0)).toBe(0);
  });

  test('prints short decimals as they are and longer ones rounded up', () => {
    expect(decimalAbove(1)).toBe('1');
    expect(decimalAbove(0)).toBe('0');
    expect(decimalAbove(1e-6)).toBe('1e-6');
    expect(decimalAbove(0.1 + 0.2)).toBe('0.3');
    expect(decimalAbove(1.0000001)).toBe('1.00001');
    expect(decimalAbove(9.9999999)).toBe('10');
    expect(decimalAbove(123456.2)).toBe('123457');
    expect(decimalAbove(1.23456789e-9, 3)).toBe('1.24e-9');
    expect(decimalAbove(1234567, 3)).toBe('1240000');
  });

  test('prints the nearest decimal where truth does not depend on the side', () => {
    expect(decimal(21.19523)).toBe('21.1952');
    expect(decimal(0.000123456789)).toBe('1.23457e-4');
    expect(decimal(2)).toBe('2');
  });

  test('never prints a number below the value, nor far above it', () => {
    const positive = fc.double({ min: -250, max: 250, noNaN: true }).map((exponent) => 10 ** exponent);
    fc.assert(
      fc.property(positive, (value) => {
        const printed = Number(decimalAbove(value));
        return printed >= value * (1 - 1e-12) && printed <= value * (1 + 1.1e-5);
      }),
      { seed: 1, numRuns: 2000, endOnFailure: true },
    );
  });
});
