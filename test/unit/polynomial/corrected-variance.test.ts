import { describe, expect, test } from '@jest/globals';
import { evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import {
  type CorrectedSetting,
  correctedGradient,
  correctedGradientSecondMoment,
  correctedMonomials,
  correctedValueVariance,
} from '../../../src/polynomial/heat.ts';
import { visitGaussian } from './gauss-hermite.ts';

const { hypot, sqrt } = Math;

interface Example {
  readonly x: readonly number[];
  readonly y: number;
  readonly w: readonly number[];
  readonly sigma: number;
  readonly labelSigma: number;
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);

const settingOf = ({ x, y, w, sigma, labelSigma }: Example): CorrectedSetting => ({
  inner: dot(w, x),
  label: y,
  norm: hypot(...w),
  recordNorm: hypot(...x),
  dimension: x.length,
  sigma,
  labelSigma,
});

/** E‖G‖² and E G over a tensor Gauss–Hermite rule that is exact for the polynomial G: no formula of the file is used. */
function byQuadrature(coefficients: readonly number[], { x, y, w, sigma, labelSigma }: Example) {
  const p = x.length;
  const size = coefficients.length;
  const z = new Float64Array(p);
  const part = new Float64Array(p);
  const labels = new Float64Array(size + 1);
  const mean = new Float64Array(p);
  let second = 0;
  // G has degree d + 1 in every coordinate, its square 2d + 2: d + 2 nodes.
  visitGaussian(p + 1, size + 1, (g, mass) => {
    for (let i = 0; i < p; i++) z[i] = x[i] + sigma * g[i];
    correctedMonomials(y + labelSigma * g[p], labelSigma, labels);
    const gradient = new Float64Array(p);
    for (let k = 0; k < size; k++) {
      const monomial = Float64Array.from({ length: k + 1 }, (_, m) => (m === k ? coefficients[k] : 0));
      correctedGradient(monomial, w, z, sigma, part);
      for (let i = 0; i < p; i++) gradient[i] += labels[k + 1] * part[i];
    }
    for (let i = 0; i < p; i++) {
      mean[i] += mass * gradient[i];
      second += mass * gradient[i] ** 2;
    }
  });
  return { second, mean };
}

const examples: readonly Example[] = [
  { x: [0.6, -0.3], y: -1, w: [0.5, 0.7], sigma: 0.8, labelSigma: 0.9 },
  { x: [0.6, -0.3], y: 0.4, w: [0.5, 0.7], sigma: 1.7, labelSigma: 0 },
  { x: [0.1, 0.2, -0.5], y: 1, w: [-0.5, 0.7, 1.4], sigma: 0.3, labelSigma: 2 },
  { x: [-0.9], y: 1, w: [0.8], sigma: 0.7, labelSigma: 0.2 },
  { x: [0.6, -0.3], y: 1, w: [0, 0], sigma: 0.8, labelSigma: 0.9 },
  { x: [0, 0], y: 1, w: [0.6, 0.8], sigma: 0.8, labelSigma: 0.9 },
  { x: [0.6, -0.3], y: 1, w: [0.6, 0.8], sigma: 0, labelSigma: 0 },
];
const polynomials = [[-0.7], [-0.7, 0.4], [-0.8, 0.5, 0.3], [-0.8, 0.5, 0.3, -0.2]];

describe('the second moment of a corrected gradient', () => {
  test.each(examples)('is that of exact quadrature at %j', (example) => {
    for (const coefficients of polynomials) {
      const { second } = byQuadrature(coefficients, example);
      const claimed = correctedGradientSecondMoment(coefficients, settingOf(example));
      expect(Math.abs(claimed - second)).toBeLessThan(1e-11 * Math.max(1, second));
    }
  });

  test('is taken about an unbiased estimate: E G = P(y⟨w, x⟩)·y·x', () => {
    let worst = 0;
    for (const example of examples) {
      for (const coefficients of polynomials) {
        const { mean } = byQuadrature(coefficients, example);
        const factor = evaluatePolynomial(coefficients, example.y * dot(example.w, example.x)) * example.y;
        example.x.forEach((entry, i) => {
          worst = Math.max(worst, Math.abs(mean[i] - factor * entry));
        });
      }
    }
    expect(worst).toBeLessThan(1e-11);
  });

  test('control: another σ is rejected, by 5 % of it', () => {
    const [example] = examples;
    const { second } = byQuadrature([-0.7, 0.4], example);
    const other = correctedGradientSecondMoment([-0.7, 0.4], settingOf({ ...example, sigma: 1.05 * example.sigma }));
    expect(Math.abs(other - second)).toBeGreaterThan(0.05 * second);
  });
});

describe('the variance of a corrected value', () => {
  /** Mean over players of the variance of Σ q_j·H_j(y)·H_j(⟨w, x⟩), j from 1, by exact quadrature. */
  function valueByQuadrature(q: readonly number[], players: readonly Example[]): number {
    let total = 0;
    for (const { x, y, w, sigma, labelSigma } of players) {
      const s = sigma * hypot(...w);
      const powers = new Float64Array(q.length + 1);
      const labels = new Float64Array(q.length + 1);
      let mean = 0;
      let second = 0;
      visitGaussian(2, q.length + 1, (g, mass) => {
        correctedMonomials(dot(w, x) + s * g[0], s, powers);
        correctedMonomials(y + labelSigma * g[1], labelSigma, labels);
        const value = q.reduce((sum, c, j) => sum + c * powers[j + 1] * labels[j + 1], 0);
        mean += mass * value;
        second += mass * value * value;
      });
      total += (second - mean * mean) / players.length;
    }
    return total;
  }

  const players = (sigma: number, labelSigma: number): Example[] =>
    [
      [0.6, -0.3, 1],
      [0.1, 0.9, -1],
      [-0.5, 0.5, -1],
      [0, 0, 1],
    ].map(([a, b, y]) => ({ x: [a, b], y, w: [0.5, 0.7], sigma, labelSigma }));

  const marginsOf = (some: readonly Example[], highest: number): number[] =>
    Array.from(
      { length: highest + 1 },
      (_, m) => some.reduce((sum, { x, y, w }) => sum + (y * dot(w, x)) ** m, 0) / some.length,
    );

  test.each([
    [0.8, 0],
    [0.8, 0.9],
    [3, 0.2],
    [0, 0.9],
  ])('is that of exact quadrature for σ = %p on x and %p on y', (sigma, labelSigma) => {
    const some = players(sigma, labelSigma);
    const norm = hypot(0.5, 0.7);
    for (const q of [[-0.7], [-0.7, 0.2], [-0.8, 0.25, 0.1], [-0.8, 0.25, 0.1, -0.05]]) {
      const expected = valueByQuadrature(q, some);
      const claimed = correctedValueVariance(q, { margins: marginsOf(some, 2 * q.length), norm, sigma, labelSigma });
      expect(Math.abs(claimed - expected)).toBeLessThan(1e-11 * Math.max(1, expected));
    }
  });

  test('needs no power beyond 2J − 2 where y is not noisy', () => {
    const some = players(0.8, 0);
    const q = [-0.7, 0.2, 0.1];
    const rest = { norm: 0.9, sigma: 0.8, labelSigma: 0 };
    const short = marginsOf(some, 4);
    expect(correctedValueVariance(q, { margins: short, ...rest })).toBe(
      correctedValueVariance(q, { margins: [...short, NaN, NaN], ...rest }),
    );
    expect(correctedValueVariance(q, { margins: short, ...rest })).toBeGreaterThan(0);
  });

  test('of one power is the variance of a product of two normals: (1 + σ_y²)(t² + s²) − t², by hand', () => {
    const variance = correctedValueVariance([1], { margins: [1, 0.3, 0.09], norm: 2, sigma: 0.5, labelSigma: 0.7 });
    expect(variance).toBeCloseTo(1.49 * (0.09 + 1) - 0.09, 14);
    expect(sqrt(variance)).toBeGreaterThan(1);
  });
});
