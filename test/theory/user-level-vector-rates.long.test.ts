import { describe, expect, test } from '@jest/globals';
import { expectedSquaredError, vector } from '../../protocols/user-level-mean/index.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { play, rootError } from './user-level-vector.ts';

// Samples in the ℓ₂ unit ball whose coordinates have the standard deviation s/√d, so that their length does not grow with d.
const SPREAD = 0.3;
const SAMPLES = 25;
const tau = (dimension: number, samples: number): number => SPREAD / Math.sqrt(dimension * samples);

// In d, and in m of one form, errors are measured by the validations user-level-multivariate-rates and -error.
describe('error of vector in 8 dimensions', () => {
  const dimension = 8;

  // Three points at log n from 9.2 to 11.5: Σ(x − x̄)² = 2.65, standard deviation 0.06. Larger plans also waste fewer players.
  test.each(['sign', 'unit'] as const)('is proportional to 1/√n and as large as the closed form says: %s', (form) => {
    const players = [10_000, 32_000, 100_000];
    const ratios: number[] = [];
    const errors = players.map((n) => {
      const plan = vector({ epsilon: 1, players: n, samples: SAMPLES, dimension, domain: 'ball', form });
      const found = rootError(6, (run) => play(plan, tau(dimension, SAMPLES), 0.5, `n ${run}`));
      ratios.push(found / Math.sqrt(expectedSquaredError(plan, SPREAD / Math.sqrt(dimension))));
      return found;
    });
    const found = exactSlope(players, errors);
    expect(Math.abs(found + 0.5)).toBeLessThan(0.25);
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(0.65);
      expect(ratio).toBeLessThan(1.35);
    }
  });
});

// Kent, Berrett, Yu: with few players the error has a floor e^{−c·n·min(ε, ε²)/d}, because some coordinate is not found at all, and then
// samples are of no use. Three signs a coordinate (in units of 1/κ²) are below the 20 that locate, a hundred are above.
describe('the floor of few players', () => {
  // Below, errors are of the order of the mean itself: 24 runs of 4 coordinates have a relative standard deviation of √(2/96)/2 = 0.07 in
  // each root, 0.1 in the ratio, for which 1.6 is five of them. Above it is 9 by the rate.
  test('does not fall with the samples, which help as soon as coordinates are located', () => {
    const dimension = 4;
    const [few, many] = [3, 100].map((bits) => {
      const players = Math.ceil((bits * dimension) / Math.tanh(0.5) ** 2);
      const [short, long] = [4, 324].map((m) => {
        const plan = vector({ epsilon: 1, players, samples: m, dimension, domain: 'ball', form: 'sign' });
        return rootError(24, (run) => play(plan, tau(dimension, m), 0.8, `floor ${run}`));
      });
      return short / long;
    });
    expect(few).toBeLessThan(1.6);
    expect(many).toBeGreaterThan(4);
  });
});
