import { describe, expect, test } from '@jest/globals';
import { gaussLobatto } from '../../../src/polynomial/chebyshev.ts';
import { panelRule } from '../../../src/polynomial/fit.ts';

/** ∫ of one function by the composite rule made for it. */
function integrate(f: (t: number) => number, edges: number[], panels: number): number {
  const { nodes, masses } = panelRule(
    edges,
    (t, values) => {
      values[0] = f(t);
    },
    panels,
  );
  return nodes.reduce((sum, t, i) => sum + masses[i] * f(t), 0);
}

describe('the Gauss–Lobatto rule', () => {
  test('by hand: three nodes are Simpson’s rule, four have ±1/√5 inside', () => {
    const three = gaussLobatto(3);
    expect(Math.max(...[-1, 0, 1].map((x, i) => Math.abs(three.nodes[i] - x)))).toBeLessThan(1e-15);
    expect(Math.max(...[1 / 3, 4 / 3, 1 / 3].map((x, i) => Math.abs(three.masses[i] - x)))).toBeLessThan(1e-15);
    expect(Math.abs(gaussLobatto(4).nodes[2] - 1 / Math.sqrt(5))).toBeLessThan(1e-15);
  });

  test('is exact up to degree 2n − 3 and not at 2n − 2', () => {
    for (const n of [2, 3, 5, 12]) {
      const { nodes, masses } = gaussLobatto(n);
      let worst = 0;
      const error = (k: number): number =>
        Math.abs(nodes.reduce((sum, x, i) => sum + masses[i] * x ** k, 0) - (k % 2 === 0 ? 2 / (k + 1) : 0));
      for (let k = 0; k <= 2 * n - 3; k++) worst = Math.max(worst, error(k));
      expect(worst).toBeLessThan(2e-15 * n);
      expect(error(2 * n - 2)).toBeGreaterThan(1e-9);
    }
  });
});

describe('the panel rule', () => {
  test('integrates a narrow smooth peak to 1e-13', () => {
    const width = 1e-3;
    const exact = width * (Math.atan(0.7 / width) + Math.atan(1.3 / width));
    const f = (t: number): number => 1 / (1 + ((t - 0.3) / width) ** 2);
    expect(Math.abs(integrate(f, [-1, 1], 4) - exact)).toBeLessThan(1e-13);
  });

  test('closes in on a jump wherever it is, also within a hair of the edge of a panel', () => {
    let worst = 0;
    for (const jump of [0.1234, 0.5, 0.49999, 0.5 + 1e-9, -1 + 1e-6]) {
      const f = (t: number): number => (t < jump ? -1 : 0) * Math.exp(t);
      worst = Math.max(worst, Math.abs(integrate(f, [-1, 1], 2) + Math.exp(jump) - Math.exp(-1)));
    }
    expect(worst).toBeLessThan(1e-11);
  });

  test('respects the edges it is given', () => {
    const { nodes } = panelRule(
      [0, 0.25, 2],
      (t, values) => {
        values[0] = t;
      },
      1,
    );
    expect(nodes[0]).toBe(0);
    expect(nodes[nodes.length - 1]).toBe(2);
    expect(nodes.includes(0.25)).toBe(true);
    expect(nodes.every((t, i) => i === 0 || t >= nodes[i - 1])).toBe(true);
  });

  test('refuses what it cannot integrate', () => {
    // Different at every point, so that no panel ever settles.
    const rough = (t: number): number => ((t * 1e9) % 1) + ((t * 7919) % 1);
    expect(() => integrate(rough, [0, 1], 1)).toThrow(/"f" expected a function integrable with 20000 panels/);
    expect(() => integrate((t) => 1 / t, [0, 1], 1)).toThrow('"f(t)" expected finite numbers, got Infinity');
  });
});
