import { describe, expect, test } from '@jest/globals';
import {
  approximate,
  checkGuarantee,
  describeGuarantee,
  type Guarantee,
  gdp,
  pure,
  zcdp,
} from '../../../src/privacy/guarantee.ts';

describe('A guarantee', () => {
  test('is plain data that survives JSON', () => {
    const all: Guarantee[] = [pure(1), approximate({ epsilon: 1, delta: 1e-6 }), gdp(0.5), zcdp(0.125)];
    expect(all).toEqual([
      { kind: 'pure', epsilon: 1 },
      { kind: 'approximate', epsilon: 1, delta: 1e-6 },
      { kind: 'gdp', mu: 0.5 },
      { kind: 'zcdp', rho: 0.125 },
    ]);
    expect(JSON.parse(JSON.stringify(all)).map((one: Guarantee) => checkGuarantee('one', one))).toEqual(all);
  });

  test('is described in one line, its numbers rounded up', () => {
    expect(describeGuarantee(pure(1))).toBe('pure, ε = 1');
    expect(describeGuarantee(approximate({ epsilon: 0.5, delta: 1e-6 }))).toBe('approximate, ε = 0.5, δ = 1e-6');
    expect(describeGuarantee(gdp(1.23203538))).toBe('Gaussian, μ = 1.23204');
    expect(describeGuarantee(zcdp(0.5000000001))).toBe('zero-concentrated, ρ = 0.500001');
  });

  test('with a number out of range is refused, and the message names it', () => {
    expect(() => pure(0)).toThrow('"epsilon" expected a finite number > 0, got 0');
    expect(() => pure(Number.NaN)).toThrow(RangeError);
    expect(() => pure(Infinity)).toThrow(RangeError);
    expect(() => gdp(-1)).toThrow('"mu" expected a finite number > 0, got -1');
    expect(() => gdp(0)).toThrow(RangeError);
    expect(() => zcdp(0)).toThrow('"rho"');
    expect(() => approximate({ epsilon: 1, delta: 0 })).toThrow('"delta" expected a number strictly between 0 and 1');
    expect(() => approximate({ epsilon: 1, delta: 1 })).toThrow(RangeError);
    expect(() => approximate({ epsilon: -1, delta: 0.5 })).toThrow('"epsilon"');
    expect(() => approximate({ epsilon: Number.NaN, delta: 0.5 })).toThrow(RangeError);
    expect(() => pure('1' as unknown as number)).toThrow(TypeError);
  });

  test('may have ε = 0 only together with a δ, as a bound on the total variation distance', () => {
    expect(approximate({ epsilon: 0, delta: 0.5 })).toEqual({ kind: 'approximate', epsilon: 0, delta: 0.5 });
  });

  test('from elsewhere is checked field by field, and reduced to its fields', () => {
    const loose = { kind: 'pure', epsilon: 1, note: 'x' } as Guarantee;
    expect(checkGuarantee('given', loose)).toEqual({ kind: 'pure', epsilon: 1 });
    expect(() => checkGuarantee('given', { kind: 'renyi' } as unknown as Guarantee)).toThrow('"given.kind"');
    expect(() => checkGuarantee('given', null as unknown as Guarantee)).toThrow(TypeError);
    expect(() => checkGuarantee('given', { kind: 'gdp' } as Guarantee)).toThrow(TypeError);
    expect(() => checkGuarantee('given', { kind: 'zcdp', rho: -1 })).toThrow(RangeError);
  });
});
