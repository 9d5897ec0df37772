import { describe, expect, test } from '@jest/globals';
import { deltaAt, leastTypeTwo } from '../../../src/privacy/conversion.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';

const ERRORS = Array.from({ length: 201 }, (_, i) => i / 200);

describe('the trade-off function', () => {
  test('has the values that are known by hand', () => {
    // Randomized response at ε = ln 3 answers truthfully with probability 3/4: its one test errs 1/4 and 1/4.
    expect(leastTypeTwo(pure(Math.log(3)), 0.25)).toBeCloseTo(0.25, 14);
    expect(leastTypeTwo(pure(Math.log(3)), 0.1)).toBeCloseTo(0.7, 14);
    expect(leastTypeTwo(pure(Math.log(3)), 0.7)).toBeCloseTo(0.1, 14);
    expect(leastTypeTwo(approximate({ epsilon: 0, delta: 0.2 }), 0.3)).toBeCloseTo(0.5, 14);
    expect(leastTypeTwo(approximate({ epsilon: Math.log(2), delta: 0.1 }), 0.95)).toBe(0);
    // Φ(1.644853627 − 1) = 0.740488…, with SciPy.
    expect(leastTypeTwo(gdp(1), 0.05)).toBeCloseTo(0.7404887, 6);
    expect([leastTypeTwo(gdp(1), 0), leastTypeTwo(gdp(1), 1)]).toEqual([1, 0]);
  });

  // The δ(ε) of a concentrated guarantee are bounds that no one law attains, so that together they say more than δ(0).
  test.each<[string, Guarantee, number]>([
    ['pure', pure(1), 5e-3],
    ['approximate', approximate({ epsilon: 1, delta: 0.05 }), 5e-3],
    ['gdp', gdp(1), 1e-4],
    ['zcdp', zcdp(0.5), 0.02],
  ])('of a %s guarantee agrees with its δ(0), falls, and is its own mirror image', (_, guarantee, above) => {
    const bounds = ERRORS.map((typeOne) => leastTypeTwo(guarantee, typeOne));
    // 1 − δ(0) is the least sum of both errors (Dong, Roth, Su, after Proposition 2.12); the grid of errors may miss it by
    // the slope, at most e − 1 here, times half its step of 1/200.
    const sum = Math.min(...bounds.map((bound, i) => bound + ERRORS[i]));
    expect(sum).toBeGreaterThan(1 - deltaAt(guarantee, 0) - 1e-12);
    expect(sum).toBeLessThan(1 - deltaAt(guarantee, 0) + above);
    expect(bounds.every((bound, i) => i === 0 || bound <= bounds[i - 1])).toBe(true);
    for (const [i, bound] of bounds.entries()) {
      if (bound > 0) expect(leastTypeTwo(guarantee, bound)).toBeLessThan(ERRORS[i] + 1e-2);
    }
  });

  test('of a concentrated guarantee lies below that of the Gaussian release it comes from, not far', () => {
    for (const typeOne of [0.01, 0.05, 0.2, 0.5]) {
      const [concentrated, gaussian] = [zcdp(0.125), gdp(0.5)].map((one) => leastTypeTwo(one, typeOne));
      expect(concentrated).toBeLessThan(gaussian);
      expect(concentrated).toBeGreaterThan(gaussian - 0.25);
    }
  });

  test('is a number where e^ε is none', () => {
    const guarantees = [pure(800), approximate({ epsilon: 1e4, delta: 0.25 }), zcdp(500)];
    const bounds = guarantees.map((one) => leastTypeTwo(one, 0));
    for (const [i, bound] of [1, 0.75, 1].entries()) expect(bounds[i]).toBeCloseTo(bound, 9);
    for (const one of guarantees) expect(leastTypeTwo(one, 0.5)).toBeCloseTo(0, 9);
  });

  test('refuses an error that is no probability', () => {
    expect(() => leastTypeTwo(pure(1), 1.5)).toThrow('"typeOne" expected a number <= 1, got 1.5');
    expect(() => leastTypeTwo(pure(1), -0.1)).toThrow('"typeOne"');
  });
});
