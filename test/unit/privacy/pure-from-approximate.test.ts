import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { largestTransformableDelta, pureFromApproximate } from '../../../src/mechanism/pure-from-approximate.ts';
import { powerOfTen } from './powers-of-ten.ts';

const crowd = { epsilon: 0.2, players: 1000, failure: 0.01 };

describe('The generic transformation of (ε, δ) into pure privacy', () => {
  test('costs ten times ε, about log₂(n/β) public samples a player, and β', () => {
    const made = pureFromApproximate({ ...crowd, delta: 1e-9 });
    expect(made.guarantee).toEqual({ kind: 'pure', epsilon: 2 });
    expect(made.samples).toBe(17);
    expect(made.distance).toBeGreaterThanOrEqual(1.5e-9 / -Math.expm1(-0.2) + 0.5 ** 17);
    expect(made.least).toBe(Math.exp(-0.4) / 2);
    expect(made.most).toBe(Math.exp(0.4) / 2);
    expect(made.name).toBe('pure from approximate');
  });

  test('keeps its two promises over the range of the theorem, with at least 5·log(1/ε) samples', () => {
    fc.assert(
      fc.property(
        powerOfTen(-6, Math.log10(0.25)),
        fc.integer({ min: 1, max: 1e7 }),
        powerOfTen(-9, -0.01),
        fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
        (epsilon, players, failure, share) => {
          const delta = share * largestTransformableDelta({ epsilon, players, failure });
          const made = pureFromApproximate({ epsilon, delta, players, failure });
          return (
            made.largestLoss <= 10 * epsilon &&
            made.largestLoss > 7 * epsilon &&
            made.distance * players <= failure * (1 + 1e-12) &&
            made.samples >= 5 * Math.log(1 / epsilon)
          );
        },
      ),
      { seed: 2, numRuns: 200, endOnFailure: true },
    );
  });

  test('refuses outside the theorem, naming the largest δ', () => {
    const largest = largestTransformableDelta(crowd);
    expect(largest).toBeCloseTo((0.2 * 0.01) / (4000 * Math.log(1e5)), 18);
    expect(() => pureFromApproximate({ ...crowd, delta: largest })).toThrow(
      `"delta" expected a number < ${largest} for 1000 players and failure 0.01, got ${largest}`,
    );
    expect(() => pureFromApproximate({ ...crowd, delta: 1e-9, epsilon: 0.2501 })).toThrow(
      '"epsilon" expected a number <= 0.25',
    );
    expect(() => pureFromApproximate({ ...crowd, delta: 1e-9, epsilon: 1e-10 })).toThrow('"epsilon"');
    expect(() => pureFromApproximate({ ...crowd, delta: 0 })).toThrow('"delta"');
    expect(() => pureFromApproximate({ ...crowd, delta: 1e-9, players: 0 })).toThrow('"players"');
    expect(() => pureFromApproximate({ ...crowd, delta: 1e-9, failure: 1 })).toThrow('"failure"');
  });
});
