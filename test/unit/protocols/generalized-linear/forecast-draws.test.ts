import { describe, expect, test } from '@jest/globals';
import { createForecaster } from '../../../../protocols/generalized-linear/margin/forecast.ts';
import { hingeParameters } from '../../../../protocols/hinge/index.ts';
import { hingeLoss } from '../../../../src/risk/margin-loss.ts';

const loss = hingeLoss();
const forecastOf = (epsilon: number, players: number, draws?: number) => {
  const parameters = hingeParameters({ variant: 'lifted', degree: 0, dimension: 3, epsilon });
  return createForecaster(3, { loss, ...(draws === undefined ? {} : { draws }) })(parameters, players);
};

/** The least number of draws from 8 on whose mean has a standard error of this share of itself, and 36 where none has. */
function drawsOf(epsilon: number, players: number, share: number): number {
  for (let draws = 8; draws < 36; draws++) {
    const { excessRisk, deviation } = forecastOf(epsilon, players, draws);
    if (deviation / Math.sqrt(draws) <= share * excessRisk) return draws;
  }
  return 36;
}

// No statistics: draws are seeded, and the draws of one number are the first ones of a larger number.
describe('a forecast without a number of draws', () => {
  const settings = [0.5, 1, 2, 4].flatMap((epsilon) => [1e4, 1e6].map((players) => [epsilon, players] as const));

  test.each(settings)('ends where its mean is good to 12 %%, after 8 to 36: ε = %d, %d players', (epsilon, players) => {
    expect(forecastOf(epsilon, players)).toEqual(forecastOf(epsilon, players, drawsOf(epsilon, players, 0.12)));
  });

  // The control: with a fifth more or less the numbers of draws are others.
  test('would end elsewhere for another share', () => {
    const numbers = (share: number) => settings.map(([epsilon, players]) => drawsOf(epsilon, players, share));
    for (const factor of [0.8, 1.2]) expect(numbers(factor * 0.12)).not.toEqual(numbers(0.12));
    expect(Math.max(...numbers(0.12))).toBeGreaterThan(8);
  });
});
