// Theorem 10 of Wang, Smith, Xu 2020: the gradient estimate of one report is a stochastic oracle of Definition 7 for the
// smoothed risk: unbiased for P(t)·v, of a stated variance, with inexactness 2R·sup|P − f′|. For the paper's estimator and
// for the four of the toolkit.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { gradientVariance } from '../../protocols/generalized-linear/margin/channels.ts';
import type { CopiesParameters, GaussianParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import type { Decoder } from '../../protocols/generalized-linear/margin/query.ts';
import {
  chebyshevCoefficients,
  type HingeParameters,
  type HingeRequest,
  hinge,
  hingeParameters,
} from '../../protocols/hinge/index.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { fillNormal, fillSphere, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { smoothedHinge } from '../../src/risk/margin-loss.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { oracleQuality } from '../evidence/shared/oracle-quality.ts';
import { type GradientOf, gradientOf, type Measured, measure } from './one-report.ts';

const { abs, hypot, sqrt } = Math;

const record = { features: Float64Array.of(0.6, -0.5), label: -1 };
const w = Float64Array.of(-0.7, 0.4);
const inner = 0.7 * 0.6 + 0.4 * 0.5;
const DEGREES = [0, 1, 2, 3];
// A polynomial with all powers, none of them negligible.
const coefficientsOf = (degree: number): Float64Array => Float64Array.of(-0.8, 0.5, 0.4, -0.6).slice(0, degree + 1);
const target = (coefficients: Float64Array): Float64Array =>
  record.features.map((entry) => evaluatePolynomial(coefficients, inner) * record.label * entry);

/**
 * Requests under which a report's noise is of the order of the record (σ from 0.07 to 0.55 on every copy): the estimates are
 * products of up to eight normals, and where noise is larger their fourth moments, which the tests below estimate, are
 * beyond any sample.
 */
function requestOf(variant: HingeRequest['variant'], degree: number): HingeRequest {
  const [delta, dimension] = [1e-3, 2];
  if (variant === 'direct' || variant === 'lifted' || variant === 'sampled')
    return { variant, epsilon: 6, degree, dimension };
  const epsilon = { gaussian: 40, copies: [40, 60, 120, 240][degree], printed: [60, 60, 110, 220][degree] }[variant];
  return { variant, epsilon, delta, degree, dimension };
}

const decoders: readonly (readonly [HingeRequest['variant'], Decoder])[] = [
  ['printed', 'product'],
  ['copies', 'product'],
  ['copies', 'averaged'],
  ['copies', 'signs'],
  ['gaussian', 'gaussian'],
  ['lifted', 'lifted'],
  ['sampled', 'sampled'],
  ['direct', 'direct'],
];

const REPORTS = 40_000;

function run(parameters: HingeParameters, degree: number, gradient: GradientOf): Measured {
  const random = seededRandom(`theorem 10 ${parameters.variant} ${degree}`);
  return measure(parameters, record, { gradient, w, m: target(coefficientsOf(degree)) }, REPORTS, random);
}

/** ‖mean − P(t)v‖ in standard errors: √(V/n), V the stated variance. */
function bias(measured: Measured, degree: number, variance: number): number {
  const expected = target(coefficientsOf(degree));
  return hypot(...measured.mean.map((entry, i) => entry - expected[i])) / sqrt(variance / measured.reports);
}

/** How far the measured variance is from the stated one, in standard errors of the measurement. */
const excess = (measured: Measured, variance: number): number => (measured.variance - variance) / measured.error;

const varianceOf = (parameters: HingeParameters, decoder: Decoder, degree: number): number =>
  gradientVariance(parameters, decoder, { coefficients: coefficientsOf(degree), w, ...record });

describe.each(decoders)('reports of %s, decoded as %s', (variant, decoder) => {
  const cells: { readonly degree: number; readonly measured: Measured; readonly variance: number }[] = [];
  beforeAll(() => {
    for (const degree of DEGREES) {
      const parameters = hingeParameters(requestOf(variant, degree));
      const measured = run(parameters, degree, gradientOf(parameters, decoder, coefficientsOf(degree)));
      cells.push({ degree, measured, variance: varianceOf(parameters, decoder, degree) });
    }
  });

  test('are unbiased for P(t)·v and have the stated variance, for degrees 0 to 3', () => {
    expect(cells).toHaveLength(4);
    for (const { degree, measured, variance } of cells) {
      // The squared bias is a weighted sum of χ²₁ with weights that add up to 1, whose tail is at most that of one χ²₁:
      // beyond 25 with probability 6e-7. Thirty-two such tests: a false alarm in 1 of 52,000 seeds.
      expect(bias(measured, degree, variance)).toBeLessThan(5);
      // The sample variance is a mean of 40,000 squares and nearly normal; beyond 5 of its standard errors 6e-7, times 32.
      expect(abs(excess(measured, variance))).toBeLessThan(5);
      // The precision of the test: a standard error below 4 % of the variance.
      expect(measured.error / variance).toBeLessThan(0.04);
    }
  });

  test('control: a variance 25 % larger or smaller is rejected', () => {
    for (const { measured, variance } of cells) {
      expect(excess(measured, 1.25 * variance)).toBeLessThan(-5);
      expect(excess(measured, 0.75 * variance)).toBeGreaterThan(5);
    }
  });
});

describe('control: what a wrong decoder does', () => {
  test('corrected with a σ² that is 25 % off, the estimate is biased', () => {
    // Measured: 10 and 22 standard errors. (At degree 3 the errors of these coefficients happen to cancel.)
    for (const degree of [1, 2]) {
      const parameters = hingeParameters(requestOf('gaussian', degree)) as GaussianParameters;
      const wrong = { ...parameters, sigma: sqrt(1.25) * parameters.sigma };
      const measured = run(parameters, degree, gradientOf(wrong, 'gaussian', coefficientsOf(degree)));
      expect(bias(measured, degree, varianceOf(parameters, 'gaussian', degree))).toBeGreaterThan(5);
    }
  });

  test('with one copy shared by two factors, the product estimate is biased', () => {
    for (const variant of ['printed', 'copies'] as const) {
      for (const degree of [2, 3]) {
        const parameters = hingeParameters(requestOf(variant, degree)) as CopiesParameters;
        const decode = gradientOf(parameters, 'product', coefficientsOf(degree));
        const stride = parameters.dimension + 1;
        const shared: GradientOf = (values, at, result) => {
          // Copies 2 and 3 are the two factors of the monomial of degree 2.
          const one = values.slice();
          one.copyWithin(3 * stride, 2 * stride, 3 * stride);
          decode(one, at, result);
        };
        const measured = run(parameters, degree, shared);
        expect(bias(measured, degree, varianceOf(parameters, 'product', degree))).toBeGreaterThan(5);
      }
    }
  });

  test('with copy 0 used for a factor as well, the product estimate is biased', () => {
    const parameters = hingeParameters(requestOf('printed', 1)) as CopiesParameters;
    const decode = gradientOf(parameters, 'product', coefficientsOf(1));
    const reused: GradientOf = (values, at, result) => {
      const one = values.slice();
      one.copyWithin(3, 0, 3);
      decode(one, at, result);
    };
    expect(bias(run(parameters, 1, reused), 1, varianceOf(parameters, 'product', 1))).toBeGreaterThan(5);
  });
});

describe('how the variance grows as ε falls', () => {
  const setting = (degree: number) => ({ coefficients: coefficientsOf(degree), w, ...record });

  test('of the product estimate: as ε^{−4(d+1)}, the square of the theorem’s 1/ε^{2d+2}', () => {
    // Each of the d factors of the leading monomial has a noisy y and a noisy ⟨w, x⟩, and so has y₀x₀: 2(d + 1) normals of
    // deviation ∝ 1/ε, whose product has a variance ∝ ε^{−4(d+1)} once the noise is all there is.
    for (const degree of DEGREES) {
      const epsilons = [1e-4, 2e-4, 4e-4, 8e-4];
      const variances = epsilons.map((epsilon) =>
        gradientVariance(
          hingeParameters({ variant: 'printed', epsilon, delta: 1e-6, degree, dimension: 2 }),
          'product',
          setting(degree),
        ),
      );
      expect(abs(exactSlope(epsilons, variances) + 4 * (degree + 1))).toBeLessThan(1e-3);
    }
  });

  test('of one Gaussian copy: as σ^{2(d+1)}, half the exponent', () => {
    for (const degree of DEGREES) {
      const parameters = hingeParameters(requestOf('gaussian', degree)) as GaussianParameters;
      const sigmas = [1e3, 2e3, 4e3];
      const variances = sigmas.map((sigma) => gradientVariance({ ...parameters, sigma }, 'gaussian', setting(degree)));
      expect(abs(exactSlope(sigmas, variances) - 2 * (degree + 1))).toBeLessThan(1e-3);
    }
  });

  test('of the lifted report: as ε^{−2}, whatever the degree', () => {
    for (const degree of DEGREES) {
      const epsilons = [1e-3, 2e-3, 4e-3];
      const variances = epsilons.map((epsilon) =>
        gradientVariance(
          hingeParameters({ variant: 'lifted', epsilon, degree, dimension: 2 }),
          'lifted',
          setting(degree),
        ),
      );
      expect(abs(exactSlope(epsilons, variances) + 2)).toBeLessThan(1e-2);
    }
  });

  test('and with p: in proportion, the theorem’s √p in the deviation', () => {
    const at = (dimension: number): number => {
      const features = Float64Array.from({ length: dimension }, (_, i) => [0.6, -0.5][i] ?? 0);
      const point = Float64Array.from({ length: dimension }, (_, i) => [-0.7, 0.4][i] ?? 0);
      const made = hingeParameters({ variant: 'printed', epsilon: 1, delta: 1e-6, degree: 2, dimension });
      return gradientVariance(made, 'product', { coefficients: coefficientsOf(2), w: point, features, label: -1 });
    };
    expect(abs(at(2000) / at(1000) - 2)).toBeLessThan(0.01);
  });
});

describe('the oracle is one of Definition 7 for the smoothed risk', () => {
  const [beta, dimension] = [0.3, 2];
  const f = smoothedHinge({ beta });
  const random = seededRandom('definition 7');

  /** Records v = y·x, the first of norm 1. */
  const vectors = Array.from({ length: 5 }, (_, i) => {
    const v = new Float64Array(dimension);
    fillSphere(v, random);
    return v.map((entry) => (i === 0 ? 1 : uniform(random)) * entry);
  });

  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i], 0);

  /**
   * The least slack of 0 ≤ f(v) − f_γ(w) − ⟨g(w), v − w⟩ ≤ (L/2)‖v − w‖² + γ over many pairs of the ball, for f_γ(w) =
   * f(w) + ⟨e(w), w⟩ − γ/2, e the error of the mean answer g (see `inexactnessOfBias`).
   */
  function slack(records: readonly Float64Array[], degree: number, radius: number, share: number): number {
    const coefficients = chebyshevCoefficients(degree, beta, radius);
    const request: HingeRequest = { variant: 'lifted', epsilon: 1, degree, dimension };
    const quality = oracleQuality(hingeParameters(request), 'lifted', { beta, radius, w, ...record });
    const gamma = share * (quality.inexactness ?? 0);
    const mean = (value: (v: Float64Array) => number): number =>
      records.reduce((sum, v) => sum + value(v), 0) / records.length;
    const risk = (at: Float64Array): number => mean((v) => f.value(dot(at, v)));
    let least = Infinity;
    const normals = new Float64Array(dimension);
    const inBall = (k: number): Float64Array => {
      fillNormal(normals, random);
      // A third of the points on the sphere, a third along a record, where the error of P is largest.
      const norm = radius * (k % 3 === 0 ? 1 : uniform(random));
      const along = records[k % records.length];
      const direction = k % 3 === 1 ? along.map((entry) => (k % 2 === 0 ? 1 : -1) * entry) : normals.slice();
      const length = hypot(...direction);
      return direction.map((entry) => (norm * entry) / length);
    };
    for (let k = 0; k < 4000; k++) {
      const at = inBall(k);
      const to = k % 5 === 0 ? records[0].map((entry) => (k % 2 === 0 ? radius : -radius) * entry) : inBall(k * 7 + 1);
      const g = at.map((_, i) => mean((v) => evaluatePolynomial(coefficients, dot(at, v)) * v[i]));
      const e = at.map((_, i) => g[i] - mean((v) => f.derivative(dot(at, v)) * v[i]));
      const lower = risk(at) + dot(e, at) - gamma / 2;
      const step = to.map((entry, i) => entry - at[i]);
      const rest = risk(to) - lower - dot(g, step);
      least = Math.min(least, rest, (quality.smoothness / 2) * dot(step, step) + gamma - rest);
    }
    return least;
  }

  test('with the stated inexactness and smoothness, for random pairs, degrees 0 to 5, and R of 1 and 2', () => {
    for (const degree of [0, 1, 2, 3, 5]) {
      for (const radius of [1, 2]) {
        expect(slack(vectors, degree, radius, 1)).toBeGreaterThan(-1e-12);
        expect(slack(vectors.slice(0, 1), degree, radius, 1)).toBeGreaterThan(-1e-12);
      }
    }
  });

  test('control: with half of the inexactness it is not, and with 5 % less at degree 0, for one record of norm 1', () => {
    for (const degree of [1, 2, 3, 5]) expect(slack(vectors.slice(0, 1), degree, 1, 0.5)).toBeLessThan(-1e-3);
    expect(slack(vectors.slice(0, 1), 0, 1, 0.95)).toBeLessThan(-1e-3);
  });

  test('the smoothness is 1/(2β), half of the printed 1/β, and the deviation is the root of the variance', () => {
    const parameters = hingeParameters(requestOf('gaussian', 2));
    const quality = oracleQuality(parameters, 'gaussian', { beta, radius: 1, w, ...record });
    const coefficients = chebyshevCoefficients(2, beta, 1);
    expect(quality.smoothness).toBeCloseTo(1 / (2 * beta), 14);
    expect(quality.deviation ** 2).toBeCloseTo(
      gradientVariance(parameters, 'gaussian', { coefficients, w, ...record }),
      12,
    );
  });

  test('α/4 of error in P is α/2 of inexactness at R = 1, as printed', () => {
    const quality = oracleQuality(hingeParameters(requestOf('lifted', 3)), 'lifted', { beta, radius: 1, w, ...record });
    const coefficients = chebyshevCoefficients(3, beta, 1);
    let gap = 0;
    for (let i = 0; i <= 10_000; i++) {
      const t = i / 5000 - 1;
      gap = Math.max(gap, abs(evaluatePolynomial(coefficients, t) - f.derivative(t)));
    }
    expect(quality.inexactness).toBeCloseTo(2 * gap, 6);
  });
});

test('a decoder that does not fit the variant, and a setting of another size, are refused', () => {
  const parameters = hingeParameters(requestOf('gaussian', 1));
  const setting = { coefficients: [-0.5, 0.1], w, ...record };
  expect(() => gradientVariance(parameters, 'lifted', setting)).toThrow(
    '"decoder" expected one that fits variant gaussian, got "lifted"',
  );
  expect(() => gradientVariance(parameters, 'gaussian', { ...setting, coefficients: [1, 1, 1] })).toThrow(
    '"coefficients.length" expected ',
  );
  expect(() => gradientVariance(parameters, 'gaussian', { ...setting, w: [1] })).toThrow('"w.length" expected ');
  expect(() => gradientVariance(parameters, 'gaussian', { ...setting, features: [1] })).toThrow('"features.length" ');
  expect(hinge.name).toBe('hinge');
});
