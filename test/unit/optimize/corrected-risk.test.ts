import { describe, expect, test } from '@jest/globals';
import { minimizeBallQuadratic } from '../../../src/optimize/ball.ts';
import {
  type CorrectedMoments,
  type CorrectedRiskQuery,
  marginWeight,
  minimizeCorrectedRisk,
  projectSecondMoment,
} from '../../../src/optimize/corrected-risk.ts';
import { evaluatePolynomial, noiseAwareFit } from '../../../src/polynomial/fit.ts';
import { createLift, fillLift, momentMatrix } from '../../../src/polynomial/lift.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';
import { polynomialIntegral } from '../../evidence/hinge/polynomials.ts';

const { hypot, sqrt } = Math;
const loss = hingeLoss();

/** v = y·x of 100 players in the plane, spread around (0.5, −0.3). */
const vectors: readonly Float64Array[] = (() => {
  const random = seededRandom('corrected risk');
  return Array.from({ length: 100 }, () => {
    const v = Float64Array.of(0.5 + 0.25 * normal(random), -0.3 + 0.25 * normal(random));
    const norm = Math.max(1, hypot(...v));
    return v.map((entry) => entry / norm);
  });
})();

/** The exact moments of the vectors, as if reports had this variance on every coordinate of T_j, and with that noise. */
function momentsOf(degree: number, variance: number = 0, seed?: string): CorrectedMoments {
  const lift = createLift(2, degree + 1);
  const values = new Float64Array(lift.size);
  const one = new Float64Array(lift.size);
  for (const v of vectors) {
    fillLift(lift, lift.weight, v, one);
    for (let i = 0; i < lift.size; i++) values[i] += one[i] / vectors.length;
  }
  if (seed !== undefined) {
    const random = seededRandom(seed);
    for (let i = 0; i < lift.size; i++) values[i] += sqrt(variance) * normal(random);
  }
  return { lift, values, noise: new Float64Array(degree + 1).fill(variance), players: vectors.length };
}

const mean = (f: (t: number) => number, w: ArrayLike<number>): number =>
  vectors.reduce((sum, v) => sum + f(w[0] * v[0] + w[1] * v[1]), 0) / vectors.length;

/** The least value of a function on the disc of radius R, over a grid in polar coordinates. */
function leastOnDisc(f: (w: Float64Array) => number, radius: number): number {
  let least = Infinity;
  for (let i = 0; i <= 100; i++) {
    for (let k = 0; k < 360; k++) {
      const [r, angle] = [(radius * i) / 100, (k * Math.PI) / 180];
      least = Math.min(least, f(Float64Array.of(r * Math.cos(angle), r * Math.sin(angle))));
    }
  }
  return least;
}

const minimize = (moments: CorrectedMoments, query: Omit<CorrectedRiskQuery, 'loss'> = {}) =>
  minimizeCorrectedRisk(moments, { ...query, loss });

describe('at given coefficients', () => {
  test('of degree 1 the model is the minimiser of the quadratic, its matrix projected and ridged', () => {
    const moments = momentsOf(1, 0.01, 'quadratic');
    const raw = momentMatrix(moments.lift, moments.values);
    for (const [slope, radius, ridge, semidefinite] of [
      [0.6, 1, 0, true],
      [0.6, 2, 0.3, true],
      [0.6, 5, 0.3, false],
      [-0.6, 1, 0.3, true],
    ] as const) {
      const matrix = semidefinite ? projectSecondMoment(raw, 2) : raw;
      const quadratic = matrix.map((entry, i) => slope * entry + (i % 3 === 0 ? Math.abs(slope) * ridge : 0));
      const linear = moments.values.slice(0, 2).map((entry) => -0.7 * entry);
      const { point } = minimizeBallQuadratic(linear, quadratic, radius);
      const { w } = minimize(moments, { coefficients: [-0.7, slope], radius, ridge, semidefinite });
      expect(Array.from(w)).toEqual(Array.from(point));
    }
  });

  test('a highest coefficient of 0 changes nothing, whatever the sign of the slope', () => {
    const moments = momentsOf(2, 0.01, 'zero');
    for (const slope of [0.6, -0.6]) {
      for (const ridge of [0, 0.4, 3]) {
        const [two, three] = [
          [-0.7, slope],
          [-0.7, slope, 0],
        ].map((coefficients) => minimize(moments, { coefficients, ridge, radius: 2 }).w);
        expect(Math.max(...two.map((entry, i) => Math.abs(entry - three[i])))).toBeLessThan(1e-6);
      }
    }
  });

  test.each([[[-0.7]], [[-0.7, 0.6]], [[-0.8, 0.5, 0.3]], [[-0.8, 0.5, 0.4, -0.5]], [[-0.5, -0.4, 0.2]]])(
    '%p and exact moments the model is the best of the disc (brute force)',
    (coefficients) => {
      const moments = momentsOf(3);
      const surrogate = polynomialIntegral(coefficients);
      for (const radius of [0.7, 2]) {
        const { w, riskAt } = minimize(moments, { coefficients, radius });
        const value = (at: Float64Array): number => mean((t) => evaluatePolynomial(surrogate, t), at);
        expect(hypot(...w)).toBeLessThanOrEqual(radius * (1 + 1e-12));
        expect(value(w)).toBeLessThan(leastOnDisc(value, radius) + 1e-6);
        expect(Math.abs(riskAt(w) - 0.5 - value(w))).toBeLessThan(1e-12);
      }
    },
  );

  test('the bias is sup |P − f′| on [−R, R]', () => {
    // By hand: P = −0.5 + 0.5t against −1 below ½ and 0 above.
    const { bias } = minimize(momentsOf(1), { coefficients: [-0.5, 0.5], radius: 2 });
    // Largest just below the kink, |−0.25 + 1| = 0.75; 0.5 at the right end, 0.5 at the left.
    expect(bias).toBeGreaterThan(0.749);
    expect(bias).toBeLessThanOrEqual(0.75);
  });
});

describe('without noise', () => {
  const degrees = [0, 1, 2, 3];
  const best = leastOnDisc((w) => mean(loss.value, w), 1);

  test.each(degrees)('the model of degree %i is near the best under the hinge loss itself', (degree) => {
    const { w } = minimize(momentsOf(degree));
    // The best is .0504, the zero vector has .5.
    expect(mean(loss.value, w) - best).toBeLessThan(0.001);
  });

  test('the reconstructed risk at any point is the mean of the surrogate', () => {
    const { coefficients, riskAt } = minimize(momentsOf(3));
    const surrogate = polynomialIntegral(coefficients);
    let worst = 0;
    for (const w of [
      [0, 0],
      [0.3, 0.4],
      [-1, 0.2],
    ]) {
      worst = Math.max(worst, Math.abs(riskAt(w) - 0.5 - mean((t) => evaluatePolynomial(surrogate, t), w)));
    }
    expect(worst).toBeLessThan(1e-12);
    expect(riskAt([0, 0])).toBe(0.5);
  });

  test.each([1, 2, 3])('the polynomial of degree %i is the fit where the margins at the model are', (degree) => {
    const radius = 2;
    const { w, coefficients } = minimize(momentsOf(degree), { degree, radius });
    const first = mean((t) => t, w);
    const deviation = sqrt(mean((t) => t * t, w) - first ** 2);
    const norms = vectors.reduce((sum, v) => sum + v[0] ** 2 + v[1] ** 2, 0) / vectors.length;
    const weight = marginWeight({
      radius,
      mean: first,
      deviation,
      isotropic: radius * sqrt(norms / 2),
      kinks: loss.kinks,
    });
    const fit = noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, weight });
    // Eight half steps bring fit and minimiser together to within 2⁻⁸ of where they began.
    const apart = Math.max(...fit.coefficients.map((c, k) => Math.abs(c - coefficients[k])));
    expect(apart).toBeLessThan(2e-3);
  });

  test('no ridge is needed, and a small noise brings one in proportion to its root', () => {
    expect(minimize(momentsOf(1)).ridge).toBe(0);
    const [one, four] = [0.01, 0.04].map((variance) => minimize(momentsOf(1, variance)).ridge);
    expect(one).toBeGreaterThan(0);
    expect(four / one).toBeCloseTo(2, 12);
  });
});

describe('the degree', () => {
  test.each([0, 1, 2, 3])('is never above what moments of degree %i can serve', (most) => {
    for (const variance of [0, 1e-4, 1]) {
      expect(minimize(momentsOf(most, variance, 'degree')).degree).toBeLessThanOrEqual(most);
    }
    expect(() => minimize(momentsOf(most), { degree: most + 1 })).toThrow(
      `"degree" expected a whole number from 0 to ${most}`,
    );
    expect(() => minimize(momentsOf(most), { coefficients: new Array(most + 2).fill(0.1) })).toThrow(
      '"coefficients.length" expected ',
    );
  });

  test('asked for is the degree used', () => {
    for (const degree of [0, 1, 2, 3]) {
      const { degree: used, coefficients } = minimize(momentsOf(3, 0.01, 'asked'), { degree });
      expect([used, coefficients.length]).toEqual([degree, degree + 1]);
    }
  });

  test('chosen is higher where noise is small, and falls back to 1 as it grows', () => {
    expect(minimize(momentsOf(3)).degree).toBeGreaterThan(1);
    expect(minimize(momentsOf(3, 1)).degree).toBe(1);
  });
});

describe('noise', () => {
  test('makes the fit hold back: the slope of the polynomial falls to 0 as the noise grows', () => {
    const slopes = [0, 1e-2, 1, 100].map((variance) => minimize(momentsOf(1, variance), { degree: 1 }).coefficients[1]);
    for (let i = 1; i < slopes.length; i++) expect(slopes[i]).toBeLessThan(slopes[i - 1]);
    expect(Math.abs(slopes[3])).toBeLessThan(0.01);
  });

  test('of any size gives a model in the ball, whose risk is a number', () => {
    for (const variance of [1e-6, 1, 1e6, 1e12]) {
      for (const degree of [0, 1, 2, 3]) {
        const { w, riskAt } = minimize(momentsOf(degree, variance, `size ${variance}`), { radius: 2 });
        expect(hypot(...w)).toBeLessThanOrEqual(2 * (1 + 1e-12));
        expect(Number.isFinite(riskAt(w))).toBe(true);
      }
    }
  });
});

describe('what is refused', () => {
  const moments = momentsOf(1);

  test.each([
    ['radius', { radius: 0 }],
    ['radius', { radius: '1' }],
    ['degree', { degree: -1 }],
    ['degree', { degree: 'best' }],
    ['ridge', { ridge: -1 }],
    ['ridge', { ridge: NaN }],
    ['coefficients[0]', { coefficients: [NaN] }],
    ['coefficients[1]', { coefficients: [1, '2'] }],
    ['coefficients.length', { coefficients: [] }],
  ])('a wrong %s: %p', (field, query) => {
    expect(() => minimize(moments, query as object)).toThrow(`"${field}" expected `);
  });

  test('a point of another length', () => {
    expect(() => minimize(moments).riskAt([1, 2, 3])).toThrow('"w" expected 2 numbers, got 3');
  });
});
