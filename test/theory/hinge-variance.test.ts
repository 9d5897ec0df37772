import { describe, expect, test } from '@jest/globals';
import type { GaussianParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import { chebyshevCoefficients, study } from '../../protocols/hinge/index.ts';

// The variance of one gradient estimate, in the setting that every comparison of variants uses: p = 5, ε = 1, δ = 1e-6, the
// Chebyshev polynomial of the smoothed hinge β = 0.1, ‖w‖ = ‖v‖ = 1 and ⟨w, v⟩ = ½. Closed forms; theorem-10.long.test.ts measures
// that they are the variances of the estimates.

const variance = (variant: string, degree: number): number =>
  study.gradientVariance({ variant, epsilon: 1, delta: 1e-6, degree, dimension: 5 });

describe('the variance of one gradient estimate, p = 5, ε = 1, δ = 1e-6, hinge β = 0.1', () => {
  // Every factor y_k⟨w, x_k⟩ of a monomial has mean t = ½ and mean square (1 + σ²)(t² + σ²), y₀x₀ has the mean square (1 + σ₀²)(1 + pσ₀²), and
  // monomials have copies of their own.
  test.each([1, 2, 3])('of printed reports at degree %i is that of products of independent copies', (degree) => {
    const scale = Math.log(1.25e6);
    const [first, further] = [32 * scale, 8 * scale * (degree * (degree + 1)) ** 2];
    const c = Array.from(chebyshevCoefficients(degree, 0.1, 1));
    const slope = c.reduce((sum, entry, j) => sum + entry * 0.5 ** j, 0);
    const spread = c.map((entry, j) => entry ** 2 * (((1 + further) * (0.25 + further)) ** j - 0.25 ** j));
    const squared = spread.reduce((sum, entry) => sum + entry, slope ** 2);
    const expected = squared * (1 + first) * (1 + 5 * first) - slope ** 2;
    expect(variance('printed', degree) / expected).toBeCloseTo(1, 9);
  });

  test('of one Gaussian copy at degree 1 is that of c₀Z + c₁(⟨w, Z⟩Z − σ²w), Z = v + σg', () => {
    const [c0, c1] = chebyshevCoefficients(1, 0.1, 1);
    const { sigma } = study.parameters({
      variant: 'gaussian',
      epsilon: 1,
      delta: 1e-6,
      degree: 1,
      dimension: 5,
    }) as GaussianParameters;
    // ⟨w, Z⟩Z − σ²w − tv is σ(tg + ⟨w, g⟩v) and σ²(⟨w, g⟩g − w): squares t²(p + 2) + 1 and p + 1 at t = ½, and the first meets g by t(p + 1).
    const expected = sigma ** 2 * (5 * c0 ** 2 + 6 * c0 * c1 + c1 ** 2 * (2.75 + 6 * sigma ** 2));
    expect(variance('gaussian', 1) / expected).toBeCloseTo(1, 9);
  });

  test('every variant of the toolkit is better than the one before it, at every degree', () => {
    for (const degree of [0, 1, 2, 3]) {
      const [lifted, gaussian, copies, printed] = ['lifted', 'gaussian', 'copies', 'printed'].map((variant) =>
        variance(variant, degree),
      );
      expect(lifted).toBeLessThan(gaussian);
      expect(gaussian).toBeLessThan(copies);
      expect(copies).toBeLessThan(printed);
    }
  });

  test('of the sampled report is that of lifted and at most 3 % more, because a report carries one power', () => {
    expect(variance('sampled', 0)).toBeCloseTo(variance('lifted', 0), 9);
    for (const degree of [1, 2, 3]) {
      const ratio = variance('sampled', degree) / variance('lifted', degree);
      expect(ratio).toBeGreaterThan(1);
      expect(ratio).toBeLessThan(1.03);
    }
  });

  test('of the lifted report hardly grows with the degree: 38 at degree 1, 102 at degree 3', () => {
    expect(Math.abs(variance('lifted', 1) / 37.8 - 1)).toBeLessThan(0.01);
    expect(Math.abs(variance('lifted', 3) / 101.7 - 1)).toBeLessThan(0.01);
  });
});
