import { describe, expect, test } from '@jest/globals';
import { type FitWeight, gaussianWeight, uniformWeight, weightedRule } from '../../../src/polynomial/weight.ts';

const square = { lower: -1, upper: 1 };

function mean(weight: FitWeight, f: (t: number) => number, interval = square): number {
  const { nodes, masses } = weightedRule(weight, f, interval, 2);
  return nodes.reduce((sum, t, i) => sum + masses[i] * f(t), 0);
}

describe('weights of a fit', () => {
  test('the uniform weight has mean square 1/3 on [−1, 1] and 4/3 on [−2, 2]', () => {
    expect(mean(uniformWeight(), (t) => t * t)).toBeCloseTo(1 / 3, 14);
    const wide = { lower: -2, upper: 2 };
    expect(mean(uniformWeight(wide), (t) => t * t, wide)).toBeCloseTo(4 / 3, 14);
  });

  test('a truncated Gaussian has the moments of the truncated normal law', () => {
    // Stein: E[t] = m + s²(φ-density at the ends, lower less upper); checked against a fine Riemann sum.
    for (const [m, s] of [
      [0.3, 0.4],
      [0, 5],
      [2.5, 0.3],
      [-1, 0.01],
    ]) {
      let [mass, first, second] = [0, 0, 0];
      const steps = 400_000;
      for (let i = 0; i < steps; i++) {
        const t = -1 + (2 * (i + 0.5)) / steps;
        const density = Math.exp(-(((t - m) / s) ** 2) / 2 + (Math.max(0, m - 1) / s) ** 2 / 2);
        mass += density;
        first += density * t;
        second += density * t * t;
      }
      const weight = gaussianWeight({ mean: m, deviation: s });
      expect(Math.abs(mean(weight, (t) => t) - first / mass)).toBeLessThan(1e-8);
      expect(Math.abs(mean(weight, (t) => t * t) - second / mass)).toBeLessThan(1e-8);
    }
  });

  test('a Gaussian narrower than any grid is found where it is', () => {
    const weight = gaussianWeight({ mean: 0.123, deviation: 1e-9 });
    expect(Math.abs(mean(weight, (t) => t) - 0.123)).toBeLessThan(1e-13);
    expect(Math.abs(mean(weight, (t) => ((t - 0.123) / 1e-9) ** 2) - 1)).toBeLessThan(1e-6);
  });

  test('a Gaussian far outside the interval puts its mass at the nearer end, without underflow', () => {
    // Tail of N(50, 1) below 1: 1 − t is exponential with rate 49 up to 1/49².
    expect(Math.abs(mean(gaussianWeight({ mean: 50, deviation: 1 }), (t) => 1 - t) - 1 / 49)).toBeLessThan(2 / 49 ** 3);
  });

  test('points carry their masses, normalised', () => {
    expect(mean({ points: [-1, 0.5], masses: [1, 3] }, (t) => t)).toBe(0.125);
  });

  test('refuses weights without mass, with negative mass, outside the interval or out of order', () => {
    const refused: [FitWeight, RegExp][] = [
      [{ points: [0], masses: [0] }, /"weight" expected a positive finite total mass, got 0/],
      [{ points: [], masses: [] }, /"weight" expected a positive finite total mass/],
      [{ points: [0, 1], masses: [1, -1] }, /"weight" expected masses >= 0, got -1/],
      [{ points: [0, 1], masses: [1] }, /"weight.masses" expected 2 numbers, got 1/],
      [{ points: [1.5], masses: [1] }, /"weight.points" expected points of the interval \[-1, 1\], got 1.5/],
      [{ density: () => 0, edges: [-1, 1] }, /"weight" expected a positive finite total mass/],
      [{ density: () => 1, edges: [-2, 1] }, /"weight.edges" expected ascending points/],
      [{ density: () => 1, edges: [0.5, 0] }, /"weight.edges" expected ascending points/],
    ];
    for (const [weight, message] of refused) expect(() => mean(weight, (t) => t)).toThrow(message);
    expect(() => gaussianWeight({ mean: 0, deviation: 0 })).toThrow('"deviation" expected a finite number > 0, got 0');
  });
});
