// docs/errata.md, proof of theorem 10. Printed: the coefficients of T_m in monomials are O(√m·2^m). What holds: they grow like
// (1 + √2)^m, at most |T_m(i)|. Their square, 5.83^m, stays within the 16^d of the printed variance.
import { expect, test } from '@jest/globals';
import { monomialCoefficientBound, printedMonomialBound } from '../evidence/hinge/polynomials.ts';

/** The coefficients of T_m in whole numbers, from the recurrence of definition 3. */
function coefficients(degree: number): readonly bigint[] {
  let previous = [1n];
  let current = [0n, 1n];
  if (degree === 0) return previous;
  for (let m = 2; m <= degree; m++) {
    const next = [0n, ...current.map((entry) => 2n * entry)];
    previous.forEach((entry, k) => {
      next[k] -= entry;
    });
    [previous, current] = [current, next];
  }
  return current;
}

const size = (entry: bigint): bigint => (entry < 0n ? -entry : entry);
const largest = (degree: number): number =>
  Number(coefficients(degree).reduce((most, entry) => (size(entry) > most ? size(entry) : most), 0n));

test('the largest coefficient is 6.2, 162 and 985,257 times √m·2^m at m = 30, 50 and 100: no constant makes the printed bound one', () => {
  const ratios = [30, 50, 100].map((degree) => largest(degree) / printedMonomialBound(degree));
  expect(ratios[0]).toBeCloseTo(6.151, 3);
  expect(ratios[1]).toBeCloseTo(161.714, 3);
  expect(ratios[2]).toBeCloseTo(985_256.8, 0);
});

test('|T_m(i)| is the sum of their sizes, so that it bounds each, and the largest is at least its share', () => {
  for (const degree of [0, 1, 2, 3, 10, 30, 50, 100]) {
    const sum = Number(coefficients(degree).reduce((total, entry) => total + size(entry), 0n));
    expect(monomialCoefficientBound(degree) / sum).toBeCloseTo(1, 12);
    expect(largest(degree)).toBeLessThanOrEqual(sum);
    expect(largest(degree)).toBeGreaterThanOrEqual(sum / (Math.floor(degree / 2) + 1));
  }
});

test('the growth of a degree is 1 + √2, between the printed 2 and the 4 that the printed variance has room for', () => {
  const growth = (largest(100) / largest(90)) ** (1 / 10);
  // A factor of m^-½ before the power takes .6 % off.
  expect(growth).toBeGreaterThan(2.39);
  expect(growth).toBeLessThan(1 + Math.SQRT2);
  expect((1 + Math.SQRT2) ** 2).toBeLessThan(16);
});
