import { describe, expect, test } from '@jest/globals';
import { expectedSquaredError, vector } from '../../protocols/user-level-mean/index.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { column } from '../evidence/experiment/statistics.ts';
import { play, rootError } from './user-level-vector.ts';

// Samples in the ℓ₂ unit ball whose coordinates have the standard deviation s/√d, so that their length does not grow with d.
const SPREAD = 0.3;
const SAMPLES = 25;
const tau = (dimension: number, samples: number): number => SPREAD / Math.sqrt(dimension * samples);

// In d, and in m of one form, errors are measured by the validations user-level-multivariate-rates and -error.
describe('error of vector in 8 dimensions', () => {
  const dimension = 8;

  // The logarithm of a root mean square of k squares is off by 1/√(2k), k = 8 a run: .056, .046 and .088 at log n from 9.2 to 11.5, and
  // the slope by √(.056² + .088²)/2.3 = .045, of which .2 are 4.5. Larger plans also waste fewer players. With 10,000 players unit vectors
  // have a pilot of .45 of them, whose signs tell more than the closed form counts on: .8 of it. Above, .96 to 1.07; of the
  // 304 squares there .041 by chance, and .165 are four of them: an error that is off by a fifth is found.
  test.each(['sign', 'unit'] as const)('is proportional to 1/√n and as large as the closed form says: %s', (form) => {
    const players = [10_000, 32_000, 100_000];
    const runs = [20, 30, 8];
    const found = players.map((n, i) => {
      const plan = vector({ epsilon: 1, players: n, samples: SAMPLES, dimension, domain: 'ball', form });
      const error = rootError(runs[i], (run) => play(plan, tau(dimension, SAMPLES), 0.5, `n ${run}`));
      return { error, ratio: error ** 2 / expectedSquaredError(plan, SPREAD / Math.sqrt(dimension)) };
    });
    expect(Math.abs(exactSlope(players, column(found, 'error')) + 0.5)).toBeLessThan(0.2);
    const over = Math.sqrt((30 * found[1].ratio + 8 * found[2].ratio) / 38);
    expect(Math.abs(over - 1)).toBeLessThan(0.165);
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
