// Corollary 1 of the non-asymptotic paper, theorem 2 of the inference paper: √n(θ̄ − θ₀) → N(0, A⁻¹(S + noise)A⁻¹).
import { expect, test } from '@jest/globals';
import {
  asymptoticCovariance,
  gdp,
  type OnlinePlan,
  privUnit,
  type StreamRequest,
} from '../../protocols/online-sgd/index.ts';
import { linearPopulation, manyStreams, populationMoments } from './online-streams.ts';

const THETA = [1, 1, 1, 1];
const RUNS = 500;
const STEPS = 9000;

const stream: StreamRequest = {
  model: { kind: 'huber', features: 3 },
  rate: 1,
  decay: 0.51,
  start: THETA,
  burnIn: 1500,
  inference: [],
};

/** Mean over coordinates of the empirical variance of √n(θ̄ − θ₀) relative to that of the formula. */
function ratio(plan: OnlinePlan, formula: Float64Array, seed: string): number {
  const n = STEPS - plan.burnIn;
  let sum = 0;
  manyStreams(plan, linearPopulation(3, 0.5), [STEPS], RUNS, seed, (_, average) => {
    for (let i = 0; i < 4; i++) sum += (n * (average[i] - THETA[i]) ** 2) / formula[5 * i];
  });
  return sum / (4 * RUNS);
}

// The mean of 4 × 500 squares of nearly independent normal numbers: standard deviation √(2/2000) = .032. 10 % is 3.2 of them,
// a false alarm of 0.2 % were the formula exact at this n.
test.each([
  ['gdp, mu = 3', gdp({ ...stream, mu: 3 })],
  ['gdp, budgets 2.5 and 5', gdp({ ...stream, budgets: { rule: 'list', mus: [2.5, 5] } })],
  ['privUnit, epsilon = 6', privUnit({ ...stream, epsilon: 6 })],
])('the sandwich is the covariance of the average within 10 %%: %s', (_, plan) => {
  const moments = populationMoments(plan, Float64Array.from(THETA), linearPopulation(3, 0.5), 40_000);
  const formula = asymptoticCovariance(plan, moments);
  const measured = ratio(plan, formula, `covariance ${plan.maker}`);
  expect(Math.abs(measured - 1)).toBeLessThan(0.1);
  // Control: without the noise of privacy in S the formula is refuted.
  const without = asymptoticCovariance({ ...plan, noise: { law: 'none' } }, moments);
  expect((measured * formula[0]) / without[0]).toBeGreaterThan(1.5);
});
