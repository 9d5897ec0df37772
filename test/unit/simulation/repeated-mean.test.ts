import { describe, expect, test } from '@jest/globals';
import { meanErrors } from '../../../src/node/kinds/users/question.ts';

const estimate = (mean: readonly number[], error: readonly number[]) => ({
  players: 1,
  mean: Float64Array.from(mean),
  standardError: Float64Array.from(error),
});

describe('errors of estimates', () => {
  test('are by hand: error² = bias² + variance, of one dimension with its sign', () => {
    const { error, bias, deviation, claimedError } = meanErrors([estimate([1], [3]), estimate([4], [4])], [3]);
    expect(error).toBeCloseTo(Math.sqrt((4 + 1) / 2), 14);
    expect(bias).toBeCloseTo(-0.5, 14);
    expect(deviation).toBeCloseTo(Math.sqrt(4.5), 14);
    expect(claimedError).toBeCloseTo(Math.sqrt(12.5), 14);
  });

  test('of several dimensions are lengths', () => {
    const found = meanErrors([estimate([3, 4], [1, 2])], [0, 0]);
    expect(found).toEqual({ error: 5, bias: 5, deviation: null, claimedError: Math.sqrt(5) });
  });

  test('of nothing, or of another dimension, are refused', () => {
    expect(() => meanErrors([], [0])).toThrow('"estimates.length" expected a whole number >= 1, got 0');
    expect(() => meanErrors([estimate([1, 2], [0, 0])], [0])).toThrow('"mean" expected 1 numbers, got 2');
  });
});
