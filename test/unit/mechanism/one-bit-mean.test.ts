import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type OneBitMean, oneBitMean, randomizeOneBitMean } from '../../../src/mechanism/categories.ts';
import { bits } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { proportionTest } from '../../statistics/moments.ts';
import { scripted } from '../random/scripted.ts';
import { atMostExponential, budgets, coinWords, exceedsExponential, UNITS, whole } from './finite-channel.ts';

/**
 * P(report = 1) as a whole number over 2¹⁵⁹: the player is given the first and the last outcome of each of its three coins on
 * either side of where the coin turns, and the outcomes between count as the ends do.
 */
function positives(mechanism: OneBitMean, value: number): bigint {
  const own = Math.round(Math.abs(value) * 2 ** 53);
  let sum = 0n;
  for (const [first, a] of sides(own)) {
    for (const [second, b] of sides(2 ** 52)) {
      for (const [third, c] of sides(mechanism.keep)) {
        const outcomes = new Set<number>();
        for (const end of [0, 1]) {
          const words = [first, second, third].flatMap((ends) => coinWords(ends[end]));
          outcomes.add(randomizeOneBitMean(mechanism, value, scripted(...words)));
        }
        if (outcomes.size !== 1) throw new Error('a coin does not turn where it should');
        if (outcomes.has(1)) sum += a * b * c;
      }
    }
  }
  return sum;
}

/** The numbers below a numerator and those from it on, each by its two ends, and how many they are. */
function sides(numerator: number): [readonly [number, number], bigint][] {
  const both: [readonly [number, number], bigint][] = [
    [[0, numerator - 1], whole(numerator)],
    [[numerator, 2 ** 53 - 1], UNITS - whole(numerator)],
  ];
  return both.filter(([, count]) => count > 0n);
}

const CUBE = UNITS ** 3n;
const values = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.constantFrom(-1, 1, 0, -0, 0.5, 5e-324, 2 ** -54, 1 - 2 ** -53, -(2 ** -53)),
);

describe('the channel of one bit', () => {
  test('has ratios of at most e^ε between any two numbers, in whole numbers, and neither bit has probability 0', () => {
    fc.assert(
      fc.property(budgets, values, values, (epsilon, x, y) => {
        const mechanism = oneBitMean({ epsilon });
        const [p, q] = [positives(mechanism, x), positives(mechanism, y)];
        expect(p > 0n && p < CUBE && q > 0n && q < CUBE).toBe(true);
        expect(atMostExponential(p, q, epsilon) && atMostExponential(CUBE - p, CUBE - q, epsilon)).toBe(true);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  test('is unbiased to 2^-54, with the variance that is stated', () => {
    fc.assert(
      fc.property(budgets, values, (epsilon, x) => {
        const mechanism = oneBitMean({ epsilon });
        const { scale, largestVariance } = mechanism;
        // E b as a whole number over 2¹⁵⁹, divided by 2p − 1 as a whole number over 2⁵³.
        const signed = 2n * positives(mechanism, x) - CUBE;
        const contrast = 2n * whole(mechanism.keep) - UNITS;
        const units = (signed << 60n) / (contrast * UNITS ** 2n);
        expect(Math.abs(Number(units) * 2 ** -60 - x)).toBeLessThanOrEqual(2 ** -54);
        expect(Math.abs((scale * Number(contrast)) / 2 ** 53 - 1)).toBeLessThan(1e-15);
        // The square of a report is scale², so the variance at x is scale² − x².
        expect(largestVariance).toBe(scale * scale);
      }),
      { numRuns: 300, seed: 8 },
    );
  });

  test('spends all of ε at the ends: one unit more would be too much', () => {
    for (const epsilon of [1e-6, 0.1, 1, 4, 30]) {
      const mechanism = oneBitMean({ epsilon });
      const [p, q] = [positives(mechanism, 1), positives(mechanism, -1)];
      expect(p).toBe(whole(mechanism.keep) * UNITS ** 2n);
      expect(exceedsExponential(p + UNITS ** 2n, q - UNITS ** 2n, epsilon)).toBe(true);
      expect(exceedsExponential(p, q, mechanism.exactEpsilon * (1 - 1e-12))).toBe(true);
      expect(mechanism.exactEpsilon).toBeLessThanOrEqual(epsilon);
    }
    expect(oneBitMean({ epsilon: 1 }).scale).toBeCloseTo((Math.E + 1) / (Math.E - 1), 14);
  });
});

describe('reports of one bit', () => {
  test('have the probability of the channel, and an estimate within its standard error', () => {
    const mechanism = oneBitMean({ epsilon: 1 });
    const random = seededRandom('bit');
    const players = 200_000;
    let sum = 0;
    for (let i = 0; i < players; i++) sum += randomizeOneBitMean(mechanism, -0.3, random);
    const positive = (players + sum) / 2;
    const law = Number((positives(mechanism, -0.3) << 60n) / CUBE) * 2 ** -60;
    // A false alarm has probability 1e-4. The control: 5 % off.
    expect(proportionTest(positive, players, law)).toBeGreaterThan(1e-4);
    expect(proportionTest(positive, players, 1.05 * law)).toBeLessThan(1e-4);
    // The same event in other units: 4 standard errors, each exceeded with probability 6e-5.
    const error = Math.sqrt((mechanism.largestVariance - 0.09) / players);
    expect(Math.abs((mechanism.scale * sum) / players + 0.3)).toBeLessThan(4 * error);
  });

  test('stay as they were frozen', () => {
    // Computed independently, by a program in Python written from the law.
    const random = seededRandom('frozen');
    const mechanism = oneBitMean({ epsilon: 1 });
    const reports = [1, -1, 0, 0.5, -0.25, 0.1, -0.9, 0.3].map((x) => randomizeOneBitMean(mechanism, x, random));
    expect(reports).toEqual([-1, -1, 1, -1, 1, 1, -1, 1]);
    expect(bits(random)).toBe(2160256522);
  });
});

describe('one bit refuses', () => {
  test('a number outside [-1, 1], without its value and without a coin', () => {
    const mechanism = oneBitMean({ epsilon: 1 });
    for (const value of [1.0000001, -2, Number.NaN, Infinity]) {
      expect(() => randomizeOneBitMean(mechanism, value, scripted())).toThrow(
        new RangeError('"value" expected a number from -1 to 1'),
      );
    }
    expect(() => randomizeOneBitMean(mechanism, '1' as unknown as number, scripted())).toThrow(TypeError);
  });

  test('budgets out of range', () => {
    expect(() => oneBitMean({ epsilon: 0 })).toThrow('"epsilon" expected a number from 1e-9 to 500, got 0');
  });
});
