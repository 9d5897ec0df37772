import { describe, expect, test } from '@jest/globals';
import { leastEpsilon } from '../../../src/privacy/rounding.ts';
import {
  addClone,
  binomialDeviance,
  binomialMass,
  cloneShuffleDelta,
  startWalk,
  walkError,
  walkTo,
} from '../../../src/privacy/shuffle.ts';

/** C(m, k)·a^k·b^(m−k)/(a + b)^m from whole numbers. */
function exactMass(m: number, k: number, a: bigint, b: bigint): number {
  let choose = 1n;
  for (let i = 1n; i <= BigInt(k); i++) choose = (choose * (BigInt(m) - i + 1n)) / i;
  const scale = 10n ** 400n;
  const scaled = (choose * a ** BigInt(k) * b ** BigInt(m - k) * scale) / (a + b) ** BigInt(m);
  const digits = scaled.toString();
  return Number(`${digits.slice(0, 17)}e${digits.length - Math.min(17, digits.length) - 400}`);
}

describe('The binomial law', () => {
  test('has the masses of whole-number arithmetic, to 1e-13, at both ends too', () => {
    let worst = 0;
    for (const [m, a, b] of [
      [1, 1n, 3n],
      [7, 1n, 1n],
      [40, 1n, 999n],
      [300, 2n, 1n],
    ] as const) {
      const law = { trials: m, success: Number(a) / Number(a + b), failure: Number(b) / Number(a + b) };
      for (let k = 0; k <= m; k++) worst = Math.max(worst, Math.abs(binomialMass(law, k) / exactMass(m, k, a, b) - 1));
    }
    expect(worst).toBeLessThan(1e-13);
  });

  test('has tails below e^(−deviance)', () => {
    const law = { trials: 60, success: 0.3, failure: 0.7 };
    const masses = Array.from({ length: 61 }, (_, k) => binomialMass(law, k));
    const violations = masses.filter((_, k) => {
      const tail = (k < 18 ? masses.slice(0, k + 1) : masses.slice(k)).reverse().reduce((sum, p) => sum + p, 0);
      return tail > Math.exp(-binomialDeviance(law, k)) * (1 + 1e-12);
    });
    expect(violations).toEqual([]);
  });
});

describe('The walk over the number of clones', () => {
  test('keeps the masses and tails of fair coins, to its own bound on their error', () => {
    const law = { trials: 400, success: 0.4, failure: 0.6 };
    const walk = startWalk(law, 60);
    const worst = [0, 0, 0];
    for (;;) {
      const m = walk.clones;
      const j = Math.floor((m + 1) * 0.62);
      walkTo(walk, j);
      const coins = { trials: m, success: 0.5, failure: 0.5 };
      let above = 0;
      for (let a = m; a > j; a--) above += binomialMass(coins, a);
      const error = walkError(walk) + 1e-12;
      worst[0] = Math.max(worst[0], Math.abs(walk.weight / binomialMass(law, m) - 1) / error);
      worst[1] = Math.max(worst[1], Math.abs(walk.mass / binomialMass(coins, j) - 1) / error);
      worst[2] = Math.max(worst[2], Math.abs(walk.above / above - 1) / error);
      if (m === 260) break;
      addClone(walk);
    }
    expect(Math.max(...worst)).toBeLessThan(1);
    expect(walk.walked).toBe(200);
  });

  test('forgets what rounding leaves beyond the last outcome', () => {
    for (const players of [60, 120, 200, 400]) {
      for (const epsilon of [1e-9, 0.01, 0.5]) {
        const at = epsilon * (1 - 1e-5);
        // So near ε₀ only ones from everybody are likelier by more than e^ε; each other player tosses one with 1/(e^(ε₀) + 1).
        const ones = (players - 1) * Math.log1p(-1 / (Math.exp(epsilon) + 1));
        const truth = Math.exp(ones) * -Math.expm1(at - epsilon) * (1 / (1 + Math.exp(-epsilon)));
        const ratio = cloneShuffleDelta({ epsilon, players, randomizer: 'response' }, at) / truth;
        // ε₀ − ε has ten of its digits.
        expect(Math.abs(ratio - 1)).toBeLessThan(1e-8);
      }
    }
  });
});

describe('The search for the least accepted ε', () => {
  test('returns an accepted number, next to a refused one', () => {
    const border = 0.0123456789;
    const value = leastEpsilon((epsilon) => epsilon >= border, 50);
    expect(value).toBeGreaterThanOrEqual(border);
    expect(value / border - 1).toBeLessThan(2e-11);
  });

  test('returns 0 where that is accepted, and the number given where nothing below is', () => {
    expect(leastEpsilon(() => true, 3)).toBe(0);
    expect(leastEpsilon((epsilon) => epsilon >= 3, 3)).toBe(3);
  });
});
