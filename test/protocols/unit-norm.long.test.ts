import { describe, expect, test } from '@jest/globals';
import { fitMoments, pooledMoments } from '../../protocols/generalized-linear/fit.ts';
import {
  createForecaster,
  populationMoments,
  populationRisk,
  publicPopulation,
} from '../../protocols/generalized-linear/index.ts';
import { coordinateNoises, noisyMoments } from '../../protocols/generalized-linear/margin/forecast.ts';
import type { MarginParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import { populationOptimum } from '../../protocols/generalized-linear/margin/reference-population.ts';
import { gaussian, hinge, lifted, sampled } from '../../protocols/hinge/index.ts';
import { thinMoments } from '../../src/optimize/compared-risk.ts';
import { createLift } from '../../src/polynomial/lift.ts';
import { fillNormal, normal, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { hingeLoss } from '../../src/risk/margin-loss.ts';
import { datasetPopulation, simulate } from '../../src/simulation/runner.ts';

const RECORDS = 5000;

/** Records of norm 1 with a constant coordinate, and of half that norm: two normal features, labels divided by a line, some turned round. */
function recordsOf(norm: number) {
  const random = seededRandom('unit norm');
  const dimension = 3;
  const features = new Float32Array(RECORDS * dimension);
  const labels = new Int8Array(RECORDS);
  const x = new Float64Array(dimension);
  for (let i = 0; i < RECORDS; i++) {
    fillNormal(x, random);
    x[0] = 1;
    labels[i] = (x[1] + 0.5 * x[2] + 0.3 > 0 ? 1 : -1) * (uniform(random) < 0.9 ? 1 : -1);
    const length = (Math.hypot(...x) * (1 + 1e-7)) / norm;
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = x[j] / length;
  }
  return { players: RECORDS, dimension, names: ['1', 'a', 'b'], features, labels };
}

const file = recordsOf(1);
const population = publicPopulation(file, RECORDS);
const loss = hingeLoss();

/** Moments of 50,000 players with these records, with the noise of their reports. */
function momentsOf(parameters: MarginParameters, seed: string, records = population) {
  const players = 50_000;
  const { degree, dimension } = parameters;
  const lift = createLift(dimension, degree + 1);
  const exact = populationMoments(records, lift);
  const noise = coordinateNoises(parameters).map((variance) => variance / players);
  const random = seededRandom(seed);
  return { lift, values: noisyMoments(lift, exact, noise, () => normal(random)), noise, players };
}

describe('records of norm 1', () => {
  const parameters = sampled({ epsilon: 1, degree: 3, dimension: 3, shares: [4, 1, 2, 2] });
  const risksOf = (unitNorm: boolean): readonly number[] =>
    Array.from({ length: 60 }, (_, draw) => {
      const query = { loss, radius: 2, degree: 3, unitNorm } as const;
      return populationRisk(population, loss, fitMoments(parameters, momentsOf(parameters, `draw ${draw}`), query).w);
    });

  // On the same noise: five other seeds had .40 to .56 of the excess risk. In three dimensions .77, .25, .54 and .59 of the four variances are left.
  test('leave a model of less risk where the server knows of them', () => {
    const least = populationOptimum(population, loss, 2);
    const [without, known] = [risksOf(false), risksOf(true)].map((risks) => risks.reduce((a, b) => a + b) / 60 - least);
    expect(known).toBeLessThan(0.7 * without);
  });

  test('are asked for: of shorter records the moments would be wrong', () => {
    const shorter = publicPopulation(recordsOf(0.5), RECORDS);
    const moments = momentsOf(parameters, 'shorter', shorter);
    // The second moment of records of norm ½ has the trace ¼; pooled it is 1.
    const trace = ({ values }: { readonly values: Float64Array }): number => values[3] + values[6] + values[8];
    expect(trace(moments)).toBeLessThan(0.35);
    expect(trace(pooledMoments(moments))).toBeCloseTo(1, 3);
  });

  test('have halves whose noise is pooled too, and their risk is that of the reports as they are', () => {
    const moments = momentsOf(parameters, 'halves');
    const { first, second } = thinMoments(pooledMoments(moments), seededRandom('thin'));
    for (const half of [first, second]) expect(half.values[3] + half.values[6] + half.values[8]).toBeCloseTo(1, 3);
    expect(first.values.map((value, i) => (value + second.values[i]) / 2)[0]).toBeCloseTo(
      pooledMoments(moments).values[0],
      12,
    );
    const found = fitMoments(parameters, moments, { loss, radius: 1, unitNorm: true });
    const plain = fitMoments(parameters, moments, { loss, radius: 1, coefficients: found.coefficients });
    expect(found.riskAt([0.2, 0.1, -0.3])).toBeCloseTo(plain.riskAt([0.2, 0.1, -0.3]), 12);
  });

  test.each([
    ['one power', lifted({ epsilon: 1, degree: 0, dimension: 3 })],
    ['two powers', lifted({ epsilon: 1, degree: 1, dimension: 3 })],
    ['copies with noise', gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 })],
    ['a power without reports', sampled({ epsilon: 1, degree: 3, dimension: 3, shares: [1, 1e-9, 1, 1] })],
  ])('are taken by the server of %s', (_, made) => {
    const tally = simulate(hinge, made, datasetPopulation(file), { seed: 'one' });
    const { w } = hinge.server.estimate(made, tally, { radius: 1, intercept: 0, unitNorm: true });
    expect(Math.hypot(...w)).toBeLessThanOrEqual(1 + 1e-9);
    expect(() => hinge.server.estimate(made, tally, { unitNorm: 'yes' as never })).toThrow(
      '"unitNorm" expected true or false',
    );
  });

  // 200 draws have .0103 and .0067. One draw has a deviation of its own mean or so: of 60 draws the two means are two to three deviations apart, and the seed is fixed.
  test('are counted on by forecasts that are told of them', () => {
    const excess = [false, true].map((unitNorm) => {
      const query = { loss, radius: 2, population, intercept: 0, unitNorm, draws: 60 };
      return createForecaster(3, query)(parameters, 20_000).excessRisk;
    });
    expect(excess[1]).toBeLessThan(excess[0]);
  });
});
