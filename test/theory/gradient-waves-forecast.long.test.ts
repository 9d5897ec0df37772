import { describe, expect, test } from '@jest/globals';
import { referencePopulation } from '../../protocols/generalized-linear/margin/reference-population.ts';
import { gradientWaves, gradientWavesPlan } from '../../protocols/gradient-waves/index.ts';
import { leastRisk, riskOf } from '../../protocols/gradient-waves/protocol.ts';
import { conduct } from '../../src/simulation/runner.ts';

const { abs, sqrt } = Math;

test('what a forecast says of no noise is never above the error with noise, however many players there are', () => {
  // Steps for no noise end at .002 here, further away than with noise.
  const plan = gradientWavesPlan({ variant: 'median', epsilon: 1, dimension: 1 });
  for (const players of [1e4, 1e9]) {
    const { error, floor } = gradientWaves.theory.forecast!(plan, { players });
    expect(floor).toBeLessThanOrEqual(error);
    expect(floor).toBeLessThan(1e-4);
  }
});

describe('the forecast of the excess risk', () => {
  const { dimension, members, records } = referencePopulation(4, 0.5);
  const clear = {
    players: members,
    dimension,
    features: Float32Array.from(records),
    labels: new Int8Array(members).fill(1),
  };
  const players = 8000;
  const datum = (i: number) => ({ features: records.subarray(i * dimension, (i + 1) * dimension), label: 1 });

  test.each(['hinge', 'median'] as const)(
    'is that of simulated players on the population it assumes, %s',
    (variant) => {
      const plan = gradientWavesPlan({ variant, epsilon: 1, dimension, radius: 1.5, waves: 10 });
      const least = leastRisk(variant, clear, 1.5);
      const runs = 100;
      const excess = Array.from({ length: runs }, (_, seed) => {
        const { w } = conduct(gradientWaves, plan, { players, datum }, { seed }).estimate;
        return riskOf(variant, clear, w) - least;
      });
      const mean = excess.reduce((sum, value) => sum + value, 0) / runs;
      const variance = excess.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (runs - 1);
      // The forecast averages 32 draws: four standard errors of the difference, 6e-5 for each loss.
      const tolerance = 4 * sqrt(variance * (1 / runs + 1 / 32));
      const { error } = gradientWaves.theory.forecast!(plan, { players });
      expect(abs(error - mean)).toBeLessThan(tolerance);
      // Control: the forecast of another ε.
      const other = gradientWavesPlan({ variant, epsilon: 4, dimension, radius: 1.5, waves: 10 });
      expect(abs(gradientWaves.theory.forecast!(other, { players }).error - mean)).toBeGreaterThan(tolerance);
      expect(tolerance).toBeLessThan(mean);
    },
  );
});
