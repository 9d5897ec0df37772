import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { zcdpDelta, zcdpEpsilon } from '../../../src/privacy/conversion.ts';
import { gdpDelta, gdpEpsilon } from '../../../src/privacy/gaussian.ts';
import { powerOfTen } from './powers-of-ten.ts';

/** The bound at one order α, in its printed form. */
function atOrder(rho: number, epsilon: number, alpha: number): number {
  return (Math.exp((alpha - 1) * (alpha * rho - epsilon)) / (alpha - 1)) * (1 - 1 / alpha) ** alpha;
}

describe('Zero-concentrated privacy as (ε, δ)', () => {
  test('agrees with the reference values to 1e-12', () => {
    // Computed independently with SciPy and mpmath.
    const golden = [
      [0.025, 1, 1.3361319064032225e-6],
      [0.1, 1, 0.008933245771818369],
      [0.5, 4, 0.00019579541695772176],
    ];
    for (const [rho, epsilon, delta] of golden) {
      expect(Math.abs(zcdpDelta(rho, epsilon) / delta - 1)).toBeLessThan(1e-12);
      expect(Math.abs(zcdpEpsilon(rho, delta) / epsilon - 1)).toBeLessThan(1e-12);
    }
  });

  test('is the least over a fine grid of orders, and no order goes below it', () => {
    for (const [rho, epsilon] of [
      [0.025, 1],
      [0.5, 4],
      [0.5, 0.1],
      [2, 12],
      [1e-4, 0.05],
    ]) {
      let least = 1;
      for (let k = -400; k <= 400; k++) least = Math.min(least, atOrder(rho, epsilon, 1 + 10 ** (k / 100)));
      const found = zcdpDelta(rho, epsilon);
      expect(found).toBeLessThanOrEqual(least * (1 + 1e-12));
      expect(found).toBeGreaterThan(least * (1 - 1e-3));
    }
  });

  test('never claims more than the exact curve of the Gaussian release with the same ρ', () => {
    fc.assert(
      fc.property(powerOfTen(-3, 1), powerOfTen(-2, 2), (mu, epsilon) => {
        return zcdpDelta((mu * mu) / 2, epsilon) >= gdpDelta(mu, epsilon);
      }),
      { seed: 1, numRuns: 1000, endOnFailure: true },
    );
    fc.assert(
      fc.property(powerOfTen(-3, 1), powerOfTen(-18, -0.5), (mu, delta) => {
        return zcdpEpsilon((mu * mu) / 2, delta) >= gdpEpsilon(mu, delta);
      }),
      { seed: 2, numRuns: 200, endOnFailure: true },
    );
  });

  test('reads the same curve in both directions', () => {
    fc.assert(
      fc.property(powerOfTen(-6, 2), powerOfTen(-18, -0.5), (rho, delta) => {
        const epsilon = zcdpEpsilon(rho, delta);
        const back = zcdpDelta(rho, epsilon);
        // At ε = 0 the δ asked for may be more than is needed.
        return epsilon === 0 ? back <= delta * (1 + 1e-11) : Math.abs(back / delta - 1) < 1e-10;
      }),
      { seed: 3, numRuns: 1000, endOnFailure: true },
    );
  });

  test('is below the older conversion ρ + 2√(ρ·ln(1/δ)), and δ falls in ε and grows in ρ', () => {
    fc.assert(
      fc.property(powerOfTen(-6, 2), powerOfTen(-18, -0.5), powerOfTen(-3, 2), (rho, delta, epsilon) => {
        const here = zcdpDelta(rho, epsilon);
        return (
          zcdpEpsilon(rho, delta) < rho + 2 * Math.sqrt(rho * Math.log(1 / delta)) &&
          zcdpDelta(rho, epsilon * 1.01) <= here * (1 + 1e-11) &&
          zcdpDelta(rho * 1.01, epsilon) >= here * (1 - 1e-11) &&
          here <= 1
        );
      }),
      { seed: 4, numRuns: 1000, endOnFailure: true },
    );
  });

  test('vanishes and saturates without nonsense at the ends of the doubles', () => {
    expect(zcdpDelta(1e-8, 1e300)).toBe(0);
    expect(zcdpDelta(1e6, 0)).toBe(1);
    expect(zcdpEpsilon(1e-300, 0.5)).toBe(0);
    expect(zcdpEpsilon(1e100, 1e-300)).toBeGreaterThanOrEqual(1e100);
  });

  test('is rounded up where the best order is far beyond the doubles near 1', () => {
    // Computed with mpmath at 50 digits.
    expect(zcdpDelta(1e-300, 0)).toBeGreaterThanOrEqual(8.57763884960707e-151);
    expect(zcdpDelta(1e-300, 0)).toBeLessThan(8.5776388497e-151);
    expect(zcdpDelta(5e-324, 0)).toBeGreaterThanOrEqual(1.90660218028873e-162);
  });

  test('refuses numbers out of range', () => {
    expect(() => zcdpDelta(0, 1)).toThrow('"rho"');
    expect(() => zcdpDelta(1, -1)).toThrow('"epsilon"');
    expect(() => zcdpDelta(Number.NaN, 1)).toThrow(RangeError);
    expect(() => zcdpEpsilon(1, 0)).toThrow('"delta"');
    expect(() => zcdpEpsilon(1, 1)).toThrow(RangeError);
  });
});
