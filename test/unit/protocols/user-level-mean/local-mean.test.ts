import { describe, expect, test } from '@jest/globals';
import { localMean, samplesOf } from '../../../../protocols/user-level-mean/local-mean.ts';
import { printedEpsilon } from '../../../../protocols/user-level-mean/printed.ts';
import { defaultShares, searchRounds } from '../../../../protocols/user-level-mean/scalar/one-bit.ts';
import { binEdge, binsOf, pairEdge, popularBin } from '../../../../protocols/user-level-mean/scalar/question.ts';
import { randomizedResponse } from '../../../../src/mechanism/categories.ts';

describe('a local mean', () => {
  test('is the mean of all samples, however many', () => {
    expect(localMean({ samples: [0.5] }, 1)).toBe(0.5);
    expect(localMean({ samples: Float32Array.of(-2, 2, 1.5, 0.5) }, 2)).toBe(0.5);
    expect(samplesOf({ samples: new Float64Array(12) }, 4)).toBe(3);
  });

  test('of nothing, of part of a sample, or of a sample out of range is refused without its value', () => {
    expect(() => localMean({ samples: [] }, 1)).toThrow('"samples" expected at least one number');
    expect(() => samplesOf({ samples: [1, 2, 3] }, 2)).toThrow(
      '"samples" expected at least one sample, each of 2 numbers',
    );
    expect(() => localMean({ samples: [0, 1.25] }, 1)).toThrow('"samples" expected numbers from -1 to 1');
    expect(() => localMean({ samples: [Number.NaN] }, 3)).toThrow('"samples" expected numbers from -3 to 3');
  });
});

describe('bins', () => {
  const mechanism = randomizedResponse({ epsilon: 1, categories: 5 });
  const question = { kind: 'bin', lower: -1, upper: 1, mechanism } as const;
  const tally = (...counts: number[]) => ({ digest: '', players: 100, sums: Float64Array.from(counts) });

  test('the best pair, the best bin and the best three', () => {
    const seen = tally(10, 30, 28, 12, 20);
    expect(pairEdge(question, seen)).toBeCloseTo(binEdge(question, 2), 14);
    expect(popularBin(question, seen, 0)).toEqual({ lower: binEdge(question, 1), upper: binEdge(question, 2) });
    expect(popularBin(question, seen, 1)).toEqual({ lower: -1, upper: binEdge(question, 3) });
  });

  test('at the ends there is nothing beyond', () => {
    expect(popularBin(question, tally(40, 20, 15, 15, 10), 1)).toEqual({ lower: -1, upper: binEdge(question, 2) });
    expect(popularBin(question, tally(10, 15, 15, 20, 40), 1).upper).toBe(1);
    expect(pairEdge(question, tally(10, 15, 15, 20, 40))).toBeCloseTo(0.6, 14);
  });

  test('are at least two, and not more than can be distinguished', () => {
    expect(binsOf(1, 5)).toBe(2);
    expect(binsOf(1, 0.3)).toBe(6);
    expect(() => binsOf(1, 1e-9)).toThrow(/2\^20 bins/);
  });
});

test('the printed ε′ is advanced composition of two releases at δ/3', () => {
  // ε/(2√(2k·ln(1/δ′))) with k = 2 and δ′ = δ/3, computed by hand for ε = 1, δ = 1e-6: √ln(3e6) = 3.86188.
  expect(printedEpsilon({ epsilon: 1, delta: 1e-6 })).toBeCloseTo(1 / (4 * 3.86188), 6);
});

test('searching takes more rounds over longer ranges and with fewer bits, and all players have a share', () => {
  expect(searchRounds(10, 1000)).toBe(2);
  expect(searchRounds(4000, 1000)).toBe(3);
  expect(searchRounds(4000, 24)).toBe(5);
  for (const searches of [2, 3, 4, 5]) {
    const shares = defaultShares(searches);
    expect(shares).toHaveLength(searches + 2);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(Math.min(...shares)).toBeGreaterThan(0.09);
  }
});
