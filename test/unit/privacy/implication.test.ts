import { describe, expect, test } from '@jest/globals';
import { implies, readAt } from '../../../src/privacy/conversion.ts';
import { gdpMu } from '../../../src/privacy/gaussian.ts';
import { approximate, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';

const claim = approximate({ epsilon: 1, delta: 1e-6 });

describe('A guarantee meets a claim', () => {
  test('when its whole curve allows it, whatever its kind', () => {
    expect(implies(pure(1), claim)).toBe(true);
    expect(implies(pure(1.001), claim)).toBe(false);
    // 1.0000005: above ε, and still within it at this δ, since δ = (e^ε₀ − e)/(e^ε₀ + 1) = 3.7e-7.
    expect(implies(pure(1.0000005), claim)).toBe(true);
    expect(implies(gdp(gdpMu({ epsilon: 1, delta: 1e-6 })), claim)).toBe(true);
    expect(implies(gdp(gdpMu({ epsilon: 1, delta: 1e-6 }) * 1.0001), claim)).toBe(false);
    expect(implies(zcdp(0.02), claim)).toBe(true);
    expect(implies(zcdp(0.03), claim)).toBe(false);
    expect(implies(approximate({ epsilon: 0.9, delta: 1e-6 }), claim)).toBe(true);
    expect(implies(approximate({ epsilon: 0.9, delta: 2e-6 }), claim)).toBe(false);
  });

  test('in every valid direction and in no other', () => {
    expect(implies(gdp(0.001), pure(10))).toBe(false);
    expect(implies(zcdp(0.001), pure(10))).toBe(false);
    expect(implies(claim, pure(10))).toBe(false);
    expect(implies(pure(1), gdp(1.2321))).toBe(true);
    expect(implies(pure(1), gdp(1.232))).toBe(false);
    expect(implies(zcdp(0.001), gdp(10))).toBe(false);
    expect(implies(claim, gdp(10))).toBe(false);
    expect(implies(pure(1), zcdp(0.4622))).toBe(true);
    expect(implies(pure(1), zcdp(0.462))).toBe(false);
    expect(implies(gdp(1), zcdp(0.5))).toBe(true);
    expect(implies(claim, zcdp(10))).toBe(false);
  });

  test('up to the rounding of a budget that was split, and no further', () => {
    expect(0.1 + 0.2).toBeGreaterThan(0.3);
    expect(implies(pure(0.1 + 0.2), pure(0.3))).toBe(true);
    expect(implies(pure(0.3 * (1 + 1e-11)), pure(0.3))).toBe(false);
    const mu = gdpMu({ epsilon: 1, delta: 1e-6 });
    expect(implies(gdp(Math.sqrt(7 * (mu / Math.sqrt(7)) ** 2)), claim)).toBe(true);
  });

  test('only if both are guarantees', () => {
    expect(() => implies({ kind: 'gdp', mu: -1 }, claim)).toThrow(RangeError);
    expect(() => implies(pure(1), { kind: 'gdp', mu: Number.NaN })).toThrow(RangeError);
  });
});

describe('A guarantee read at a δ', () => {
  test('is nothing below the δ of an (ε, δ) guarantee', () => {
    expect(readAt(claim, 1e-7)).toBeNull();
    expect(readAt(claim, 1e-6 * (1 - 1e-13))).toEqual(claim);
    expect(readAt(claim, 1e-6)).toEqual(claim);
    expect(readAt(pure(1), 1e-6)?.epsilon).toBeLessThanOrEqual(1);
    expect(() => readAt(claim, 0)).toThrow(RangeError);
    expect(() => readAt({ kind: 'approximate', epsilon: 1, delta: Infinity }, 1e-6)).toThrow(RangeError);
    const text = '0.5' as unknown as number;
    expect(() => readAt({ kind: 'approximate', epsilon: 1, delta: text }, 1e-6)).toThrow(TypeError);
  });
});
