import { expect, test } from '@jest/globals';
import { budgetsOf, largestMu, meanInverseSquare, muAt, smallestMu } from '../../../../protocols/online-sgd/noise.ts';

const { abs, max, min, sqrt } = Math;

test('a list is gone through again and again', () => {
  const budgets = budgetsOf({ rule: 'list', mus: [0.5, 2, 1] });
  expect([1, 2, 3, 4, 5].map((place) => muAt(budgets, place))).toEqual([0.5, 2, 1, 0.5, 2]);
  expect([smallestMu(budgets), largestMu(budgets)]).toEqual([0.5, 2]);
  expect(meanInverseSquare(budgets)).toBeCloseTo((4 + 0.25 + 1) / 3, 15);
});

test('uniform budgets are uniform, the same for everybody who knows the seed, and others for another seed', () => {
  const budgets = budgetsOf({ rule: 'uniform', low: 1, high: 2, seed: 'a' });
  const trials = 20_000;
  let [sum, inverse, least, most] = [0, 0, 2, 1];
  for (let place = 1; place <= trials; place++) {
    const mu = muAt(budgets, place);
    sum += mu / trials;
    inverse += 1 / (mu * mu) / trials;
    least = min(least, mu);
    most = max(most, mu);
  }
  // 5 standard errors of a uniform number; 1/μ² lies between ¼ and 1.
  expect(abs(sum - 1.5)).toBeLessThan(5 / sqrt(12 * trials));
  expect(abs(inverse - meanInverseSquare(budgets))).toBeLessThan((5 * 0.375) / sqrt(trials));
  expect(meanInverseSquare(budgets)).toBe(0.5);
  expect([least > 1, most < 2, least < 1.001, most > 1.999]).toEqual([true, true, true, true]);
  const again = budgetsOf({ rule: 'uniform', low: 1, high: 2, seed: 'a' });
  const other = budgetsOf({ rule: 'uniform', low: 1, high: 2, seed: 'b' });
  expect(muAt(again, 77)).toBe(muAt(budgets, 77));
  expect(muAt(other, 77)).not.toBe(muAt(budgets, 77));
});
