// Theorem 2 of Kang, Li, Liu, Wang: the generalisation error, best over τ. The bound is held against data by the validation
// influence-theorems-2-3.

import { expect, test } from '@jest/globals';
import { generalizationBound, populationRiskBound } from '../evidence/influence-sgd/bounds.ts';

const numbers = { excessRisk: 1e-4, leastRisk: 1e-3, records: 1000, lipschitz: 2, smoothness: 1.5, pl: 0.5 };

test('the generalisation error is the bound of Theorem 2 at the best τ, found by search, the population risk that and the excess empirical risk', () => {
  const at = (tau: number): number =>
    (8 * (tau + 1.5) * 1e-4) / 0.5 + (16 * 4 * (tau + 1.5)) / (1e6 * 0.25) + (1.5 * (1e-4 + 1e-3)) / tau;
  let least = Infinity;
  for (let i = -2000; i <= 2000; i++) least = Math.min(least, at(10 ** (i / 400)));
  expect(generalizationBound(numbers)).toBeLessThanOrEqual(least);
  expect(generalizationBound(numbers)).toBeGreaterThan(least * (1 - 1e-4));
  expect(populationRiskBound(numbers)).toBeCloseTo(generalizationBound(numbers) + 1e-4, 12);
});
