import { describe, expect, test } from '@jest/globals';
import { compensatedSum, exactEpsilon, exactParameter, exceedsClaim } from '../../../src/audit/claim.ts';
import { pureToGdpMu } from '../../../src/privacy/conversion.ts';
import { approximate, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** k-ary randomized response at datum x. */
function response(k: number, epsilon: number, x: number): number[] {
  const rest = 1 / (Math.exp(epsilon) + k - 1);
  return Array.from({ length: k }, (_, y) => (y === x ? Math.exp(epsilon) * rest : rest));
}

/** Σ max(0, p − e^ε·q). */
function hockeyStick(first: readonly number[], second: readonly number[], epsilon: number): number {
  return compensatedSum(first.map((p, i) => (second[i] === 0 ? p : Math.max(0, p - Math.exp(epsilon) * second[i]))));
}

function randomLaw(size: number, random: ReturnType<typeof seededRandom>): number[] {
  const weights = Array.from({ length: size }, () => (uniform(random) < 0.2 ? 0 : uniform(random)));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

describe('the exact parameters of a finite channel', () => {
  test.each([
    [2, 0.5],
    [4, 1],
    [16, 3],
  ])('%i-ary randomized response has exactly its ε = %p', (k, epsilon) => {
    const [first, second] = [response(k, epsilon, 0), response(k, epsilon, 1)];
    expect(exactParameter(pure(1), first, second)).toBeCloseTo(epsilon, 12);
    expect(exceedsClaim(exactParameter(pure(epsilon), first, second), pure(epsilon))).toBe(false);
    expect(exceedsClaim(exactParameter(pure(0.99 * epsilon), first, second), pure(0.99 * epsilon))).toBe(true);
  });

  test('binary randomized response has the μ and the ρ of its conversions', () => {
    const [first, second] = [response(2, 1.5, 0), response(2, 1.5, 1)];
    expect(exactParameter(gdp(1), first, second)).toBeCloseTo(pureToGdpMu(1.5), 10);
    expect(exactParameter(zcdp(1), first, second)).toBeCloseTo(1.5 * Math.tanh(0.75), 10);
  });

  test('ε at δ is the inverse of the hockey stick, for random laws with zeros', () => {
    const random = seededRandom('channels');
    let worst = 0;
    let infinite = 0;
    for (let round = 0; round < 300; round++) {
      const [first, second] = [randomLaw(12, random), randomLaw(12, random)];
      const delta = 0.3 * uniform(random);
      const epsilon = exactEpsilon(first, second, delta);
      if (epsilon === Infinity) {
        infinite++;
        worst = Math.max(worst, delta - hockeyStick(first, second, 60));
      } else if (epsilon > 0) worst = Math.max(worst, Math.abs(hockeyStick(first, second, epsilon) - delta));
      else worst = Math.max(worst, hockeyStick(first, second, 0) - delta);
    }
    expect(worst).toBeLessThan(1e-12);
    expect(infinite).toBeGreaterThan(20);
    expect(infinite).toBeLessThan(280);
  });

  test('by hand: Σ max(0, p − e^ε·q) of (.7, .3) against (.2, .8) is .3 at ε = ln 2', () => {
    expect(exactEpsilon([0.7, 0.3], [0.2, 0.8], 0.3)).toBeCloseTo(Math.LN2, 14);
  });

  test('an output that only one datum has is an infinite ε without δ, and none with enough of it', () => {
    expect(exactEpsilon([0.1, 0.9], [0, 1], 0)).toBe(Infinity);
    expect(exactEpsilon([0.1, 0.9], [0, 1], 0.2)).toBe(0);
    expect(exactParameter(approximate({ epsilon: 1, delta: 0.05 }), [0.1, 0.9], [0, 1])).toBe(Infinity);
  });

  test('a δ that is no probability is refused: NaN would pass for no loss at all', () => {
    for (const delta of [Number.NaN, -1e-9, 1.5]) {
      expect(() => exactEpsilon([0.75, 0.25], [0.25, 0.75], delta)).toThrow('"delta" expected a number from 0 to 1');
    }
    expect(() => exactEpsilon([0.75, 0.25], [0.25, 0.75], '0' as unknown as number)).toThrow(TypeError);
  });

  test('what is no pair of laws is refused', () => {
    expect(() => exactEpsilon([0.5, 0.5], [1], 0)).toThrow('"channel" expected 2 probabilities at every datum, got 1');
    expect(() => exactEpsilon([0.5, 0.4], [0.5, 0.5], 0)).toThrow(
      '"channel" expected probabilities >= 0 that sum to 1',
    );
    expect(() => exactEpsilon([1.5, -0.5], [0.5, 0.5], 0)).toThrow('got -0.5');
  });
});
