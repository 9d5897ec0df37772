// Theorems 3 to 6 of the non-asymptotic paper: bounds and exponents of δ_n, δ̄_n, Δ_n, Δ̄_n, for the squared loss with bounded
// records: the risk is a quadratic function, exactly, and the clipping norm is hardly ever reached.
import { expect, test } from '@jest/globals';
import {
  asymptoticCovariance,
  averageLossBound,
  averageRate,
  gdp,
  lastIterateBound,
  lastIterateRate,
  lastLossBound,
  omega,
  rateExponents,
} from '../../protocols/online-sgd/index.ts';
import { powerIntegral } from '../../src/protocol/online/bounds.ts';
import { boundedPopulation, manyStreams, populationMoments } from './online-streams.ts';

const { log } = Math;
const BOUND = 4;
const RATE = 0.5;
const START = 0.04;
const RUNS = 400;
// E xxᵀ = diag(1, ⅓) for x = (1, u), u uniform on [−1, 1].
const CURVATURE = [1, 1 / 3];
const CHECKPOINTS = [500, 4000];

interface Errors {
  last: number;
  average: number;
  lastLoss: number;
  averageLoss: number;
}

const plans = new Map<number, ReturnType<typeof gdp>>();

function planOf(decay: number): ReturnType<typeof gdp> {
  const plan = gdp({
    model: { kind: 'response', loss: 'squared', features: 1, clip: BOUND },
    mu: 8,
    rate: RATE,
    decay,
    start: [1.2, 1],
    inference: [],
  });
  plans.set(decay, plan);
  return plan;
}

function errorsOf(decay: number): Errors[] {
  const sums = CHECKPOINTS.map((): Errors => ({ last: 0, average: 0, lastLoss: 0, averageLoss: 0 }));
  manyStreams(planOf(decay), boundedPopulation(1, 0.5), CHECKPOINTS, RUNS, `rates ${decay}`, (steps, average, last) => {
    const sum = sums[CHECKPOINTS.indexOf(steps)];
    for (let i = 0; i < 2; i++) {
      sum.last += (last[i] - 1) ** 2 / RUNS;
      sum.average += (average[i] - 1) ** 2 / RUNS;
      sum.lastLoss += (0.5 * CURVATURE[i] * (last[i] - 1) ** 2) / RUNS;
      sum.averageLoss += (0.5 * CURVATURE[i] * (average[i] - 1) ** 2) / RUNS;
    }
  });
  return sums;
}

test.each([1 / 3, 1 / 2, 2 / 3])(
  'at α = %f errors lie below the bounds and fall with the printed exponents',
  (decay) => {
    const errors = errorsOf(decay);
    const plan = planOf(decay);
    const moments = populationMoments(plan, Float64Array.of(1, 1), boundedPopulation(1, 0.5), 20_000);
    const covariance = asymptoticCovariance(plan, moments);
    CHECKPOINTS.forEach((steps, k) => {
      const fields = { steps, rate: RATE, decay, gradientBound: BOUND, omega: omega(plan), start: START };
      const { last, average, lastLoss, averageLoss } = errors[k];
      const [m, M] = [1 / 3, 1];
      expect(last).toBeLessThan(lastIterateBound(fields, m));
      expect(lastIterateBound(fields, m)).toBeLessThan(1.2 * lastIterateRate(fields, m));
      expect(average).toBeLessThan(averageRate(fields, m, covariance[0] + covariance[3]));
      expect(lastLoss).toBeLessThan(lastLossBound(fields, M));
      // A number at every α, at ½ too, where the printed bound is infinite: between 4.5 and 12.2 here.
      expect(lastLossBound(fields, M)).toBeLessThan(12.2);
      expect(averageLoss).toBeLessThan(averageLossBound(fields));
    });
    const slope = (of: (errors: Errors) => number): number =>
      log(of(errors[0]) / of(errors[1])) / log(CHECKPOINTS[1] / CHECKPOINTS[0]);
    const exponents = rateExponents(decay);
    // Means of 400 × 2 squares, relative error .05 each: a slope over a factor 8 is off by .034; .12 are 3.5 of them. Some of it
    // is the start, which is forgotten faster than the errors fall.
    expect(Math.abs(slope(({ last }) => last) - exponents.last)).toBeLessThan(0.12);
    expect(slope(({ average }) => average)).toBeGreaterThan(exponents.average - 0.12);
    // What holds for a convex risk holds for this one, which is strongly convex and does better.
    expect(slope(({ lastLoss }) => lastLoss)).toBeGreaterThan((exponents.lastLoss as number) - 0.12);
    expect(slope(({ averageLoss }) => averageLoss)).toBeGreaterThan(exponents.averageLoss - 0.12);
  },
);

test('at α = 1 with a small γ the start is never forgotten at the rate 1/n', () => {
  // E(θ_n − θ*) falls like n^(−γλ), whatever the noise: with γλ = 1/6 hardly at all.
  const plan = gdp({
    model: { kind: 'response', loss: 'squared', features: 1, clip: BOUND },
    mu: 8,
    rate: RATE,
    decay: 1,
    start: [1, 2],
    inference: [],
  });
  const sums = [0, 0];
  manyStreams(plan, boundedPopulation(1, 0.5), CHECKPOINTS, 100, 'alpha 1', (steps, _, last) => {
    sums[CHECKPOINTS.indexOf(steps)] += last[1] - 1;
  });
  const slope = log(sums[0] / sums[1]) / log(8);
  // The mean is .36 and .25 with errors of .02: the slope is off by .04.
  expect(Math.abs(slope - RATE / 3)).toBeLessThan(0.15);
});

test('the exponents are those of table 1, and the integral of powers has no gap at 0', () => {
  const third = rateExponents(1 / 3);
  expect([third.last, third.average, third.lastLoss, third.averageLoss]).toEqual([1 / 3, 2 / 3, 0, 1 / 3]);
  const half = rateExponents(1 / 2);
  expect([half.last, half.average, half.lastLoss, half.averageLoss]).toEqual([1 / 2, 1, 1 / 4, 1 / 2]);
  const twoThirds = rateExponents(2 / 3);
  expect([twoThirds.last, twoThirds.average, twoThirds.lastLoss]).toEqual([2 / 3, 1, 1 / 3]);
  expect(twoThirds.averageLoss).toBeCloseTo(1 / 3, 15);
  expect(rateExponents(0.9).lastLoss).toBeCloseTo(0.1, 15);
  expect(rateExponents(0.2).lastLoss).toBeUndefined();
  expect(powerIntegral(1e-12, 7)).toBeCloseTo(powerIntegral(0, 7), 9);
  expect(powerIntegral(0.5, 9)).toBeCloseTo(4, 12);
  expect(() => rateExponents(1)).toThrow(/^"decay" expected a number strictly/);
});
