// Theorem 17 of Wang, Smith, Xu 2020: the gradient estimate of one report is a stochastic oracle for the smoothed Euclidean
// median risk (algorithm 3 corrected, and the reports of the toolkit), and the excess risk falls with the players. As printed the
// oracle's mean is 0: test/errata/algorithm-3.test.ts.
import { describe, expect, test } from '@jest/globals';
import {
  euclideanMedian,
  euclideanMedianParameters,
  gradientVariance,
  integrateDirections,
  productSecondMoment,
  stepCoefficients,
} from '../../protocols/euclidean-median/index.ts';
import type { EuclideanMedianRequest } from '../../protocols/euclidean-median/parameters.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { sphereConstant } from '../../src/risk/convex-mixture.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { alongDirections, integrated } from '../evidence/euclidean-median/validations/oracle-reports.ts';
import { directionQuality } from '../evidence/shared/oracle-quality.ts';
import { measureGradients } from './median-reports.ts';

const { hypot, sqrt, cos, sin, PI } = Math;
const point = Float64Array.of(0.6, -0.5);
const w = Float64Array.of(-0.2, 0.4);
const r = 0.8 ** 2 + 0.9 ** 2;
const Q = Float64Array.of(1.1, -0.4, 0.1);
const REPORTS = 40_000;

// ε so large that the noise is of the order of a point: fourth moments of products of larger noise are beyond any sample.
const requests: readonly EuclideanMedianRequest[] = [
  { variant: 'lifted', epsilon: 6, degree: 2, dimension: 2 },
  { variant: 'gaussian', epsilon: 60, delta: 1e-3, degree: 2, dimension: 2 },
  { variant: 'copies', epsilon: 60, delta: 1e-3, degree: 2, dimension: 2 },
];

describe.each(requests)('reports of $variant, u integrated out', (request) => {
  const parameters = euclideanMedianParameters(request);
  test('are unbiased for Q(r)(w − x) and have the stated variance, for degrees 0 to 2', () => {
    for (const degree of [0, 1, 2]) {
      const coefficients = Q.slice(0, degree + 1);
      const factor = evaluatePolynomial(coefficients, r);
      const centre = w.map((entry, i) => factor * (entry - point[i]));
      const gradient = integrated(parameters, coefficients, w);
      const random = seededRandom(`theorem 17 ${request.variant} ${degree}`);
      const measured = measureGradients(parameters, point, gradient, centre, REPORTS, random);
      const variance = gradientVariance(parameters, { coefficients, w, point });
      // A mean beyond 5 standard errors, a variance beyond 5 of its own: below 1e-6 each, as for a normal.
      const bias = hypot(...measured.mean.map((entry, i) => entry - centre[i])) / sqrt(variance / REPORTS);
      expect(bias).toBeLessThan(5);
      expect(Math.abs(measured.variance - variance) / measured.error).toBeLessThan(5);
      // The controls: a variance 15 % off would be noticed, and so would a mean 10 % off.
      expect(Math.abs(measured.variance - 1.15 * variance) / measured.error).toBeGreaterThan(5);
      const off = hypot(...measured.mean.map((entry, i) => entry - 1.1 * centre[i])) / sqrt(variance / REPORTS);
      expect(off).toBeGreaterThan(5);
    }
  });
});

/** E over the circle of C·u(P(⟨u, w − x⟩/2) − ½): what the oracle of algorithm 3 is unbiased for. */
function smoothedGradient(coefficients: Float64Array): Float64Array {
  const mean = new Float64Array(2);
  const steps = 400;
  for (let i = 0; i < steps; i++) {
    const u = [cos((2 * PI * i) / steps), sin((2 * PI * i) / steps)];
    const t = (u[0] * (w[0] - point[0]) + u[1] * (w[1] - point[1])) / 2;
    const factor = (sphereConstant(2) * (evaluatePolynomial(coefficients, t) - 0.5)) / steps;
    mean[0] += factor * u[0];
    mean[1] += factor * u[1];
  }
  return mean;
}

describe('algorithm 3 with one u per gradient', () => {
  const parameters = euclideanMedianParameters({
    variant: 'copies',
    epsilon: 60,
    delta: 1e-3,
    degree: 3,
    dimension: 2,
  });
  if (parameters.variant !== 'copies') throw new Error('copies');

  test('is unbiased for the gradient of the smoothed risk and has the stated second moment', () => {
    const coefficients = stepCoefficients(3, 0.3);
    const centre = smoothedGradient(coefficients);
    const gradient = alongDirections(parameters, coefficients, w, seededRandom('u'));
    const random = seededRandom('theorem 17 directions');
    const measured = measureGradients(parameters, point, gradient, [0, 0], REPORTS, random);
    const second = productSecondMoment(parameters, coefficients, r);
    expect(hypot(...measured.mean.map((entry, i) => entry - centre[i])) / sqrt(second / REPORTS)).toBeLessThan(5);
    expect(hypot(...measured.mean.map((entry, i) => entry - 1.1 * centre[i])) / sqrt(second / REPORTS)).toBeGreaterThan(
      4,
    );
    expect(Math.abs(measured.variance - second) / measured.error).toBeLessThan(5);
    expect(Math.abs(measured.variance - 1.15 * second) / measured.error).toBeGreaterThan(5);
  });

  test('has that gradient near (w − x)/(2‖w − x‖), within C·sup|P − h′| and the smoothing', () => {
    for (const degree of [3, 5, 7]) {
      const beta = 0.3;
      const coefficients = stepCoefficients(degree, beta);
      const gap = smoothedGradient(coefficients).map((entry, i) => entry - (w[i] - point[i]) / (2 * sqrt(r)));
      let sup = 0;
      for (let i = -1000; i <= 1000; i++) {
        const t = i / 1000;
        sup = Math.max(sup, Math.abs(evaluatePolynomial(coefficients, t) - (1 + Math.sign(t)) / 2));
      }
      expect(hypot(...gap)).toBeLessThan(sphereConstant(2) * sup);
    }
  });

  test('is Q(r)(w − x) with u integrated out, for every degree', () => {
    for (const degree of [0, 1, 2, 3, 5, 7]) {
      const coefficients = Float64Array.from({ length: degree + 1 }, (_, j) => Math.cos(3 * j + 1));
      const factor = evaluatePolynomial(integrateDirections(coefficients, 2), r);
      const gap = smoothedGradient(coefficients).map((entry, i) => entry - factor * (w[i] - point[i]));
      expect(hypot(...gap)).toBeLessThan(1e-12);
    }
  });

  test('is the oracle of the proof: inexactness and smoothness with their constants (by hand)', () => {
    const { inexactness, smoothness, deviation } = directionQuality(parameters, 0.3);
    expect(smoothness).toBeCloseTo(PI / 2 / (4 * 0.3), 12);
    expect(deviation).toBeCloseTo(sqrt(productSecondMoment(parameters, stepCoefficients(3, 0.3), 4)), 12);
    expect(inexactness).toBeGreaterThan(0.1);
  });
});

test('theorem 17, privacy: the copies as printed are (ε, δ)-private for ε ≤ 1, those of the toolkit for every ε', () => {
  const within = (request: EuclideanMedianRequest): boolean =>
    euclideanMedian.theory
      .certificate(euclideanMedianParameters(request))
      .totals.some(({ withinClaim }) => withinClaim === true);
  const wrong: string[] = [];
  for (const degree of [1, 2, 4]) {
    for (const epsilon of [0.01, 0.3, 1]) {
      if (!within({ variant: 'printed', epsilon, delta: 1e-6, degree, dimension: 3 })) wrong.push(`printed ${epsilon}`);
    }
    for (const epsilon of [0.01, 1, 8, 64]) {
      if (!within({ variant: 'copies', epsilon, delta: 1e-6, degree, dimension: 3 })) wrong.push(`copies ${epsilon}`);
      if (!within({ variant: 'gaussian', epsilon, delta: 1e-6, degree, dimension: 3 }))
        wrong.push(`gaussian ${epsilon}`);
      if (!within({ variant: 'lifted', epsilon, degree, dimension: 3 })) wrong.push(`lifted ${epsilon}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('theorem 17, excess risk: of lifted reports it falls like 1/n where noise dominates', () => {
  // A symmetric cloud, so that the polynomial leaves no systematic error: the median is the centre.
  const centre = [0.3, -0.2];
  const population = (players: number) => ({
    players,
    datum: (i: number) => {
      const angle = i * 2.399963229728653;
      const radius = 0.1 + 0.3 * ((i * Math.SQRT2) % 1);
      return { point: Float64Array.of(centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)) };
    },
  });
  const excess = (players: number, repetitions: number): number => {
    let sum = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const parameters = euclideanMedianParameters({ variant: 'lifted', epsilon: 4, degree: 1, dimension: 2 });
      const seed = `slope ${players} ${repetition}`;
      const tally = simulate(euclideanMedian, parameters, population(players), { seed });
      const estimate = euclideanMedian.server.estimate(parameters, tally, { coefficients: [2, -1] });
      // Excess risk at a distance d of the centre: E‖w − x‖/2 grows by d²/8·E(1/ρ) to second order.
      sum += ((estimate.w[0] - centre[0]) ** 2 + (estimate.w[1] - centre[1]) ** 2) / repetitions;
    }
    return sum;
  };
  const [small, large] = [excess(2000, 24), excess(32_000, 12)];
  // The ratio of two mean squares with 48 and 24 degrees of freedom is within a factor 3.6 but for 1 in 10⁴; it is 16 for a
  // slope −1, 4 for a slope −½ and 64 for a slope −3/2.
  expect(small / large).toBeGreaterThan(16 / 3.6);
  expect(small / large).toBeLessThan(16 * 3.6);
});
