// Theorem 17 of Wang, Smith, Xu 2020: the gradient estimate of one report is a stochastic oracle for the smoothed Euclidean
// median risk (algorithm 3 corrected, and the reports of the toolkit; as printed its mean is 0), and the excess risk falls with the
// players: the validations euclidean-median-theorem-17-oracle and -rate.
import { describe, expect, test } from '@jest/globals';
import {
  euclideanMedian,
  euclideanMedianParameters,
  integrateDirections,
  productSecondMoment,
  stepCoefficients,
} from '../../protocols/euclidean-median/index.ts';
import type { EuclideanMedianRequest } from '../../protocols/euclidean-median/parameters.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { sphereConstant } from '../../src/risk/convex-mixture.ts';
import { DEVIATIONS } from '../../src/testing/claim.ts';
import { oracle } from '../evidence/euclidean-median/validations/oracle.ts';
import {
  meanOf,
  type OracleChunk,
  type OracleSetting,
  stated,
} from '../evidence/euclidean-median/validations/oracle-reports.ts';
import { rate } from '../evidence/euclidean-median/validations/rate.ts';
import { measuredSums } from '../evidence/experiment/statistics.ts';
import { directionQuality } from '../evidence/shared/oracle-quality.ts';
import { expectExcessControls, failing, SEED } from '../validations/claims.ts';
import { runQuick, tampered } from '../validations/run.ts';

const { abs, hypot, max, sqrt, cos, sin, PI } = Math;
const point = Float64Array.of(0.6, -0.5);
const w = Float64Array.of(-0.2, 0.4);
const r = 0.8 ** 2 + 0.9 ** 2;

test('gradient estimates have the claimed mean and variance, as printed the mean 0, and the excess risk falls like its closed form', () => {
  for (const validation of [oracle, rate]) expect(failing(runQuick(validation, SEED))).toEqual([]);
});

test('control: a mean or a variance that is a fifth off is rejected for every kind and degree, and so is an excess risk', () => {
  const missed: string[] = [];
  tampered(oracle, SEED, (chunk, setting, key) => {
    const [{ squared, squares }, of] = [chunk as unknown as OracleChunk, setting as unknown as OracleSetting];
    const exact = stated(of);
    // Twice the tolerance, so that chance does not hide it.
    const fifth = 0.2 * hypot(...meanOf(of));
    if (of.kind !== 'printed' && fifth <= 2 * DEVIATIONS * sqrt(exact / of.reports)) missed.push(`${key}: mean`);
    const { mean, error } = measuredSums(of.reports, squared, squares);
    for (const factor of [0.8, 1.2]) {
      if (abs(mean - factor * exact) <= DEVIATIONS * error + 0.02 * factor * exact) missed.push(`${key}: variance`);
    }
    return chunk;
  });
  expect(missed).toEqual([]);
  expectExcessControls(rate);
});

/** E over the circle of C·u(f(⟨u, w − x⟩/2) − ½): what the oracle of algorithm 3 is unbiased for, f being its polynomial. */
function smoothedGradient(f: (t: number) => number): Float64Array {
  const mean = new Float64Array(2);
  const steps = 4000;
  for (let i = 0; i < steps; i++) {
    const angle = (2 * PI * (i + 0.5)) / steps;
    const u = [cos(angle), sin(angle)];
    const t = (u[0] * (w[0] - point[0]) + u[1] * (w[1] - point[1])) / 2;
    const factor = (sphereConstant(2) * (f(t) - 0.5)) / steps;
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

  test('has a gradient within sup|P − h′_β| of that of h′_β, which is (w − x)/(2‖w − x‖) as β falls', () => {
    const exact = (beta: number) => (t: number) => (1 + t / hypot(t, beta)) / 2;
    const limit = smoothedGradient(exact(0.003));
    const unit = w.map((entry, i) => (entry - point[i]) / sqrt(r));
    expect(hypot(...limit.map((entry, i) => entry - unit[i] / 2))).toBeLessThan(1e-4);
    const shares: number[] = [];
    for (const beta of [0.3, 0.1]) {
      const smoothed = smoothedGradient(exact(beta));
      for (const degree of [1, 3, 5, 7]) {
        const polynomial = (t: number) => evaluatePolynomial(stepCoefficients(degree, beta), t);
        const gap = hypot(...smoothedGradient(polynomial).map((entry, i) => entry - smoothed[i]));
        let sup = 0;
        for (let i = -1000; i <= 1000; i++) sup = max(sup, abs(polynomial(i / 1000) - exact(beta)(i / 1000)));
        shares.push(gap / sup);
      }
    }
    // C·E|⟨u, e⟩| = 1 for a unit vector e, so that the sup is a bound. A straight line comes near to it.
    expect(max(...shares)).toBeLessThan(1);
    expect(max(...shares)).toBeGreaterThan(0.7);
  });

  test('is Q(r)(w − x) with u integrated out, for every degree', () => {
    for (const degree of [0, 1, 2, 3, 5, 7]) {
      const coefficients = Float64Array.from({ length: degree + 1 }, (_, j) => Math.cos(3 * j + 1));
      const factor = evaluatePolynomial(integrateDirections(coefficients, 2), r);
      const smoothed = smoothedGradient((t) => evaluatePolynomial(coefficients, t));
      const gap = smoothed.map((entry, i) => entry - factor * (w[i] - point[i]));
      expect(hypot(...gap)).toBeLessThan(1e-12);
    }
  });

  test('is the oracle of the proof: smoothness and deviation with their constants (by hand)', () => {
    const { smoothness, deviation } = directionQuality(parameters, 0.3);
    expect(smoothness).toBeCloseTo(PI / 2 / (4 * 0.3), 12);
    expect(deviation).toBeCloseTo(sqrt(productSecondMoment(parameters, stepCoefficients(3, 0.3), 4)), 12);
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
