import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  cloneShuffleDelta,
  cloneShuffleEpsilon,
  largestShuffledEpsilon,
  type ShuffledCrowd,
  type ShuffledRandomizer,
  shuffleEpsilon,
} from '../../../src/privacy/shuffle.ts';
import { powerOfTen } from './powers-of-ten.ts';
import { responses, selections, worstShuffledDelta } from './shuffled-responses.ts';

/** Crowds, ε₀ from .05 to 10, n from 2 to 1e5, δ from 1e-12 to .1. */
const crowds = fc.record({
  epsilon: powerOfTen(-1.3, 1),
  players: powerOfTen(0.31, 5).map(Math.floor),
  delta: powerOfTen(-12, -1),
  randomizer: fc.constantFrom<ShuffledRandomizer>('any', 'response'),
});
const answering = (epsilon: number, players: number): ShuffledCrowd => ({ epsilon, players, randomizer: 'response' });
const runs = { seed: 3, numRuns: 60, endOnFailure: true };

describe('The numeric bound for shuffled reports', () => {
  test('has the reference values, and is not below them', () => {
    // ε₀, n, ε, then δ for `response` and for `any`, computed independently with SciPy: direct sums over all pairs of counts.
    for (const [epsilon, players, at, response, any] of [
      [1, 100, 0.3, 0.000441095236003495, 0.0017183134641178982],
      [4, 1000, 1.5, 9.885751407899883e-6, 0.0010145489441980044],
      [2, 50, 1.9, 0.00016682436372764107, 0.0027058841567056987],
      [0.5, 30, 0.05, 0.021424135321971172, 0.02578639833184013],
      [3, 200, 0, 0.16481640356544477, 0.22608676937258104],
    ]) {
      const values = [cloneShuffleDelta(answering(epsilon, players), at), cloneShuffleDelta({ epsilon, players }, at)];
      for (const [value, expected] of [
        [values[0], response],
        [values[1], any],
      ]) {
        expect(Math.abs(value / expected - 1)).toBeLessThan(1e-8);
        expect(value).toBeGreaterThanOrEqual(expected * (1 - 1e-12));
      }
    }
  });

  test('is above the truth of binary randomized response, whatever the others hold', () => {
    const ratios: number[] = [];
    for (const epsilon of [0.3, 1, 2, 5]) {
      for (const players of [2, 3, 5, 8, 12]) {
        for (const share of [0, 0.1, 0.3, 0.6, 0.9, 0.999]) {
          const truth = worstShuffledDelta(responses(epsilon, 2), players, share * epsilon);
          const value = cloneShuffleDelta(answering(epsilon, players), share * epsilon);
          ratios.push(value / truth, cloneShuffleDelta({ epsilon, players }, share * epsilon) / value);
        }
      }
    }
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1);
    // Not idle: at two players and ε = 0 it is within a few per cent.
    expect(Math.min(...ratios)).toBeLessThan(1.1);
  });

  test('is above the truth of randomized response among three and four categories', () => {
    const ratios: number[] = [];
    for (const categories of [3, 4]) {
      for (const epsilon of [0.5, 2, 4]) {
        for (const players of [2, 3, 5]) {
          for (const share of [0, 0.2, 0.5, 0.9]) {
            const truth = worstShuffledDelta(responses(epsilon, categories), players, share * epsilon);
            ratios.push(cloneShuffleDelta(answering(epsilon, players), share * epsilon) / truth);
          }
        }
      }
    }
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1);
  });

  test('for any randomizer is above the truth of subset selection, whose data share their likely reports', () => {
    const ratios: number[] = [];
    for (const epsilon of [0.5, 2, 4]) {
      for (const players of [2, 3, 5, 6]) {
        for (const share of [0, 0.2, 0.5, 0.9]) {
          const truth = worstShuffledDelta(selections(epsilon), players, share * epsilon);
          ratios.push(cloneShuffleDelta({ epsilon, players }, share * epsilon) / truth);
        }
      }
    }
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1);
  });

  test('control: computed with half as many players more it is refuted by binary randomized response', () => {
    let refuted = 0;
    for (const epsilon of [0.1, 0.3, 1]) {
      for (const players of [2, 4, 8, 12]) {
        for (const share of [0, 0.1, 0.3, 0.6]) {
          const truth = worstShuffledDelta(responses(epsilon, 2), players, share * epsilon);
          if (cloneShuffleDelta(answering(epsilon, players * 1.5), share * epsilon) < truth) refuted++;
        }
      }
    }
    expect(refuted).toBeGreaterThanOrEqual(10);
  });

  test('never exceeds ε₀, nor the closed form where that is proved', () => {
    fc.assert(
      fc.property(crowds, (crowd) => {
        const value = cloneShuffleEpsilon(crowd);
        const proved = crowd.epsilon <= largestShuffledEpsilon(crowd);
        return value <= crowd.epsilon && (!proved || value <= shuffleEpsilon(crowd));
      }),
      runs,
    );
  });

  test('falls with the number of players and with δ, and grows with ε₀', () => {
    // The search ends 1.5e-11 above, and the bound on rounding is a little smaller for a shorter sum.
    const loose = 1 + 1e-8;
    fc.assert(
      fc.property(crowds, fc.double({ min: 1.01, max: 3, noNaN: true }), (crowd, factor) => {
        const value = cloneShuffleEpsilon(crowd);
        const players = Math.ceil(crowd.players * factor);
        return (
          cloneShuffleEpsilon({ ...crowd, players }) <= value * loose &&
          cloneShuffleEpsilon({ ...crowd, delta: crowd.delta * factor }) <= value * loose &&
          cloneShuffleEpsilon({ ...crowd, epsilon: crowd.epsilon * factor }) >= value / loose
        );
      }),
      runs,
    );
  });

  test('certifies the δ it was asked for at the ε it returns, and not much less', () => {
    fc.assert(
      fc.property(crowds, (crowd) => {
        const value = cloneShuffleEpsilon(crowd);
        const loose = 1 + 1e-6;
        if (cloneShuffleDelta(crowd, value) > crowd.delta * loose) return false;
        return value === 0 || cloneShuffleDelta(crowd, value * (1 - 1e-5)) > crowd.delta / loose;
      }),
      runs,
    );
  });

  test('has a known value for a million players, and works from two players to 1e9', () => {
    const crowd = { epsilon: 4, players: 1e6, delta: 1e-6 };
    expect(cloneShuffleEpsilon({ ...crowd, randomizer: 'response' })).toBeCloseTo(0.03427977, 7);
    expect(shuffleEpsilon({ ...crowd, randomizer: 'response' })).toBeCloseTo(0.14735, 5);
    expect(cloneShuffleEpsilon(crowd)).toBeCloseTo(0.04930707, 7);
    // Two players and ε₀ = 20: a clone appears with probability 4e-9, so that δ = 1 − e^(ε − ε₀) almost exactly.
    const two = cloneShuffleEpsilon({ epsilon: 20, players: 2, delta: 1e-6 });
    expect(20 - two).toBeGreaterThan(0.99e-6);
    expect(20 - two).toBeLessThan(1.01e-6);
    // The square root of n: a thousand times the players at √1000 times less, up to higher orders.
    const large = cloneShuffleEpsilon({ epsilon: 4, players: 1e9, delta: 1e-6 });
    expect((large * Math.sqrt(1000)) / cloneShuffleEpsilon(crowd)).toBeGreaterThan(0.65);
    expect((large * Math.sqrt(1000)) / cloneShuffleEpsilon(crowd)).toBeLessThan(1);
  });

  test('is 0 from ε₀ on and where δ covers the distance', () => {
    expect(cloneShuffleDelta({ epsilon: 1, players: 10 }, 1)).toBe(0);
    expect(cloneShuffleEpsilon({ epsilon: 0.01, players: 1e9, delta: 1e-6 })).toBe(0);
  });

  test('refuses what is not a crowd', () => {
    expect(() => cloneShuffleDelta({ epsilon: 1, players: 10 }, -1)).toThrow('"epsilon"');
    expect(() => cloneShuffleEpsilon({ epsilon: 1, players: 10, delta: 0 })).toThrow('"delta"');
    expect(() => cloneShuffleDelta({ epsilon: 1, players: 1 }, 0)).toThrow('"players"');
  });
});
