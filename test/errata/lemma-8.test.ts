// docs/errata.md, lemma 8. Printed: the gap of SIGM is at most a constant times βσ‖C‖²/√k + γ. What holds: a bound in which
// smoothness and deviation add, `sigmBound`. More of it in test/theory/lemma-8.test.ts.
import { expect, test } from '@jest/globals';
import type { StochasticOracle } from '../../src/optimize/oracle.ts';
import { sigm, sigmBound } from '../../src/optimize/stochastic-gradient.ts';

const [CALLS, RADIUS, SMOOTHNESS] = [16, 1, 1];

/** The printed rate, γ = 0, without its constant. */
const printedRate = (deviation: number): number => (SMOOTHNESS * deviation * RADIUS ** 2) / Math.sqrt(CALLS);

/** The gap on (λ/2)(w − 1)² after 16 calls of an exact oracle, which has every deviation σ ≥ 0. */
function gap(deviation: number): number {
  const curvature = 1 / 32;
  const oracle: StochasticOracle = { dimension: 1, gradient: (at, answer) => answer.fill(curvature * (at[0] - 1)) };
  const { point } = sigm({ oracle, radius: RADIUS, iterations: CALLS, order: 1, smoothness: SMOOTHNESS, deviation });
  return (curvature / 2) * (point[0] - 1) ** 2;
}

test('no constant saves the printed rate: over it the gap grows without limit as σ → 0', () => {
  const ratios = [1e-2, 1e-4, 1e-6, 1e-8].map((deviation) => gap(deviation) / printedRate(deviation));
  expect(ratios[0]).toBeGreaterThan(1);
  for (let i = 1; i < ratios.length; i++) expect(ratios[i] / ratios[i - 1]).toBeGreaterThan(50);
});

test('the bound in which they add holds for every σ, with 0', () => {
  for (const deviation of [0, 1e-8, 1e-6, 1e-4, 1e-2, 1]) {
    const bound = sigmBound({ iterations: CALLS, order: 1, radius: RADIUS, smoothness: SMOOTHNESS, deviation });
    expect(gap(deviation)).toBeLessThan(bound);
  }
});
