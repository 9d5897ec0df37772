// docs/errata.md, lemma 8. Printed: the gap of SIGM is at most a constant times βσ‖C‖²/√k + γ. What holds: a bound in which
// smoothness and deviation add, `sigmBound`. More of it in test/theory/lemma-8.test.ts.
import { expect, test } from '@jest/globals';
import { sigmChunk } from '../evidence/hinge/validations/lemma-8.ts';

/** The gap on a parabola after 16 calls of an exact oracle, which has every deviation σ ≥ 0, and its bound. */
function gaps(values: readonly number[]) {
  const { sums, bounds } = sigmChunk({ kind: 'small', order: 1, calls: [16], values, runs: 1 }, 0, '');
  return sums.map(([gap], i) => ({ gap, bound: bounds[i] }));
}

test('no constant saves the printed rate σ/√16: the gap over it is 3.8, 372 and 3.7·10⁶ at σ = 1e-2, 1e-4 and 1e-8', () => {
  const sigmas = [1e-2, 1e-4, 1e-8];
  const ratios = gaps(sigmas).map(({ gap }, i) => gap / (sigmas[i] / 4));
  [3.8, 372, 3.72e6].forEach((expected, i) => {
    expect(Math.abs(ratios[i] / expected - 1)).toBeLessThan(0.01);
  });
});

test('the bound in which they add holds for every σ, with 0', () => {
  for (const { gap, bound } of gaps([0, 1e-8, 1e-6, 1e-4, 1e-2, 1])) expect(gap).toBeLessThan(bound);
});
