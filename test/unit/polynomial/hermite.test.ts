import { describe, expect, test } from '@jest/globals';
import { polynomialDerivative } from '../../../src/polynomial/chebyshev.ts';
import { evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import {
  correctedGradient,
  correctedMonomials,
  correctedPolynomial,
  correctedPolynomialDerivative,
  correctedProductMoment,
} from '../../../src/polynomial/heat.ts';
import { polynomialIntegral } from '../../evidence/hinge/polynomials.ts';
import { gaussHermite, visitGaussian } from './gauss-hermite.ts';

const MARGINS = [-0.9, 0, 0.35, 1];
const SCALES = [0, 0.4, 1, 3];
const { nodes, masses } = gaussHermite(16);

/** Largest relative deviation of E[H_k] from t^k, k ≤ 8, when the correction believes `believed`·s. */
function largestBias(believed: number): number {
  let worst = 0;
  const powers = new Float64Array(9);
  for (const t of MARGINS) {
    for (const s of SCALES) {
      const mean = new Float64Array(9);
      nodes.forEach((g, i) => {
        correctedMonomials(t + s * g, believed * s, powers);
        for (let k = 0; k < 9; k++) mean[k] += masses[i] * powers[k];
      });
      // Relative to the size of the terms that cancel, E|H_k| ≲ √(k!)·(|t| + s)^k.
      let size = 1;
      for (let k = 0; k < 9; k++) {
        if (k > 0) size *= Math.sqrt(k) * (Math.abs(t) + s);
        if (size > 0) worst = Math.max(worst, Math.abs(mean[k] - t ** k) / size);
      }
    }
  }
  return worst;
}

describe('the inverse Weierstrass transform of monomials', () => {
  test('by hand: H_2 = u² − s², H_3 = u³ − 3s²u, H_4 = u⁴ − 6s²u² + 3s⁴', () => {
    const target = new Float64Array(5);
    correctedMonomials(2, 3, target);
    expect([...target]).toEqual([1, 2, -5, 8 - 54, 16 - 216 + 243]);
  });

  test('E[H_k] = t^k exactly (Gauss–Hermite quadrature, 16 nodes, k up to 8)', () => {
    expect(largestBias(1)).toBeLessThan(1e-13);
  });

  test('control: a noise scale believed 5 % too small is caught', () => {
    expect(largestBias(0.95)).toBeGreaterThan(1e-2);
  });

  test('E[H_k·H_l] is the closed form, k and l up to 7', () => {
    let worst = 0;
    const powers = new Float64Array(8);
    for (const t of MARGINS) {
      for (const s of SCALES) {
        const mean = new Float64Array(64);
        nodes.forEach((g, i) => {
          correctedMonomials(t + s * g, s, powers);
          for (let k = 0; k < 8; k++) for (let l = 0; l < 8; l++) mean[8 * k + l] += masses[i] * powers[k] * powers[l];
        });
        for (let k = 0; k < 8; k++) {
          for (let l = 0; l < 8; l++) {
            const size = Math.sqrt(correctedProductMoment(k, k, t, s) * correctedProductMoment(l, l, t, s));
            const error = Math.abs(mean[8 * k + l] - correctedProductMoment(k, l, t, s));
            worst = Math.max(worst, error / Math.max(size, 1e-300));
          }
        }
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('by hand: Var H_2 = 2s⁴ + 4s²t²', () => {
    const [t, s] = [0.3, 1.7];
    expect(correctedProductMoment(2, 2, t, s) - t ** 4).toBeCloseTo(2 * s ** 4 + 4 * s * s * t * t, 12);
  });
});

describe('the corrected polynomial', () => {
  const coefficients = [0.4, -1.2, 0.3, 0.8, -0.5];

  test('is the same combination of corrected monomials, and its derivative that of u', () => {
    const powers = new Float64Array(5);
    let worst = 0;
    for (const s of SCALES) {
      for (const u of [-2, 0.1, 1.5]) {
        correctedMonomials(u, s, powers);
        const direct = coefficients.reduce((sum, c, k) => sum + c * powers[k], 0);
        worst = Math.max(worst, Math.abs(correctedPolynomial(coefficients, u, s) - direct));
        const step = 1e-5;
        const difference =
          (correctedPolynomial(coefficients, u + step, s) - correctedPolynomial(coefficients, u - step, s)) /
          (2 * step);
        worst = Math.max(worst, 1e-4 * Math.abs(difference - correctedPolynomialDerivative(coefficients, u, s)));
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('and its derivative are unbiased for P(t) and P′(t)', () => {
    let worst = 0;
    for (const t of MARGINS) {
      for (const s of [0.4, 1]) {
        let value = 0;
        let slope = 0;
        nodes.forEach((g, i) => {
          value += masses[i] * correctedPolynomial(coefficients, t + s * g, s);
          slope += masses[i] * correctedPolynomialDerivative(coefficients, t + s * g, s);
        });
        worst = Math.max(worst, Math.abs(value - evaluatePolynomial(coefficients, t)));
        worst = Math.max(worst, Math.abs(slope - evaluatePolynomial(polynomialDerivative(coefficients), t)));
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });
});

describe('the corrected gradient', () => {
  const coefficients = [0.4, -1.2, 0.3, 0.8];
  const v = [0.5, -0.3, 0.2];
  const w = [0.6, 0.1, -0.7];
  const sigma = 1.3;
  const t = v.reduce((sum, entry, i) => sum + entry * w[i], 0);

  /** E of the estimate less P(t)·v, when σ is believed `believed` times what it is. */
  function bias(believed: number): number {
    const mean = new Float64Array(3);
    const estimate = new Float64Array(3);
    visitGaussian(3, 5, (g, mass) => {
      correctedGradient(
        coefficients,
        w,
        v.map((entry, i) => entry + sigma * g[i]),
        believed * sigma,
        estimate,
      );
      for (let i = 0; i < 3; i++) mean[i] += mass * estimate[i];
    });
    return Math.max(...v.map((entry, i) => Math.abs(mean[i] - evaluatePolynomial(coefficients, t) * entry)));
  }

  test('has expectation P(⟨w, v⟩)·v exactly (tensor Gauss–Hermite quadrature)', () => {
    expect(bias(1)).toBeLessThan(1e-12);
  });

  test('control: with σ off by 5 % the expectation is visibly wrong', () => {
    expect(bias(1.05)).toBeGreaterThan(1e-2);
  });

  test('is the gradient in w of the corrected integral of P at the same report', () => {
    const z = [1.4, -0.2, 0.9];
    const integral = polynomialIntegral(coefficients);
    const risk = (at: number[]): number => {
      const u = at.reduce((sum, entry, i) => sum + entry * z[i], 0);
      return correctedPolynomial(integral, u, sigma * Math.hypot(...at));
    };
    const gradient = new Float64Array(3);
    correctedGradient(coefficients, w, z, sigma, gradient);
    const step = 1e-5;
    let worst = 0;
    for (let i = 0; i < 3; i++) {
      const moved = (by: number): number => risk(w.map((entry, k) => entry + (k === i ? by : 0)));
      worst = Math.max(worst, Math.abs((moved(step) - moved(-step)) / (2 * step) - gradient[i]));
    }
    expect(worst).toBeLessThan(1e-7);
  });

  test('at w = 0 is c_0·z', () => {
    const gradient = new Float64Array(2);
    correctedGradient([0.5, 3, 4], [0, 0], [2, -1], 1, gradient);
    // h′ = c_1 at s = u = 0, times w = 0.
    expect([...gradient]).toEqual([1, -0.5]);
  });
});
