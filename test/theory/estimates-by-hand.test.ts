// Wang, Smith, Xu 2020: slopes at the ends of an interval, the quality of oracles and the error of the polynomials in use, each found
// again from its definition.
import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, copies as medianCopies, stepCoefficients } from '../../protocols/euclidean-median/index.ts';
import { minimizeCorrectedRegression } from '../../protocols/generalized-linear/server.ts';
import { createLift, fillLift } from '../../src/polynomial/lift.ts';
import { constantsOn, type MarginLoss, slopeInside } from '../../src/risk/margin-loss.ts';
import { lossByName } from '../../src/risk/named-loss.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { directionQuality } from '../evidence/shared/oracle-quality.ts';

const { abs, hypot, max } = Math;

const horner = (coefficients: ArrayLike<number>, t: number): number =>
  Array.from(coefficients).reduceRight((sum, c) => sum * t + c, 0);

/** sup |P − f| on a grid of [−T, T] so fine that between its points a smooth function rises by less than 1e-9 of itself. */
function furthest(f: (t: number) => number, radius: number): number {
  let largest = 0;
  for (let i = -100_000; i <= 100_000; i++) largest = max(largest, abs(f((i / 100_000) * radius)));
  return largest;
}

describe('assumption 1: an interval sees the inner side of a kink at its end', () => {
  /** Slopes −5, .5 and 5, with kinks at ∓R. */
  const bent = (kink: number): MarginLoss => ({
    name: 'bent',
    value: (t) => (t < -kink ? -5 * (t + kink) - kink / 2 : t < kink ? t / 2 : 5 * (t - kink) + kink / 2),
    derivative: (t) => (t < -kink ? -5 : t < kink ? 0.5 : 5),
    secondDerivative: () => 0,
    lipschitz: 5,
    smoothness: Infinity,
    kinks: [-kink, kink],
  });

  test.each([0.25, 1, 1024, 1e9])('R = %p', (radius) => {
    const loss = bent(radius);
    expect(constantsOn(loss, radius).lipschitz).toBe(0.5);
    expect([slopeInside(loss, -radius), slopeInside(loss, radius)]).toEqual([0.5, 0.5]);
    // Control: an interval a little longer has the kinks inside.
    expect(constantsOn(loss, 1.001 * radius)).toEqual({ lipschitz: 5, smoothness: Infinity });
  });
});

describe('the error of a polynomial in the place of a slope', () => {
  test.each([
    [1, 1],
    [3, 2],
  ])('least squares by ½r: r/2 at the end of [−(1 + R), 1 + R], R = %p', (radius, expected) => {
    const lift = createLift(3, 2);
    const values = new Float64Array(lift.size);
    fillLift(lift, lift.weight, [0.3, -0.2, 0.1], values);
    const moments = { lift, values, noise: new Float64Array(2), players: 1 };
    const loss = { ...lossByName('squared'), value: (r: number) => (r * r) / 2, derivative: (r: number) => r };
    const { bias } = minimizeCorrectedRegression(moments, { loss, coefficients: [0, 0.5], radius });
    expect(bias).toBeCloseTo(expected, 12);
  });
});

describe('the Euclidean median', () => {
  const exact = (beta: number) => (t: number) => (1 + t / hypot(t, beta)) / 2;

  test('h′_β at β = .4 is .8 and .2 where t = ±.3; its series of degree 19 is there, one of degree 1 is not', () => {
    const coefficients = stepCoefficients(19, 0.4);
    expect(horner(coefficients, 0.3)).toBeCloseTo(0.8, 2);
    expect(horner(coefficients, -0.3)).toBeCloseTo(0.2, 2);
    expect(horner(coefficients, 0)).toBeCloseTo(0.5, 10);
    expect(abs(horner(stepCoefficients(1, 0.4), 0.3) - 0.8)).toBeGreaterThan(0.05);
  });

  test.each([
    [1, 0.1, 1],
    [2, 0.3, 1],
    [3, 0.5, 1],
    [3, 0.2, 0.5],
    [1, 0.8, 2],
  ])(
    'degree %p, β = %p, R = %p: the error is the largest on all of [−(1 + R)/2, (1 + R)/2]',
    (degree, beta, radius) => {
      const parameters = medianCopies({ epsilon: 1, delta: 1e-6, degree, dimension: 3 });
      const coefficients = stepCoefficients(degree, beta, radius);
      const largest = furthest((t) => horner(coefficients, t) - exact(beta)(t), (1 + radius) / 2);
      // C is 2 in three dimensions; on a grid of 4001 places the largest is found to 1e-4.
      const { inexactness } = directionQuality(parameters, beta, radius);
      expect(inexactness / (2 * radius * 2 * largest)).toBeCloseTo(1, 4);
    },
  );

  test('the estimate by directions reports the same error', () => {
    const parameters = medianCopies({ epsilon: 4, delta: 1e-6, degree: 1, dimension: 3 });
    const population = { players: 50, datum: () => ({ point: [0.3, 0.1, 0] }) };
    const tally = simulate(euclideanMedian, parameters, population, { seed: 1 });
    const { bias } = euclideanMedian.server.estimate(parameters, tally, { decoder: 'product', beta: 0.3 });
    const coefficients = stepCoefficients(1, 0.3);
    const largest = furthest((t) => horner(coefficients, t) - exact(0.3)(t), 1);
    // On a grid of 401 places.
    expect(bias / largest).toBeCloseTo(1, 2);
  });
});
