// docs/errata.md, theorems 11 and 14, the degree. Printed: d = c·log(4/α) with a universal c. What holds: β falls with α, the
// branch points ½ ± iβ come nearer, and the degree is of order log(4/(αβ))/β: the sample size is exponential in 1/α.
import { expect, test } from '@jest/globals';
import { degree } from '../evidence/hinge/validations/degree.ts';
import { failing } from '../validations/claims.ts';

// α = β, as theorem 11 needs it: smoothing costs β.
const ALPHAS = [0.5, 0.2, 0.1, 0.05, 0.02];

test('the degrees needed at α = β = .5, .2, .1, .05, .02 are 2, 8, 20, 49 and 158: not c·log(4/α), but of order log(4/(αβ))/β', () => {
  const results = ALPHAS.map((target) => {
    const setting = { target, most: 250 };
    return { cell: { key: '', label: '', setting, chunks: 1 }, chunks: [degree.chunk(setting, 0, '')] };
  });
  expect(results.map(({ chunks: [found] }) => found.degree)).toEqual([2, 8, 20, 49, 158]);
  expect(failing(degree.report(results))).toEqual([]);
});
