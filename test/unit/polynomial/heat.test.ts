import { describe, expect, test } from '@jest/globals';
import { evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import {
  heatFlow,
  radialGradientCorrection,
  radialGradientCovariance,
  radialValueCorrection,
  radialValueVariance,
} from '../../../src/polynomial/heat.ts';
import { gaussHermite } from './gauss-hermite.ts';

const rule = gaussHermite(24);

/** E g(v + σz), z ~ N(0, I): the product rule, exact for polynomials of degree up to 47 in each coordinate. */
function gaussianMean(v: readonly number[], sigma: number, g: (z: number[]) => number): number {
  const at = (fixed: number[]): number => {
    if (fixed.length === v.length) return g(fixed);
    let sum = 0;
    for (let i = 0; i < rule.nodes.length; i++) {
      sum += rule.masses[i] * at([...fixed, v[fixed.length] + sigma * rule.nodes[i]]);
    }
    return sum;
  };
  return at([]);
}

const squared = (v: readonly number[]): number => v.reduce((sum, entry) => sum + entry * entry, 0);
const unit = (k: number): number[] => Array.from({ length: k + 1 }, (_, i) => (i === k ? 1 : 0));

const VECTORS: readonly number[][] = [[0.7], [0.6, -0.9], [0.3, -0.2, 0.8]];
const SIGMA = 0.7;

describe.each(VECTORS.map((v) => [v.length, v] as const))('in dimension %d', (dimension, v) => {
  const r = squared(v);
  const noise = { dimension, sigma: SIGMA };

  test.each([0, 1, 2, 3])('E[z·L(‖z‖²)] = v·‖v‖^2k for k = %d, and uncorrected powers are biased', (k) => {
    const corrected = radialGradientCorrection(unit(k), noise);
    const error = (polynomial: ArrayLike<number>): number =>
      Math.max(
        ...v.map((entry, i) =>
          Math.abs(gaussianMean(v, SIGMA, (z) => z[i] * evaluatePolynomial(polynomial, squared(z))) - entry * r ** k),
        ),
      );
    expect(error(corrected)).toBeLessThan(1e-11);
    // The control: without the correction, and with the operator of a value, ‖·‖^2k comes out wrong.
    if (k > 0) expect(Math.min(error(unit(k)), error(radialValueCorrection(unit(k), noise)))).toBeGreaterThan(1e-2);
  });

  test.each([0, 1, 2, 3])('E S(‖z‖²), corrected, is ‖v‖^2m for m = %d', (m) => {
    const corrected = radialValueCorrection(unit(m), noise);
    const mean = gaussianMean(v, SIGMA, (z) => evaluatePolynomial(corrected, squared(z)));
    expect(Math.abs(mean - r ** m)).toBeLessThan(1e-11);
  });

  test('the covariance of two corrected gradients and the variance of a value are those of quadrature', () => {
    const [left, right] = [
      [0.9, -0.5, 0.2],
      [0.3, 0.8],
    ];
    const [l, m] = [left, right].map((one) => radialGradientCorrection(one, noise));
    const second = gaussianMean(v, SIGMA, (z) => {
      const s = squared(z);
      return s * evaluatePolynomial(l, s) * evaluatePolynomial(m, s);
    });
    const mean = r * evaluatePolynomial(left, r) * evaluatePolynomial(right, r);
    expect(evaluatePolynomial(radialGradientCovariance(left, right, noise), r)).toBeCloseTo(second - mean, 10);
    const value = radialValueCorrection(left, noise);
    const square = gaussianMean(v, SIGMA, (z) => evaluatePolynomial(value, squared(z)) ** 2);
    const variance = evaluatePolynomial(radialValueVariance(left, noise), r);
    expect(variance).toBeCloseTo(square - evaluatePolynomial(left, r) ** 2, 10);
    expect(variance).toBeGreaterThan(0.1);
  });
});

test('Δ(v·r^k) = 2k(2k + p)·v·r^(k−1) and Δ(r^k) = 2k(2k + p − 2)·r^(k−1): the first order of the flow (by hand)', () => {
  for (const dimension of [1, 2, 5]) {
    for (const k of [1, 2, 3]) {
      for (const harmonic of [0, 1] as const) {
        const time = 1e-6;
        const flowed = heatFlow(unit(k), { dimension, harmonic, time });
        const expected = 2 * k * (2 * k + dimension + 2 * harmonic - 2);
        expect(flowed[k - 1] / time).toBeCloseTo(expected, 3);
        expect(flowed[k]).toBe(1);
      }
    }
  }
});

test('the flow and the flow back cancel, and flows add their times', () => {
  const start = [0.3, -1, 0.5, 0.25];
  const flow = { dimension: 3, harmonic: 1 } as const;
  const there = heatFlow(start, { ...flow, time: 0.4 });
  const back = heatFlow(there, { ...flow, time: -0.4 });
  const twice = heatFlow(heatFlow(start, { ...flow, time: 0.1 }), { ...flow, time: 0.3 });
  for (let k = 0; k < 4; k++) {
    expect(back[k]).toBeCloseTo(start[k], 11);
    expect(twice[k]).toBeCloseTo(there[k], 11);
  }
});

test('without noise nothing is corrected and nothing varies', () => {
  const noise = { dimension: 4, sigma: 0 };
  expect(Array.from(radialGradientCorrection([1, 2, 3], noise))).toEqual([1, 2, 3]);
  expect(radialGradientCovariance([1, 2], [3, 4], noise).every((entry) => entry === 0)).toBe(true);
});

test('what is no dimension, no time and no coefficient is refused by name', () => {
  expect(() => heatFlow([1], { dimension: 0, harmonic: 0, time: 1 })).toThrow(/^"dimension" expected /);
  expect(() => heatFlow([1], { dimension: 1, harmonic: 0, time: NaN })).toThrow(/^"time" expected /);
  expect(() => heatFlow([1, NaN], { dimension: 1, harmonic: 0, time: 1 })).toThrow(/^"coefficients\[1\]" expected /);
  expect(() => heatFlow([1], { dimension: 1, harmonic: 2 as 1, time: 1 })).toThrow('"harmonic" expected 0 or 1, got 2');
});

test('a noise that is no standard deviation is refused', () => {
  for (const sigma of [-1, Number.NaN, Infinity]) {
    expect(() => radialGradientCorrection([1, 2, 3], { dimension: 2, sigma })).toThrow(
      '"sigma" expected a finite number',
    );
  }
});
