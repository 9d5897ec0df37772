import { describe, expect, test } from '@jest/globals';
import { locateEach } from '../../../../../protocols/user-level-mean/vector/coordinate-location.ts';
import type { LocationModel } from '../../../../../protocols/user-level-mean/vector/location.ts';
import { normalCdf } from '../../../../../src/numeric/normal.ts';

const MODEL: LocationModel = {
  contrast: 0.4,
  largestSpread: 1,
  halfRange: 2,
  deviation: 0.2,
  largestDeviation: 0.2,
};

/** Mean and deviation of the posterior of one coordinate by brute force, the prior normal with the deviation `spread`. */
function exact(
  spread: number,
  thresholds: readonly number[],
  counts: readonly number[],
): { mean: number; error: number } {
  let [total, first, second] = [0, 0, 0];
  for (let theta = -2; theta <= 2; theta += 1e-4) {
    let score = -0.5 * (theta / spread) ** 2;
    thresholds.forEach((t, q) => {
      const p = 0.5 + 0.4 * (normalCdf((theta - t) / 0.2) - 0.5);
      score += counts[2 * q] * Math.log(1 - p) + counts[2 * q + 1] * Math.log(p);
    });
    const weight = Math.exp(score);
    total += weight;
    first += weight * theta;
    second += weight * theta * theta;
  }
  const mean = first / total;
  return { mean, error: Math.sqrt(second / total - mean * mean) };
}

describe('the posterior of the coordinates', () => {
  test('without signs is the prior', () => {
    const { mean, error, quartiles } = locateEach(MODEL, [], 1, 1);
    expect(mean[0]).toBeCloseTo(0, 10);
    // The prior is cut at two deviations: variance 0.774 (computed independently with SciPy's truncnorm for Φ; the deviation of
    // the prior is found again from it, which lowers it by 5 %). Quartiles: see below.
    expect(error[0]).toBeGreaterThan(0.8);
    expect(error[0]).toBeLessThan(0.9);
    expect(quartiles[0]).toBeCloseTo(-quartiles[1], 8);
  });

  test('agrees with brute force within a fiftieth of its deviation', () => {
    const thresholds = [-0.3, 0.5];
    const counts = [40, 90, 80, 45];
    const { mean, error } = locateEach(MODEL, [{ thresholds, counts }], 1, 1);
    // The deviation of the prior lies between 0.9 and 1 after it is found again, and hardly matters here.
    const best = exact(0.95, thresholds, counts);
    expect(Math.abs(mean[0] - best.mean)).toBeLessThan(best.error / 50);
    expect(Math.abs(error[0] - best.error)).toBeLessThan(best.error / 50);
    // Control: twice the signs are distinguished.
    const sharper = exact(
      0.95,
      thresholds,
      counts.map((count) => 2 * count),
    );
    expect(Math.abs(error[0] - sharper.error)).toBeGreaterThan(best.error / 5);
  });

  test('closes in on ten million signs as Fisher information says', () => {
    // At the true value: half of the signs above, once they are freed of the coin.
    const n = 1e7;
    const counts = [n / 4, n / 4, n / 4, n / 4];
    const { mean, error } = locateEach(MODEL, [{ thresholds: [0.3, 0.3], counts }], 1, 1);
    const expected = (0.2 * Math.sqrt(Math.PI / 2)) / (0.4 * Math.sqrt(n));
    expect(Math.abs(mean[0] - 0.3)).toBeLessThan(0.3 * expected);
    expect(error[0] / expected).toBeGreaterThan(0.97);
    expect(error[0] / expected).toBeLessThan(1.05);
  });

  test('follows a last round that contradicts those before, far from its thresholds', () => {
    const early = { thresholds: [-0.9, -0.8], counts: [20, 10, 20, 10] };
    // Quartiles next to each other, and a thousand signs that say "far above".
    const late = { thresholds: [-0.9, -0.899], counts: [150, 350, 150, 350] };
    const { mean } = locateEach(MODEL, [early, late], 1, 1);
    expect(mean[0]).toBeGreaterThan(-0.5);
  });

  test('finds a deviation that all coordinates share, where it is not known', () => {
    const model = { ...MODEL, deviation: 0.5, largestDeviation: 2 };
    // Exact expectations at θ = 0, τ = 0.2, thresholds at ±0.2, 2e5 signs each for 8 coordinates.
    const share = 0.5 + 0.4 * (normalCdf(1) - 0.5);
    const each = [2e5 * (1 - share), 2e5 * share, 2e5 * share, 2e5 * (1 - share)];
    const thresholds = Array.from({ length: 8 }, () => [-0.2, 0.2]).flat();
    const rounds = [{ thresholds, counts: Array.from({ length: 8 }, () => each).flat() }];
    const { deviation } = locateEach(model, rounds, 8, 1);
    expect(Math.abs(Math.log(deviation[0] / 0.2))).toBeLessThan(0.03);
  });

  test.each([1, 2, 8])('asks at the quartiles of its power k/(k + 2) with k = %d rounds left', (left) => {
    // Of a normal density to the power q the deviation is 1/√q of what it was; 0.6745 is the quartile of the normal law.
    const { quartiles, error } = locateEach({ ...MODEL, halfRange: 12 }, [], 1, left);
    const quartile = (power: number) => (0.67449 * error[0]) / Math.sqrt(power);
    expect(quartiles[0]).toBeCloseTo(-quartiles[1], 8);
    // Intervals of the grid are up to .8 deviations wide: 2 %.
    expect(Math.abs(quartiles[1] / quartile(left / (left + 2)) - 1)).toBeLessThan(0.02);
    // Control: the quartiles of the posterior itself.
    expect(Math.abs(quartiles[1] / quartile(1) - 1)).toBeGreaterThan(0.1);
  });
});
