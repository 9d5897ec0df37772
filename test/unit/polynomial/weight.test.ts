import { describe, expect, test } from '@jest/globals';
import { type FitWeight, weightedRule } from '../../../src/polynomial/fit.ts';

const square = { lower: -1, upper: 1 };

function mean(weight: FitWeight, f: (t: number) => number, interval = square): number {
  const { nodes, masses } = weightedRule(weight, f, interval, 2);
  return nodes.reduce((sum, t, i) => sum + masses[i] * f(t), 0);
}

describe('weights of a fit', () => {
  test('the uniform weight has mean square 1/3 on [−1, 1] and 4/3 on [−2, 2]', () => {
    expect(mean({ density: () => 1, edges: [-1, 1] }, (t) => t * t)).toBeCloseTo(1 / 3, 14);
    const wide = { lower: -2, upper: 2 };
    expect(mean({ density: () => 1, edges: [wide.lower, wide.upper] }, (t) => t * t, wide)).toBeCloseTo(4 / 3, 14);
  });

  test('a density is integrated between its edges, however narrow it is', () => {
    const density = (t: number) => Math.exp(-(((t - 0.123) / 1e-6) ** 2) / 2);
    const edges = [-1, ...[-9, -3, -1, 0, 1, 3, 9].map((k) => 0.123 + k * 1e-6), 1];
    expect(Math.abs(mean({ density, edges }, (t) => t) - 0.123)).toBeLessThan(1e-13);
    expect(Math.abs(mean({ density, edges }, (t) => ((t - 0.123) / 1e-6) ** 2) - 1)).toBeLessThan(1e-6);
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
  });
});
