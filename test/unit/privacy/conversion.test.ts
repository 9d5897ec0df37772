import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  deltaAt,
  pureToGdpMu,
  pureToZcdpRho,
  pureWithinGdp,
  toApproximate,
  toGdp,
  toZcdp,
  zcdpEpsilon,
} from '../../../src/privacy/conversion.ts';
import { gdpDelta, gdpEpsilon } from '../../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { powerOfTen } from './powers-of-ten.ts';
import { answerRenyi, answersDelta } from './randomized-response.ts';

describe('Pure privacy as Gaussian privacy', () => {
  test('agrees with the reference values to 1e-13, from above', () => {
    // ε, μ computed independently with SciPy (first five) and mpmath; .5 and .50001 are the two sides of a seam.
    const golden = [
      [0.5, 0.6238925920985083],
      [1, 1.232035385344901],
      [2, 2.357961485647249],
      [4, 4.194478085560341],
      [8, 6.802568676155554],
      [1e-8, 1.2533141373155002e-8],
      [1e-3, 0.0012533141149018753],
      [0.1, 0.1253090122116076],
      [0.50001, 0.6239049608323526],
      [16, 10.35468248308015],
      [100, 27.776952066007773],
      [700, 74.59015926529483],
      [1000, 89.2314954639388],
    ];
    for (const [epsilon, mu] of golden) {
      expect(pureToGdpMu(epsilon) / mu - 1).toBeGreaterThan(0);
      expect(pureToGdpMu(epsilon) / mu - 1).toBeLessThan(1e-13);
    }
  });

  test('has an inverse that stays within μ, and a billionth below it', () => {
    for (const mu of [1e-6, 1e-3, 0.1, 1, 5, 30]) {
      expect(pureToGdpMu(pureWithinGdp(mu)) / mu - 1).toBeLessThan(0);
      expect(pureToGdpMu(pureWithinGdp(mu)) / mu - 1).toBeGreaterThan(-1.2e-9);
    }
  });

  test('lies above the exact curve of randomized response at every ε, and meets it at 0', () => {
    fc.assert(
      fc.property(powerOfTen(-6, 2.5), fc.double({ min: 0, max: 1.5, noNaN: true }), (epsilon0, share) => {
        const epsilon = share * epsilon0;
        return gdpDelta(pureToGdpMu(epsilon0), epsilon) >= deltaAt(pure(epsilon0), epsilon);
      }),
      { seed: 1, numRuns: 1000, endOnFailure: true },
    );
    for (const epsilon0 of [1e-6, 0.3, 1, 5]) {
      const mu = pureToGdpMu(epsilon0);
      expect(Math.abs(gdpDelta(mu, 0) / deltaAt(pure(epsilon0), 0) - 1)).toBeLessThan(1e-12);
      // Nothing to spare: a μ smaller by one part in a million would claim too much.
      expect(gdpDelta(mu * (1 - 1e-6), 0)).toBeLessThan(deltaAt(pure(epsilon0), 0));
    }
  });
});

describe('Pure privacy as zero-concentrated privacy', () => {
  test('is ε·tanh(ε/2), rounded up', () => {
    // Computed independently with mpmath.
    const golden = [
      [1e-8, 5e-17],
      [0.1, 0.004995837495787998],
      [0.5, 0.12245933120185457],
      [1, 0.46211715726000974],
      [16, 15.999996398874814],
      [1000, 1000],
    ];
    for (const [epsilon, rho] of golden) {
      expect(pureToZcdpRho(epsilon) / rho - 1).toBeGreaterThan(0);
      expect(pureToZcdpRho(epsilon) / rho - 1).toBeLessThan(1e-13);
    }
  });

  test('bounds every Rényi divergence of randomized response, and is reached as the order tends to 1', () => {
    for (const epsilon of [0.01, 0.1, 0.5, 1, 2, 4, 8]) {
      const rho = pureToZcdpRho(epsilon);
      let most = 0;
      for (let k = -40; k <= 20; k++) {
        const alpha = 1 + 10 ** (k / 10);
        if (alpha * epsilon < 600) most = Math.max(most, answerRenyi(epsilon, alpha) / alpha);
      }
      // 1e-9 is the rounding of the logarithm divided by α − 1 ≥ 1e-4 and by ρ ≥ 5e-5.
      expect(most / rho).toBeLessThan(1 + 1e-7);
      expect(most / rho).toBeGreaterThan(1 - 1e-3);
    }
  });

  test('is below ε²/2, and close to it for small ε', () => {
    for (const epsilon of [0.01, 0.1, 1, 10]) expect(pureToZcdpRho(epsilon)).toBeLessThan((epsilon * epsilon) / 2);
    expect(pureToZcdpRho(0.01) / 5e-5).toBeGreaterThan(0.9999);
  });
});

describe('Conversions between guarantees', () => {
  test('go from pure to Gaussian to concentrated, by the numbers', () => {
    expect(toGdp(pure(1))).toEqual(gdp(pureToGdpMu(1)));
    expect(toGdp(gdp(0.7))).toEqual(gdp(0.7));
    expect(toZcdp(pure(1))).toEqual(zcdp(pureToZcdpRho(1)));
    expect(toZcdp(gdp(2))).toEqual(zcdp(2));
    expect(toZcdp(zcdp(3))).toEqual(zcdp(3));
    expect(toApproximate(gdp(1), 1e-6)).toEqual(approximate({ epsilon: gdpEpsilon(1, 1e-6), delta: 1e-6 }));
    expect(toApproximate(zcdp(0.5), 1e-6)).toEqual(approximate({ epsilon: zcdpEpsilon(0.5, 1e-6), delta: 1e-6 }));
  });

  test('refuse a δ below that of the guarantee', () => {
    const weak = approximate({ epsilon: 1, delta: 1e-6 });
    expect(() => toApproximate(weak, 1e-7)).toThrow('"delta" expected a number >= 0.000001');
  });

  test('refuse numbers out of range', () => {
    for (const convert of [pureToGdpMu, pureToZcdpRho]) {
      expect(() => convert(0)).toThrow(RangeError);
      expect(() => convert(-1)).toThrow(RangeError);
      expect(() => convert(Number.NaN)).toThrow(RangeError);
      expect(() => convert(Infinity)).toThrow(RangeError);
    }
    expect(() => deltaAt(pure(1), -1)).toThrow('"epsilon"');
    expect(() => toApproximate(pure(1), 0)).toThrow('"delta"');
    expect(() => toApproximate(pure(1), 1)).toThrow('"delta"');
    expect(() => deltaAt({ kind: 'gdp', mu: -1 }, 1)).toThrow('"mu"');
  });
});

describe('The (ε, δ) curve of a guarantee', () => {
  test('of a pure guarantee is that of randomized response, by enumeration', () => {
    for (const epsilon0 of [0.1, 1, 3]) {
      for (const epsilon of [0, 0.05, 0.5, 1, 2, 4]) {
        expect(deltaAt(pure(epsilon0), epsilon)).toBeCloseTo(answersDelta(epsilon0, 1, epsilon), 14);
      }
    }
    expect(deltaAt(pure(1), 1)).toBe(0);
    expect(deltaAt(pure(1000), 999)).toBeCloseTo(1 - Math.exp(-1), 14);
  });

  test('of an (ε₀, δ₀) guarantee is that of the four-point channel that reveals the datum with probability δ₀', () => {
    const delta0 = 0.1;
    const epsilon0 = 1.5;
    // Outcomes: revealed as 0, revealed as 1, answered 0, answered 1.
    const truth = (1 - delta0) / (1 + Math.exp(-epsilon0));
    const lie = 1 - delta0 - truth;
    const here = [delta0, 0, truth, lie];
    const there = [0, delta0, lie, truth];
    for (const epsilon of [0, 0.3, 1, 1.5, 3]) {
      let exact = 0;
      for (let i = 0; i < 4; i++) exact += Math.max(0, here[i] - Math.exp(epsilon) * there[i]);
      expect(deltaAt(approximate({ epsilon: epsilon0, delta: delta0 }), epsilon)).toBeCloseTo(exact, 14);
    }
  });

  test('falls in ε for every kind of guarantee', () => {
    const any: Guarantee[] = [pure(2), approximate({ epsilon: 2, delta: 1e-3 }), gdp(1), zcdp(0.4)];
    for (const guarantee of any) {
      let before = 1;
      let rises = 0;
      for (let epsilon = 0; epsilon < 4; epsilon += 0.05) {
        const delta = deltaAt(guarantee, epsilon);
        if (delta > before) rises++;
        before = delta;
      }
      expect(rises).toBe(0);
      expect(before).toBeLessThan(0.01);
    }
  });

  test('is read back at the δ asked for, on the safe side', () => {
    const kinds = fc.oneof(
      powerOfTen(-3, 1.5).map(pure),
      powerOfTen(-3, 1).map(gdp),
      powerOfTen(-4, 1).map(zcdp),
      fc.tuple(powerOfTen(-3, 1.5), powerOfTen(-18, -3)).map(([epsilon, delta]) => approximate({ epsilon, delta })),
    );
    fc.assert(
      fc.property(kinds, powerOfTen(-18, -0.01), (guarantee, delta) => {
        if (guarantee.kind === 'approximate' && delta < guarantee.delta) return true;
        const { epsilon } = toApproximate(guarantee, delta);
        // The slack is the rounding of deltaAt, of the order of 1e-16 absolute near ε₀.
        return deltaAt(guarantee, epsilon) <= delta * (1 + 1e-11) + 1e-16;
      }),
      { seed: 2, numRuns: 800, endOnFailure: true },
    );
  });

  test('of a pure guarantee gains a little at a generous δ, and ends at ε = 0', () => {
    expect(toApproximate(pure(1), 1e-18).epsilon).toBe(1);
    // e^ε − δ(1 + e^ε) = e − .1·(1 + e) = 2.346…; its logarithm is .8528
    expect(toApproximate(pure(1), 0.1).epsilon).toBeCloseTo(Math.log(Math.E - 0.1 * (1 + Math.E)), 13);
    expect(toApproximate(pure(1), 0.5)).toEqual({ kind: 'approximate', epsilon: 0, delta: 0.5 });
    expect(toApproximate(approximate({ epsilon: 1, delta: 0.1 }), 0.1).epsilon).toBe(1);
    expect(toApproximate(approximate({ epsilon: 1, delta: 0.1 }), 0.2).epsilon).toBeLessThan(1);
  });
});
