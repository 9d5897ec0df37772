import { describe, expect, test } from '@jest/globals';
import { probabilityAbove, probabilityBelow, wilsonBound } from '../../../src/audit/attack.ts';

// Computed independently with SciPy (scipy.stats.beta).
const INTERVALS: readonly (readonly [number, number, number, number, number])[] = [
  [0, 10, 0.05, 0, 0.2588655508930523],
  [3, 10, 0.025, 0.06673951117773447, 0.6524528500599973],
  [10, 10, 0.025, 0.6915028921812392, 1],
  [500, 1000, 0.001, 0.45077105398478234, 0.5492289460152177],
  [17, 400000, 0.00125, 1.794883247199718e-5, 8.391028851256745e-5],
  [399990, 400000, 0.00125, 0.9999405848696319, 0.9999923702846262],
];

/** P(Binomial(n, p) = k), by recursion from 0. */
function binomial(n: number, p: number): number[] {
  const law = [(1 - p) ** n];
  for (let k = 1; k <= n; k++) law.push((law[k - 1] * (n - k + 1) * p) / (k * (1 - p)));
  return law;
}

describe('Clopper–Pearson', () => {
  test.each(INTERVALS)('%i of %i at %p are bounded as by SciPy', (successes, trials, failure, low, high) => {
    expect(probabilityBelow(successes, trials, failure)).toBeCloseTo(low, 12);
    expect(probabilityAbove(successes, trials, failure)).toBeCloseTo(high, 12);
  });

  test('each side misses the truth with at most the failure probability, for every truth: exact enumeration', () => {
    let worst = 0;
    let loosest = 1;
    for (let p = 0.01; p < 1; p += 0.01) {
      const law = binomial(40, p);
      let missed = 0;
      for (let k = 0; k <= 40; k++) if (probabilityBelow(k, 40, 0.05) > p) missed += law[k];
      worst = Math.max(worst, missed);
      let above = 0;
      for (let k = 0; k <= 40; k++) if (probabilityAbove(k, 40, 0.05) < p) above += law[k];
      worst = Math.max(worst, above);
      loosest = Math.min(loosest, Math.max(missed, above));
    }
    expect(worst).toBeLessThanOrEqual(0.05);
    // Nor is it wasteful everywhere, as a bound that never fails would be.
    expect(worst).toBeGreaterThan(0.045);
    expect(loosest).toBeLessThan(0.045);
  });

  test('counts that are none are refused', () => {
    expect(() => probabilityBelow(3, 2, 0.1)).toThrow('"successes" expected a whole number from 0 to 2, got 3');
    expect(() => probabilityAbove(1, 2, 0)).toThrow('"failure" expected a number strictly between 0 and 1, got 0');
    expect(() => probabilityAbove(1, 0, 0.1)).toThrow('"trials" expected a whole number >= 1, got 0');
  });
});

test('the quick interval of a pilot contains the share and widens with the deviations', () => {
  for (const successes of [0, 1, 50, 99, 100]) {
    const share = successes / 100;
    expect(wilsonBound(successes, 100, 2, -1)).toBeLessThanOrEqual(share);
    expect(wilsonBound(successes, 100, 2, 1)).toBeGreaterThanOrEqual(share);
    expect(wilsonBound(successes, 100, 3, 1) - wilsonBound(successes, 100, 3, -1)).toBeGreaterThan(
      wilsonBound(successes, 100, 2, 1) - wilsonBound(successes, 100, 2, -1),
    );
  }
});
