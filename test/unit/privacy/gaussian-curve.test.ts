import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalCdf } from '../../../src/numeric/normal.ts';
import { gdpDelta, gdpLogDelta } from '../../../src/privacy/gaussian.ts';
import { exactSlack } from './fixed-point.ts';
import { powerOfTen } from './powers-of-ten.ts';

// Computed independently with SciPy and mpmath.
const golden = [
  [1, 1, 0.12693673750664392],
  [1, 2, 0.020923635821113763],
  [1, 3, 0.0015371853694009577],
  [0.5, 1, 0.006829594983114584],
  [2, 4, 0.08495331867107113],
];

// Computed independently with mpmath at 400 digits from the difference of the two terms: the corners of the domain.
const corners = [
  [1e-10, 2e-10, 8.490702617678708e-13],
  [1e-10, 6e-10, 1.56356979644004e-20],
  [1e-4, 0, 3.989422802352067e-5],
  [1e-4, 1e-5, 3.5093708572182195e-5],
  [1e-4, 5e-4, 5.3475022360388865e-12],
  [1e-4, 1e-3, 7.478298460019564e-29],
  [0.01, 0.08, 7.858299014530775e-19],
  [0.2, 1.8, 5.995574854450485e-21],
  [0.2, 5, 2.954833357710715e-139],
  [0.5, 0, 0.19741265136584746],
  [1, 8.5, 6.74209443166978e-17],
  [1, 30, 4.709326318097522e-193],
  [1.5, 16, 2.277906773881591e-24],
  [3, 4.5, 0.3784860516444378],
  [5, 0.5, 0.9841174642339661],
  [5, 40, 8.823257920004711e-9],
  [20, 16, 1],
  [50, 1000, 0.9999996803265078],
  [50, 1250, 0.492024342108007],
  [50, 2400, 1.595081782531365e-117],
  [14142.9, 1e8, 0.7776512603514562],
  [14137.3, 1e8, 6.606550696958247e-7],
  [1414207.1, 1e12, 5.153151858339966e-11],
];

function worstRelativeError(rows: number[][], delta: (mu: number, epsilon: number) => number): number {
  return Math.max(...rows.map(([mu, epsilon, exact]) => Math.abs(delta(mu, epsilon) / exact - 1)));
}

describe('The privacy curve of Gaussian differential privacy', () => {
  test('agrees with the reference values to 1e-14', () => {
    expect(worstRelativeError(golden, gdpDelta)).toBeLessThan(1e-14);
  });

  test('keeps 13 digits in every corner: tiny μ, large μ and ε, δ down to 1e-193', () => {
    expect(worstRelativeError(corners, gdpDelta)).toBeLessThan(1e-13);
  });

  test('has its limits where the square of μ over- or underflows: 1 for endless μ, 0 for none', () => {
    expect(gdpDelta(1e146, 1)).toBe(1);
    expect(gdpDelta(1e-140, 1)).toBe(0);
    // φ(0)·μ at ε = 0.
    expect(gdpDelta(1e-140, 0) / 3.989422804014327e-141).toBeCloseTo(1, 10);
  });

  test('is not to be had by subtracting the two printed terms, which the corners would catch', () => {
    const naive = (mu: number, epsilon: number): number =>
      normalCdf(-epsilon / mu + mu / 2) - Math.exp(epsilon) * normalCdf(-epsilon / mu - mu / 2);
    expect(worstRelativeError(corners.slice(0, 2), naive)).toBeGreaterThan(1e-6);
  });

  test('agrees to 2e-14 with a 190-digit evaluation at random points with δ above 1e-18', () => {
    let worst = 0;
    fc.assert(
      fc.property(powerOfTen(-4, 1), fc.double({ min: -0.5, max: 8.5, noNaN: true }), (mu, a) => {
        const epsilon = Math.max(0, mu * (a + mu / 2));
        const delta = gdpDelta(mu, epsilon);
        worst = Math.max(worst, Math.abs(exactSlack({ sensitivity: mu, sigma: 1, epsilon, delta })));
      }),
      { seed: 2, numRuns: 400, endOnFailure: true },
    );
    expect(worst).toBeLessThan(2e-14);
    expect(worst).toBeGreaterThan(0);
  });

  test('is the total variation distance of N(0, 1) and N(μ, 1) at ε = 0', () => {
    for (const mu of [0.1, 0.9, 1.1, 4, 30]) expect(gdpDelta(mu, 0)).toBeCloseTo(1 - 2 * normalCdf(-mu / 2), 15);
    // 2Φ(μ/2) − 1 = μ/√(2π)·(1 − μ²/24 + …)
    expect(gdpDelta(1e-6, 0) / (1e-6 / Math.sqrt(2 * Math.PI))).toBeCloseTo(1, 12);
  });

  test('falls in ε and grows in μ, also across the seam between its two forms', () => {
    fc.assert(
      fc.property(powerOfTen(-4, 1.7), powerOfTen(-3, 2), (mu, epsilon) => {
        const here = gdpLogDelta(mu, epsilon);
        // δ near 1 is flat to rounding; there only "not the other way" can be asked.
        const slack = 1e-15;
        return (
          gdpLogDelta(mu, epsilon * 1.01) <= here + slack &&
          gdpLogDelta(mu * 1.01, epsilon) >= here - slack &&
          here <= 0
        );
      }),
      { seed: 3, numRuns: 2000, endOnFailure: true },
    );
    // The seam is a = −½, that is ε = μ²/2 − μ/2.
    const mu = 3;
    const seam = (mu * mu - mu) / 2;
    const left = gdpDelta(mu, seam * (1 - 1e-12));
    const right = gdpDelta(mu, seam * (1 + 1e-12));
    expect(left).toBeGreaterThan(right);
    expect(left / right - 1).toBeLessThan(1e-11);
  });

  test('has the derivative φ(ε/μ − μ/2) in μ', () => {
    for (const [mu, epsilon] of [
      [1, 1],
      [0.3, 0.9],
      [4, 2],
    ]) {
      const h = 1e-5;
      const slope = (gdpDelta(mu + h, epsilon) - gdpDelta(mu - h, epsilon)) / (2 * h);
      const a = epsilon / mu - mu / 2;
      expect(slope).toBeCloseTo(Math.exp(-0.5 * a * a) / Math.sqrt(2 * Math.PI), 8);
    }
  });

  test('keeps its logarithm where the number itself has vanished', () => {
    expect(gdpDelta(0.01, 1)).toBe(0);
    // log δ ≈ −a²/2 − log √(2π) − log(a²/μ) for a = 99.995, to the order 3/a².
    expect(gdpLogDelta(0.01, 1)).toBeCloseTo(-0.5 * 99.995 ** 2 - 0.9189385332 - Math.log(99.995 ** 2 / 0.01), 0);
  });

  test('stays in [0, 1] at the ends of the doubles', () => {
    for (const mu of [5e-324, 1e-300, 1e-8, 1, 1e6, 1e154, 1e300]) {
      for (const epsilon of [0, 5e-324, 1e-300, 1, 1e300]) {
        const delta = gdpDelta(mu, epsilon);
        expect(delta >= 0 && delta <= 1).toBe(true);
      }
    }
  });

  test('is exact where the square of μ is near the largest double: below ε = μ²/2 by one double, δ is 1, not ½', () => {
    const mu = 1e150;
    // The two doubles beside μ²/2 are off from it by more than 1e130·μ.
    expect(gdpDelta(mu, 4.9999999999999995e299)).toBe(1);
    expect(gdpDelta(mu, 5.000000000000001e299)).toBe(0);
    expect(gdpDelta(1e300, 1e300)).toBe(1);
  });

  test('refuses numbers out of range', () => {
    expect(() => gdpDelta(0, 1)).toThrow('"mu"');
    expect(() => gdpDelta(-1, 1)).toThrow(RangeError);
    expect(() => gdpDelta(1, -1)).toThrow('"epsilon"');
    expect(() => gdpDelta(1, Number.NaN)).toThrow(RangeError);
    expect(() => gdpLogDelta(Infinity, 1)).toThrow(RangeError);
  });
});
