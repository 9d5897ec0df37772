import { describe, expect, test } from '@jest/globals';
import { compensatedSum } from '../../../src/audit/claim.ts';

/** Values of widely different sizes, with an exact sum that is found in whole numbers of 2⁻⁴⁰. */
function hardValues(): { readonly values: Float64Array; readonly exact: number; readonly naive: number } {
  const values = new Float64Array(4002);
  let state = 1;
  let exact = 0n;
  let naive = 0;
  for (let i = 0; i < values.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    // A large value, a small one that a plain sum loses digits of, and the large one again with the other sign.
    const value = i % 3 === 0 ? state * 2 ** 20 : i % 3 === 1 ? state * 2 ** -40 : -values[i - 2];
    values[i] = value;
    exact += BigInt(value * 2 ** 40);
    naive += value;
  }
  return { values, exact: Number(exact) / 2 ** 40, naive };
}

describe('a compensated sum', () => {
  test('keeps the 1 that is lost beside 1e100', () => {
    expect(compensatedSum([1, 1e100, 1, -1e100])).toBe(2);
    expect(compensatedSum([])).toBe(0);
  });

  test('is the rounded exact sum where a plain sum is not', () => {
    const { values, exact, naive } = hardValues();
    expect(compensatedSum(values)).toBe(exact);
    expect(naive).not.toBe(exact);
  });
});
