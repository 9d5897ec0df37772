import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COIN_UNITS, choiceLimits, exactChoice, exactCoin, twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { proportionTest } from '../../statistics/moments.ts';
import { scripted } from '../random/scripted.ts';
import {
  atMostExponential,
  budgets,
  coinWords,
  exceedsExponential,
  exponentialFraction,
  UNITS,
  whole,
} from './finite-channel.ts';

describe('an exact coin', () => {
  test.each([0, 1, 12345, 2 ** 21, 2 ** 52, 3 * 2 ** 51 + 1, 2 ** 53 - 1, 2 ** 53])(
    'of numerator %p comes up for exactly the numbers below it',
    (numerator) => {
      const edges = [0, numerator - 2, numerator - 1, numerator, numerator + 1, 2 ** 53 - 1];
      for (const number of edges.filter((it) => it >= 0 && it < 2 ** 53)) {
        const random = scripted(...coinWords(number));
        expect(exactCoin(numerator, random)).toBe(number < numerator);
        // Two words, whatever comes out; the eleven low bits of the second are not looked at.
        expect(random.next).toBe(random.words.length);
        const [high, low] = coinWords(number);
        expect(exactCoin(numerator, scripted(high, low + 2047))).toBe(number < numerator);
      }
    },
  );

  test('has the probability it says', () => {
    const random = seededRandom('coin');
    const tosses = 400_000;
    let heads = 0;
    for (let i = 0; i < tosses; i++) heads += exactCoin(0.3 * COIN_UNITS, random) ? 1 : 0;
    // A false alarm has probability 1e-4. The control: 5 % off.
    expect(proportionTest(heads, tosses, 0.3)).toBeGreaterThan(1e-4);
    expect(proportionTest(heads, tosses, 0.315)).toBeLessThan(1e-4);
  });
});

describe('an exact choice', () => {
  const shares = fc
    .array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 })
    .map((raw) => raw.map((share) => share / raw.reduce((sum, one) => sum + one, 0)));

  test('has limits that grow by whole numbers to 2⁵³, each the share to within a few units', () => {
    fc.assert(
      fc.property(shares, (asked) => {
        const limits = choiceLimits(asked);
        const units = limits.map((limit, i) => limit - (limits[i - 1] ?? 0));
        expect(limits.at(-1)).toBe(COIN_UNITS);
        units.forEach((unit, i) => {
          expect(Number.isInteger(unit) && unit >= 1).toBe(true);
          expect(Math.abs(unit - asked[i] * COIN_UNITS)).toBeLessThan(20);
        });
      }),
    );
  });

  test('by hand: thirds, and the largest takes what is left', () => {
    const third = Math.floor((1 / 3) * 2 ** 53);
    expect(choiceLimits([1 / 3, 1 / 3, 1 / 3])).toEqual([2 ** 53 - 2 * third, 2 ** 53 - third, 2 ** 53]);
    expect(choiceLimits([0.25, 0.75])).toEqual([2 ** 51, 2 ** 53]);
    expect(choiceLimits([1])).toEqual([2 ** 53]);
  });

  test('gives every outcome for exactly its numbers, with two words of the source', () => {
    const limits = choiceLimits([0.5, 0.3, 0.2]);
    for (const number of [0, limits[0] - 1, limits[0], limits[1] - 1, limits[1], 2 ** 53 - 1]) {
      const random = scripted(...coinWords(number));
      expect(exactChoice(limits, random)).toBe(limits.findIndex((limit) => number < limit));
      expect(random.next).toBe(random.words.length);
    }
  });
});

/** ε, and how many outputs are near and far. */
const channels = fc.record({
  epsilon: budgets,
  near: fc.integer({ min: 1, max: 1 << 20 }),
  far: fc.integer({ min: 1, max: 1 << 20 }),
});

describe('two levels of probability', () => {
  test('have a ratio of at most e^ε in whole numbers, and no probability is 0', () => {
    fc.assert(
      fc.property(channels, ({ epsilon, near, far }) => {
        const levels = twoLevels(epsilon, near, far);
        const keep = whole(levels.keep);
        const rest = UNITS - keep;
        expect(rest).toBeGreaterThan(0n);
        const above = keep * BigInt(far);
        const below = rest * BigInt(near);
        expect(above).toBeGreaterThan(below);
        expect(atMostExponential(above, below, epsilon)).toBe(true);
        // The ε that is stated is not below the true logarithm, nor above the one asked.
        expect(atMostExponential(above, below, levels.exactEpsilon) || levels.exactEpsilon === epsilon).toBe(true);
        expect(levels.exactEpsilon).toBeLessThanOrEqual(epsilon);
        // p − (1 − p)·near/far, from whole numbers.
        const contrast = Number(above - below) / (2 ** 53 * far);
        expect(Math.abs(levels.contrast / contrast - 1)).toBeLessThan(1e-15);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test('waste nothing: one unit more of keep probability would exceed e^ε', () => {
    fc.assert(
      fc.property(channels, ({ epsilon, near, far }) => {
        const keep = whole(twoLevels(epsilon, near, far).keep) + 1n;
        return keep === UNITS || exceedsExponential(keep * BigInt(far), (UNITS - keep) * BigInt(near), epsilon);
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  test('do not depend on a common factor of near and far', () => {
    expect(twoLevels(1, 6, 10)).toEqual(twoLevels(1, 3, 5));
  });

  test('spend what fits into 53 bits when ε is huge', () => {
    const { keep, exactEpsilon } = twoLevels(500, 1, 1);
    expect(keep).toBe(2 ** 53 - 1);
    expect(Math.abs(exactEpsilon - 53 * Math.LN2)).toBeLessThan(1e-9);
  });

  test('are refused where no number of 53 digits makes the near outputs the likelier ones', () => {
    // 1/(1 + 2²⁰) rounded down to a multiple of 2⁻⁵³ is too small by up to 2⁻³³ of it: the far outputs would be likelier, by more than e^ε.
    for (const [epsilon, near, far] of [
      [1e-12, 1, 2 ** 20],
      [1e-20, 3, 7],
      [0, 1, 2],
    ]) {
      expect(() => twoLevels(epsilon, near, far)).toThrow(
        '"epsilon" expected a number that multiples of 2^-53 can spend',
      );
    }
    for (const [epsilon, near, far] of [
      [1e-9, 1, 2 ** 20],
      [1e-20, 1, 1],
      [0, 1, 1],
    ]) {
      expect(twoLevels(epsilon, near, far).contrast).toBeGreaterThanOrEqual(0);
    }
  });

  test('are refused for anything but numbers in their ranges', () => {
    const untyped = twoLevels as (...values: unknown[]) => unknown;
    expect(() => untyped('1', 1, 1)).toThrow('"epsilon" expected a number from 1e-20 to 1000, got "1"');
    for (const epsilon of [1001, -1, 5e-324]) {
      expect(() => untyped(epsilon, 1, 1)).toThrow(`"epsilon" expected a number from 1e-20 to 1000, got ${epsilon}`);
    }
    expect(() => untyped(Number.NaN, 1, 1)).toThrow('"epsilon" expected a number from 0 to 1000, got NaN');
    // The smallest parts are still whole numbers of the units of the proof.
    expect(twoLevels(1e-20, 1, 1, 2 ** 52).exactEpsilon).toBeLessThanOrEqual(1e-20 / 2 ** 52);
    for (const values of [
      ['3', 1],
      [1, '1'],
      [0, 1],
      [1.5, 1],
      [1, 1n],
      [1, 1, 0],
    ]) {
      expect(() => untyped(1, ...values)).toThrow('"count" expected a whole number >= 1, got ');
    }
  });

  test('the bound of the tests itself is e^ε from below', () => {
    for (const epsilon of [0, 1e-6, 0.5, 1, 10, 40]) {
      const { above, below } = exponentialFraction(epsilon);
      const value = Number((above * 10n ** 60n) / below) / 1e60;
      expect(Math.abs(value / Math.exp(epsilon) - 1)).toBeLessThan(1e-15);
    }
    // e = 2.71828182845904523536028747135266249775724709369995…
    expect(atMostExponential(271828182845904523536028747135n, 10n ** 29n, 1)).toBe(true);
    expect(exceedsExponential(2718281828459045235360288n, 10n ** 24n, 1)).toBe(true);
  });
});
