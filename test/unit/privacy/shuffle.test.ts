import { describe, expect, test } from '@jest/globals';
import { largestShuffledEpsilon, shuffleEpsilon } from '../../../src/privacy/shuffle.ts';

describe('The closed form for shuffled reports', () => {
  test('has the reference values, and is not below them', () => {
    // n, ε₀, δ, ε computed independently with SciPy and mpmath.
    for (const [players, epsilon, delta, expected] of [
      [10000, 1, 1e-6, 0.18000636773139655],
      [100000, 4, 1e-6, 0.4077925871611126],
      [1000000, 4, 1e-6, 0.1473466816575497],
    ]) {
      const value = shuffleEpsilon({ epsilon, players, delta, randomizer: 'response' });
      expect(Math.abs(value / expected - 1)).toBeLessThan(2e-13);
      expect(value).toBeGreaterThanOrEqual(expected * (1 - 1e-15));
    }
  });

  test('has the older form for a randomizer of which nothing is known, about √2 larger for large ε₀', () => {
    for (const [players, epsilon, delta] of [
      [10000, 1, 1e-6],
      [1000000, 4, 1e-6],
      [1000000000, 10, 1e-9],
    ]) {
      const e = Math.exp(epsilon);
      const spread = (8 * Math.sqrt(e * Math.log(4 / delta))) / Math.sqrt(players) + (8 * e) / players;
      const value = shuffleEpsilon({ epsilon, players, delta });
      expect(value).toBeCloseTo(Math.log(1 + ((e - 1) / (e + 1)) * spread), 12);
      const ratio = value / shuffleEpsilon({ epsilon, players, delta, randomizer: 'response' });
      expect(ratio).toBeGreaterThan(1.1);
      expect(ratio).toBeLessThan(1.42);
    }
    expect(largestShuffledEpsilon({ players: 1e6, delta: 1e-6 })).toBeCloseTo(Math.log(1e6 / (16 * Math.log(2e6))), 12);
  });

  test('refuses an ε₀ beyond its condition, naming the largest it allows, and takes that one', () => {
    const crowd = { players: 1000, delta: 1e-6, randomizer: 'response' } as const;
    const largest = largestShuffledEpsilon(crowd);
    expect(largest).toBeCloseTo(Math.log(1000 / (8 * Math.log(2e6)) - 1), 12);
    expect(() => shuffleEpsilon({ ...crowd, epsilon: largest })).not.toThrow();
    expect(() => shuffleEpsilon({ ...crowd, epsilon: largest * 1.0001 })).toThrow(
      `"epsilon" expected a number <= ${largest} for 1000 players at delta 1e-6, got`,
    );
  });

  test('refuses every ε₀ where there are too few players', () => {
    expect(largestShuffledEpsilon({ players: 200, delta: 1e-6 })).toBe(0);
    expect(() => shuffleEpsilon({ epsilon: 0.1, players: 200, delta: 1e-6 })).toThrow('expected more players');
  });

  test('is never above ε₀', () => {
    expect(shuffleEpsilon({ epsilon: 1e-6, players: 1000, delta: 1e-6 })).toBeLessThanOrEqual(1e-6);
  });

  test('refuses what is not a crowd', () => {
    expect(() => shuffleEpsilon({ epsilon: 0, players: 1000, delta: 1e-6 })).toThrow('"epsilon"');
    expect(() => shuffleEpsilon({ epsilon: 101, players: 1000, delta: 1e-6 })).toThrow('from 1e-9 to 100');
    expect(() => shuffleEpsilon({ epsilon: 1, players: 1, delta: 1e-6 })).toThrow('"players"');
    expect(() => shuffleEpsilon({ epsilon: 1, players: 1000.5, delta: 1e-6 })).toThrow('"players"');
    expect(() => shuffleEpsilon({ epsilon: 1, players: 1000, delta: 1 })).toThrow('"delta"');
    const randomizer = 'other' as 'any';
    expect(() => shuffleEpsilon({ epsilon: 1, players: 1000, delta: 1e-6, randomizer })).toThrow('"randomizer"');
  });
});
