import { describe, expect, test } from '@jest/globals';
import { approximate, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { personalGuarantees, poolWeights } from '../../../src/privacy/personal.ts';

describe('Personal budgets', () => {
  test('give each player their own level, and all of them the largest', () => {
    const levels = [pure(1), pure(0.5), pure(4)];
    expect(personalGuarantees(levels)).toEqual({ personal: levels, maximal: pure(4) });
    expect(personalGuarantees([gdp(1), gdp(2)]).maximal).toEqual(gdp(2));
    expect(personalGuarantees([zcdp(1), zcdp(0.1)]).maximal).toEqual(zcdp(1));
    const mixed = [approximate({ epsilon: 1, delta: 1e-9 }), approximate({ epsilon: 0.5, delta: 1e-6 })];
    expect(personalGuarantees(mixed).maximal).toEqual(approximate({ epsilon: 1, delta: 1e-6 }));
  });

  test('refuse levels of several kinds, none, and what is not a guarantee', () => {
    expect(() => personalGuarantees([pure(1), gdp(1)])).toThrow(
      '"levels" expected guarantees of one kind, got pure, ε = 1 and Gaussian, μ = 1',
    );
    expect(() => personalGuarantees([])).toThrow('"levels" expected at least one entry, got none');
    expect(() => personalGuarantees([{ kind: 'pure', epsilon: -1 }])).toThrow(RangeError);
  });
});

describe('Weights for pooling', () => {
  test('are inverse to the variances and sum to 1', () => {
    expect([...poolWeights([1, 2, 4])]).toEqual([4 / 7, 2 / 7, 1 / 7]);
    expect([...poolWeights([3])]).toEqual([1]);
  });

  test('make the least variance of all weights: any move towards another estimate costs', () => {
    const variances = [0.3, 1, 7];
    const weights = poolWeights(variances);
    const variance = (w: ArrayLike<number>): number => variances.reduce((sum, v, i) => sum + w[i] * w[i] * v, 0);
    const least = variance(weights);
    expect(least).toBeCloseTo(1 / (1 / 0.3 + 1 + 1 / 7), 14);
    for (let from = 0; from < 3; from++) {
      const moved = weights.slice();
      moved[from] -= 0.01;
      moved[(from + 1) % 3] += 0.01;
      expect(variance(moved)).toBeGreaterThan(least);
    }
  });

  test('survive variances at both ends of the range', () => {
    expect([...poolWeights([5e-324, 1e308])]).toEqual([1, 0]);
    expect([...poolWeights([1e308, 1e308])]).toEqual([0.5, 0.5]);
  });

  test('refuse a variance that is not one', () => {
    expect(() => poolWeights([1, 0])).toThrow('"variances[1]" expected a finite number > 0, got 0');
    expect(() => poolWeights([])).toThrow('"variances" expected at least one entry, got none');
  });
});
