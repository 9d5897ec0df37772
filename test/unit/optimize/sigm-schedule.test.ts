import { describe, expect, test } from '@jest/globals';
import {
  largestSigmScale,
  type SigmSetting,
  sigmBound,
  sigmSchedule,
} from '../../../src/optimize/stochastic-gradient.ts';
import { exactSlope } from '../../../src/testing/claim.ts';

const orders = [1, 1.25, 1.5, 1.75, 2];
const growths = ['growing', 'constant'] as const;
const noisy: SigmSetting = { iterations: 400, order: 1, radius: 1, smoothness: 1, deviation: 1 };

/** The largest violation of the conditions of the proof over the first calls, for the weights scaled by 1/`tighten`. */
function violation(setting: SigmSetting, tighten: number = 1): number {
  const { weight, part, curvature } = sigmSchedule(setting);
  let worst = weight(0) * tighten - 1;
  let total = 0;
  for (let i = 0; i < setting.iterations; i++) {
    // A scale a divided by `tighten` multiplies weights and parts by it.
    const alpha = weight(i) * tighten;
    const share = part(i) * tighten;
    total += alpha;
    worst = Math.max(worst, alpha / share - 1, share / total - 1, setting.smoothness / curvature(i) - 1);
    if (i === 0) continue;
    worst = Math.max(
      worst,
      (alpha ** 2 * curvature(i)) / (share * curvature(i - 1)) - 1,
      curvature(i - 1) / curvature(i) - 1,
    );
  }
  return worst;
}

describe('the sequences of the method', () => {
  test('meet every condition of the proof: α₀ ≤ 1, α ≤ B ≤ A, α²β ≤ B·β of the call before, β rising from L', () => {
    const worst: number[] = [];
    for (const order of orders) {
      for (const growth of growths) {
        for (const [smoothness, deviation] of [
          [1, 1],
          [0, 1],
          [1, 0],
          [1e-6, 1],
          [1e6, 1],
          [1, 1e-3],
        ]) {
          worst.push(violation({ ...noisy, order, growth, smoothness, deviation, iterations: 3000 }));
        }
      }
    }
    expect(Math.max(...worst)).toBeLessThan(1e-12);
  });

  test('a is the least scale that meets them: 0.1 % less breaks one', () => {
    for (const order of orders) {
      for (const [smoothness, deviation] of [
        [1, 1],
        [0, 1],
        [1, 0],
        [100, 1],
      ]) {
        expect(violation({ ...noisy, order, smoothness, deviation }, 1.001)).toBeGreaterThan(0.0009);
      }
    }
  });

  test('a reaches the published value where the smoothness is 0, and is 1 without noise or growth', () => {
    for (const order of orders) {
      const published = largestSigmScale(order);
      expect(published).toBeCloseTo(((order + 2) / (order + 1)) ** ((2 * order - 1) / 2), 14);
      expect(sigmSchedule({ ...noisy, order, smoothness: 0 }).scale).toBeCloseTo(published, 12);
      expect(sigmSchedule({ ...noisy, order }).scale).toBeLessThan(published);
      expect(sigmSchedule({ ...noisy, order, deviation: 0 }).scale).toBe(1);
      expect(sigmSchedule({ ...noisy, order, growth: 'constant' }).scale).toBe(1);
    }
    expect(largestSigmScale(1)).toBeCloseTo(Math.sqrt(1.5), 15);
    expect(largestSigmScale(2)).toBeCloseTo((4 / 3) ** 1.5, 15);
  });

  test('first terms by hand, p = 2 without noise: α = 1, 3/2, 2, B = 1, 9/4, 4, β = L', () => {
    const { weight, part, curvature } = sigmSchedule({ ...noisy, order: 2, smoothness: 3, deviation: 0 });
    expect([0, 1, 2].map(weight)).toEqual([1, 1.5, 2]);
    expect([0, 1, 2].map(part)).toEqual([1, 2.25, 4]);
    expect([0, 1, 2].map(curvature)).toEqual([3, 3, 3]);
  });

  test('b is optimal: with the published a, moving it either way raises the bound', () => {
    for (const order of orders) {
      for (const iterations of [1, 5, 1000]) {
        const { noiseFactor } = sigmSchedule({ ...noisy, order, iterations });
        const bound = (b: number): number => {
          let weights = 0;
          let noise = 0;
          const rise = (i: number): number => (i + order + 1) ** ((2 * order - 1) / 2);
          for (let i = 0; i < iterations; i++) {
            weights += ((i + order) / order) ** (order - 1);
            noise += ((i + order) / order) ** (2 * order - 2) / rise(i);
          }
          return (largestSigmScale(order) * b * rise(iterations - 1) + noise / b) / weights;
        };
        expect(bound(noiseFactor)).toBeLessThan(bound(1.01 * noiseFactor));
        expect(bound(noiseFactor)).toBeLessThan(bound(noiseFactor / 1.01));
      }
    }
  });

  test('b approaches √(1/(a(p − ½)p^{2p−2})) as the calls grow, so it is a constant', () => {
    for (const order of orders) {
      const limit = Math.sqrt(1 / (largestSigmScale(order) * (order - 0.5) * order ** (2 * order - 2)));
      const { noiseFactor } = sigmSchedule({ ...noisy, order, iterations: 100_000 });
      expect(Math.abs(noiseFactor / limit - 1)).toBeLessThan(0.01);
    }
  });
});

describe('the bound', () => {
  const calls = [1000, 2000, 4000, 8000, 16000];
  const slope = (setting: Partial<SigmSetting>): number =>
    exactSlope(
      calls,
      calls.map((iterations) => sigmBound({ ...noisy, ...setting, iterations })),
    );

  test('without noise is exactly LD²/2A_k: LD²/2k at p = 1, 2LD²/(k(k + 3)) at p = 2', () => {
    for (const k of [1, 7, 100]) {
      const exact = { ...noisy, iterations: k, smoothness: 3, deviation: 0, radius: 2, distance: 1.5 };
      expect(sigmBound(exact)).toBeCloseTo((3 * 1.5 ** 2) / 2 / k, 12);
      expect(sigmBound({ ...exact, order: 2 })).toBeCloseTo((2 * 3 * 1.5 ** 2) / (k * (k + 3)), 12);
    }
  });

  test('at p = 1 with constant growth is exactly LD²/2k + σD/√k + γ + 2RΔ', () => {
    const bound = sigmBound({
      iterations: 50,
      order: 1,
      growth: 'constant',
      radius: 2,
      distance: 3,
      smoothness: 5,
      deviation: 7,
      inexactness: 0.25,
      gradientBias: 0.125,
    });
    expect(bound).toBeCloseTo((5 * 9) / 100 + (7 * 3) / Math.sqrt(50) + 0.25 + 2 * 2 * 0.125, 12);
  });

  test('falls as k^−p where the smoothness dominates and as k^−½ where the noise does; γ gathers as k^(p−1)', () => {
    for (const order of orders) {
      for (const growth of growths) {
        expect(slope({ order, growth, deviation: 0 })).toBeCloseTo(-order, 1.7);
        expect(slope({ order, growth, smoothness: 0 })).toBeCloseTo(-0.5, 1.7);
        const inexact = { order, growth, deviation: 0, inexactness: 1e9 };
        expect(slope(inexact)).toBeCloseTo(order - 1, 1.7);
        expect(slope({ ...inexact, inexactness: 0, gradientBias: 1e9 })).toBeCloseTo(0, 6);
      }
    }
  });

  test('is homogeneous: w → sw, f → tf turns L, σ, R, γ, Δ into tL/s², tσ/s, sR, tγ, tΔ/s and the bound into t times it', () => {
    const setting = {
      ...noisy,
      order: 1.5,
      smoothness: 2,
      deviation: 3,
      radius: 0.7,
      inexactness: 0.1,
      gradientBias: 0.2,
    };
    const [s, t] = [1e-3, 1e5];
    const scaled = {
      ...setting,
      smoothness: (2 * t) / s ** 2,
      deviation: (3 * t) / s,
      radius: 0.7 * s,
      inexactness: 0.1 * t,
      gradientBias: (0.2 * t) / s,
    };
    expect(sigmBound(scaled) / (t * sigmBound(setting))).toBeCloseTo(1, 12);
  });

  test('constant growth has the smaller bound at the last call, by up to 1.76 where the noise dominates', () => {
    for (const order of orders) {
      const growing = sigmBound({ ...noisy, order, smoothness: 0, iterations: 10_000 });
      const constant = sigmBound({ ...noisy, order, smoothness: 0, iterations: 10_000, growth: 'constant' });
      expect(growing / constant).toBeGreaterThan(1.5);
      expect(growing / constant).toBeLessThan(1.77);
    }
  });

  test('is never less than nothing or no number, however small or large the setting; what it cannot be is refused', () => {
    const sizes = [0, 5e-324, 1e-300, 1e-20, 1, 1e20, 1e300, 1.7e308];
    let given = 0;
    for (const growth of growths)
      for (const smoothness of sizes)
        for (const deviation of sizes)
          for (const radius of sizes.slice(1)) {
            const setting = { iterations: 10, order: 1.5, growth, smoothness, deviation, radius };
            try {
              expect(sigmBound(setting)).toBeGreaterThanOrEqual(0);
              given++;
            } catch (error) {
              if (!(error instanceof RangeError)) throw error;
            }
          }
    expect(given).toBeGreaterThan(500);
    // A deviation far below the rounding of the smoothness counts for nothing; it made the bound infinite.
    expect(sigmBound({ ...noisy, deviation: 1e-20 })).toBe(sigmBound({ ...noisy, deviation: 0 }));
  });

  test('is infinite for no call', () => {
    expect(sigmBound({ ...noisy, iterations: 0 })).toBe(Infinity);
  });
});
