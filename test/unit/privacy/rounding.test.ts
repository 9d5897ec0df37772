import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decimal,
  decimalAbove,
  decimalBelow,
  nextBelow,
  quotientAbove,
  upward,
} from '../../../src/privacy/rounding.ts';
import { powerOfTen } from './powers-of-ten.ts';

/** A finite double > 0 as a whole multiple of 2⁻¹⁰⁷⁴, by its decimal digits: not the way of the code under test. */
function exactly(value: number): bigint {
  const scaled = value.toString(2).includes('e') ? '' : value.toString(2);
  if (scaled === '') throw new RangeError(`${value} is not printed as a binary number`);
  const [whole, fraction = ''] = scaled.split('.');
  return BigInt(`0b${whole}${fraction.padEnd(1074, '0')}`);
}

/** Whether `quotient` is the least double whose exact product with `denominator` is at least `numerator`. */
function isLeastAbove(quotient: number, numerator: number, denominator: number): boolean {
  const enough = (value: number) => exactly(value) * exactly(denominator) >= exactly(numerator) << 1074n;
  return enough(quotient) && !enough(nextBelow(quotient));
}

describe('A quotient rounded up', () => {
  const sized = (least: number, most: number) =>
    fc.tuple(fc.double({ min: 1, max: 2, noNaN: true, maxExcluded: true }), fc.integer({ min: least, max: most }));
  const pair = (least: number, most: number) => fc.tuple(sized(least, most), sized(least, most));

  // Up to 2^±300 numbers are taken in halves; beyond 2^±400 whole numbers of thousands of bits decide.
  test.each([
    [-8, 8],
    [-300, 300],
    [-450, 450],
  ])('is the least double that is never below the exact one, from 2^%i to 2^%i', (least, most) => {
    let raised = 0;
    fc.assert(
      fc.property(pair(least, most), ([[a, i], [b, j]]) => {
        const [numerator, denominator] = [a * 2 ** i, b * 2 ** j];
        const quotient = quotientAbove(numerator, denominator);
        if (quotient !== numerator / denominator) raised++;
        return isLeastAbove(quotient, numerator, denominator);
      }),
      { seed: 1, numRuns: 3000, endOnFailure: true },
    );
    // The control: the quotient rounded to nearest, which is below the exact one about every second time.
    expect(raised).toBeGreaterThan(1000);
  });

  test('is the quotient itself where that is exact', () => {
    for (const [numerator, denominator] of [
      [1, 2],
      [6, 3],
      [2 ** 399, 2 ** 398],
      [2 ** 401, 2 ** 300],
      [5, 1],
    ] as const) {
      expect(quotientAbove(numerator, denominator)).toBe(numerator / denominator);
    }
  });
});

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

  test('prints a lower bound rounded down, and a short decimal as it is', () => {
    expect(decimalBelow(1)).toBe('1');
    expect(decimalBelow(0)).toBe('0');
    expect(decimalBelow(0.1 + 0.2)).toBe('0.3');
    expect(decimalBelow(0.3 - 1e-16)).toBe('0.3');
    expect(decimalBelow(0.41211667)).toBe('0.412116');
    expect(decimalBelow(0.9999999)).toBe('0.999999');
    expect(decimalBelow(123456.8)).toBe('123456');
    expect(decimalBelow(1.23956789e-9, 3)).toBe('1.23e-9');
  });

  test('prints the nearest decimal where truth does not depend on the side', () => {
    expect(decimal(21.19523)).toBe('21.1952');
    expect(decimal(0.000123456789)).toBe('1.23457e-4');
    expect(decimal(2)).toBe('2');
  });

  test('never prints a number below the value, nor far above it', () => {
    fc.assert(
      fc.property(powerOfTen(-250, 250), (value) => {
        const printed = Number(decimalAbove(value));
        return printed >= value * (1 - 1e-12) && printed <= value * (1 + 1.1e-5);
      }),
      { seed: 1, numRuns: 2000, endOnFailure: true },
    );
  });
});
