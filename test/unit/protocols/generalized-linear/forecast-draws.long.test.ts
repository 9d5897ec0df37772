import { describe, expect, test } from '@jest/globals';
import { createForecaster, type Forecaster } from '../../../../protocols/generalized-linear/margin/forecast.ts';
import { referencePopulation } from '../../../../protocols/generalized-linear/margin/reference-population.ts';
import { hingeParameters } from '../../../../protocols/hinge/index.ts';
import { hingeLoss } from '../../../../src/risk/margin-loss.ts';

// When a forecast ends does not depend on who is in its population: the first 300 records of the usual one.
const population = { dimension: 3, members: 300, records: referencePopulation(3, 0.5).records.subarray(0, 900) };
const forecasters = new Map<number | undefined, Forecaster>();
const forecastOf = (epsilon: number, players: number, draws?: number) => {
  const parameters = hingeParameters({ variant: 'lifted', degree: 0, dimension: 3, epsilon });
  const query = { loss: hingeLoss(), population, ...(draws === undefined ? {} : { draws }) };
  const forecaster = forecasters.get(draws) ?? createForecaster(3, query);
  forecasters.set(draws, forecaster);
  return forecaster(parameters, players);
};

/** The standard error of the mean of 8, 9, … draws as a share of that mean, up to one that is small enough for all that is asked here. */
function sharesOf(epsilon: number, players: number): readonly number[] {
  const shares: number[] = [];
  for (let draws = 8; draws < 36 && !(shares.at(-1)! <= 0.8 * 0.12); draws++) {
    const { excessRisk, deviation } = forecastOf(epsilon, players, draws);
    shares.push(deviation / Math.sqrt(draws) / excessRisk);
  }
  return shares;
}

/** The least number of draws from 8 on whose mean has a standard error of this share of itself, and 36 where none has. */
function drawsOf(shares: readonly number[], share: number): number {
  const first = shares.findIndex((one) => one <= share);
  return first < 0 ? 36 : 8 + first;
}

// No statistics: draws are seeded, and the draws of one number are the first ones of a larger number.
describe('a forecast without a number of draws', () => {
  const settings = [0.5, 1, 2, 4].flatMap((epsilon) => [1e4, 1e6].map((players) => [epsilon, players] as const));
  const shares = settings.map(([epsilon, players]) => sharesOf(epsilon, players));

  test.each(settings.map((setting, i) => [...setting, drawsOf(shares[i], 0.12)] as const))(
    'ends where its mean is good to 12 %%, after 8 to 36: ε = %d, %d players, %d draws',
    (epsilon, players, draws) => {
      expect(forecastOf(epsilon, players)).toEqual(forecastOf(epsilon, players, draws));
    },
  );

  // The control: with a fifth more or less the numbers of draws are others.
  test('would end elsewhere for another share', () => {
    const numbers = (share: number) => shares.map((one) => drawsOf(one, share));
    for (const factor of [0.8, 1.2]) expect(numbers(factor * 0.12)).not.toEqual(numbers(0.12));
    expect(Math.max(...numbers(0.12))).toBeGreaterThan(8);
  });
});
