// Lemma 9 of Wang, Smith, Xu 2020: what the smoothed hinge loss f_β inherits from the hinge loss f. Its items, with the controls that
// fail, are the validation hinge-lemma-9 (test/validations/hinge); nothing is random.
import { expect, test } from '@jest/globals';
import { smoothedHinge } from '../../src/risk/margin-loss.ts';
import { lemma9 } from '../evidence/hinge/validations/lemma-9.ts';
import { failing, SEED } from '../validations/claims.ts';
import { runQuick } from '../validations/run.ts';

const BETAS = [1, 0.3, 0.05, 0.002];

test('lemma 9: every item holds as claimed', () => {
  const report = runQuick(lemma9, SEED);
  expect(report.claims.length).toBeGreaterThanOrEqual(8);
  expect(failing(report)).toEqual([]);
});

test('the loss states its constants: 1-Lipschitz, with slopes in (−1, 0), and 1/(2β)-smooth, met at the kink', () => {
  for (const beta of BETAS) {
    const f = smoothedHinge({ beta });
    const points = Array.from({ length: 2001 }, (_, i) => 0.5 + (i - 1000) * 0.02 * beta);
    expect([f.lipschitz, f.smoothness]).toEqual([1, 1 / (2 * beta)]);
    expect(points.every((t) => f.derivative(t) < 0 && f.derivative(t) > -1)).toBe(true);
    const curvatures = points.map(f.secondDerivative);
    expect(Math.min(...curvatures)).toBeGreaterThan(0);
    // Largest at the kink itself; 1 − 1e-12 would not do.
    expect(Math.abs(Math.max(...curvatures) * 2 * beta - 1)).toBeLessThan(1e-12);
  }
});

test('the f″ printed in the proof, β²/((x − ½)² + β²)^{3/2}, is twice the second derivative', () => {
  for (const beta of BETAS) {
    const f = smoothedHinge({ beta });
    for (const x of [-1, 0, 0.3, 0.5, 0.9]) {
      const printed = beta ** 2 / ((x - 0.5) ** 2 + beta ** 2) ** 1.5;
      expect(Math.abs(printed / f.secondDerivative(x) - 2)).toBeLessThan(1e-12);
    }
  }
});
