import { expect, test } from '@jest/globals';
import {
  populationOptimum,
  populationRisk,
  type ReferencePopulation,
} from '../../../../protocols/generalized-linear/margin/reference-population.ts';
import { projectedGradient } from '../../../../src/optimize/ball.ts';
import { bernoulli, normal, uniform } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { hingeLoss } from '../../../../src/risk/margin-loss.ts';
import { absoluteLoss } from '../../../../src/risk/named-loss.ts';
import { hingeOptimum } from '../../../../src/simulation/hinge-optimum.ts';

/** Signed records of a constant and p − 1 features, all of them −1/√p or 1/√p, so that their margins share a few places. */
function twoValued(dimension: number, members: number): ReferencePopulation {
  const random = seededRandom('two values');
  const side = 1 / Math.sqrt(dimension);
  const axis = Float64Array.from({ length: dimension }, () => normal(random));
  const shares = axis.map(() => uniform(random));
  const records = new Float64Array(dimension * members);
  for (let i = 0; i < members; i++) {
    const record = records.subarray(i * dimension, (i + 1) * dimension);
    for (let j = 0; j < dimension; j++) record[j] = j === 0 || bernoulli(shares[j], random) ? side : -side;
    const score = record.reduce((sum, x, j) => sum + axis[j] * x, 0);
    if (score > 0.3 === bernoulli(0.15, random)) for (let j = 0; j < dimension; j++) record[j] = -record[j];
  }
  return { dimension, members, records };
}

test.each([
  [1, 0],
  [4, 1e-3],
])('the least hinge risk of two-valued records is that of an own path by Newton steps, R = %d', (radius, lost) => {
  const population = twoValued(12, 3000);
  const { dimension, members, records } = population;
  const loss = hingeLoss();
  const least = populationOptimum(population, loss, radius);
  const labels = new Int8Array(members).fill(1);
  const data = { players: members, dimension, features: Float32Array.from(records), labels };
  expect(Math.abs(least - hingeOptimum(data, radius).risk)).toBeLessThan(3e-4);
  // The control: the descent on the hinge itself stops at a kink, in the larger ball far above.
  const gradient = (w: Float64Array, target: Float64Array): void => {
    target.fill(0);
    for (let i = 0; i < members; i++) {
      const record = records.subarray(i * dimension, (i + 1) * dimension);
      const slope = loss.derivative(record.reduce((sum, x, j) => sum + x * w[j], 0)) / members;
      for (let j = 0; j < dimension; j++) target[j] += slope * record[j];
    }
  };
  const value = (w: Float64Array): number => populationRisk(population, loss, w);
  const stopped = projectedGradient({ objective: { dimension, value, gradient }, radius, iterations: 200 }).value;
  expect(stopped - least).toBeGreaterThan(lost);
});

test('the least risk of a loss with its kink at the origin is 0', () => {
  expect(populationOptimum(twoValued(4, 500), absoluteLoss(), 1)).toBeCloseTo(0, 12);
});
