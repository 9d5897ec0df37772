import { describe, expect, test } from '@jest/globals';
import { claimedParameter, concentration, finiteBound, parameterAbove } from '../../../src/audit/claim.ts';
import { normalCdf } from '../../../src/numeric/normal.ts';
import { approximate, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';

describe('the parameter that one event allows', () => {
  test('of a pure claim is the larger log ratio, of the event or of its complement', () => {
    expect(parameterAbove(pure(1), 0.6, 0.2)).toBeCloseTo(Math.log(3), 14);
    expect(parameterAbove(pure(1), 0.9, 0.5)).toBeCloseTo(Math.log(5), 14);
    expect(parameterAbove(pure(1), 0.5, 0)).toBe(Infinity);
  });

  test('of an (ε, δ) claim takes δ off the larger probability', () => {
    const claim = approximate({ epsilon: 1, delta: 0.1 });
    expect(parameterAbove(claim, 0.6, 0.2)).toBeCloseTo(Math.log(2.5), 14);
    expect(parameterAbove(claim, 0.25, 0.2)).toBe(0);
    expect(parameterAbove(claim, 0.1, 0)).toBe(0);
  });

  test('of a Gaussian claim is exact for a half-line and two normal laws', () => {
    for (const mu of [0.1, 1, 4]) {
      for (const edge of [-1, 0.5, 2]) {
        expect(parameterAbove(gdp(1), normalCdf(edge), normalCdf(edge - mu))).toBeCloseTo(mu, 11);
      }
    }
  });

  test('of a concentrated claim stays below μ²/2 for two normal laws, and reaches 2/π of it when they are close', () => {
    for (const mu of [0.02, 0.5, 2, 5]) {
      const rho = parameterAbove(zcdp(1), normalCdf(mu / 2), normalCdf(-mu / 2));
      expect(rho).toBeLessThan((mu * mu) / 2);
      if (mu < 1) expect(rho).toBeGreaterThan(0.63 * ((mu * mu) / 2));
    }
  });

  test('is 0 for an event that is not likelier, and grows with one probability and falls with the other', () => {
    for (const claim of [pure(1), approximate({ epsilon: 1, delta: 0.01 }), gdp(1), zcdp(1)]) {
      expect(parameterAbove(claim, 0.3, 0.3)).toBe(0);
      expect(parameterAbove(claim, 0.2, 0.3)).toBe(0);
      let falls = 0;
      for (let high = 0.2; high < 0.99; high += 0.05) {
        for (let low = 0.01; low + 0.02 < high; low += 0.05) {
          if (parameterAbove(claim, high + 0.01, low) < parameterAbove(claim, high, low)) falls++;
          if (parameterAbove(claim, high, low + 0.01) > parameterAbove(claim, high, low)) falls++;
        }
      }
      expect(falls).toBe(0);
    }
  });
});

test('the divergence of randomized response is the Kullback–Leibler one, ε·tanh(ε/2)', () => {
  const p = 1 / (1 + Math.exp(-2));
  expect(concentration([p, 1 - p], [1 - p, p])).toBeCloseTo(2 * Math.tanh(1), 12);
  expect(concentration([1, 0], [0, 1])).toBe(Infinity);
});

test('the parameter of a claim is what its kind is named by, and a bound fits in JSON', () => {
  expect([pure(2), approximate({ epsilon: 3, delta: 0.1 }), gdp(4), zcdp(5)].map(claimedParameter)).toEqual([
    2, 3, 4, 5,
  ]);
  expect(JSON.parse(JSON.stringify(finiteBound(Infinity)))).toBe(Number.MAX_VALUE);
});
