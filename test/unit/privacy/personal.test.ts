import { describe, expect, test } from '@jest/globals';
import { approximate, gdp, personalGuarantees, pure, zcdp } from '../../../src/privacy/guarantee.ts';

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
