// docs/errata.md, theorems 11 and 14, the degree. Printed: d = c·log(4/α) with a universal c. What holds: β falls with α, the
// branch points ½ ± iβ come nearer, and the degree is of order log(4/(αβ))/β: the sample size is exponential in 1/α.
import { expect, test } from '@jest/globals';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { smoothedHinge } from '../../src/risk/margin-loss.ts';

/** The least degree whose truncated Chebyshev series of f′_β is within α/4 of it on [−1, 1]. */
function degreeFor(alpha: number, beta: number): number {
  const { derivative } = smoothedHinge({ beta });
  const series = chebyshevSeries(derivative, 250);
  const points = Array.from({ length: 2001 }, (_, i) => (Math.PI * i) / 2000);
  const rest = points.map((theta) => derivative(Math.cos(theta)));
  for (let degree = 0; ; degree++) {
    for (const [i, theta] of points.entries()) rest[i] -= series[degree] * Math.cos(degree * theta);
    if (Math.max(...rest.map(Math.abs)) <= alpha / 4) return degree;
  }
}

// α = β, as theorem 11 needs it: smoothing costs β.
const alphas = [0.5, 0.2, 0.1, 0.05, 0.02];
const degrees = alphas.map((alpha) => degreeFor(alpha, alpha));

test('the degrees needed at α = β = .5, .2, .1, .05, .02 are 2, 8, 20, 49 and 158', () => {
  expect(degrees).toEqual([2, 8, 20, 49, 158]);
});

test('no universal c: d/log(4/α) grows by a factor of 30', () => {
  const constants = alphas.map((alpha, i) => degrees[i] / Math.log(4 / alpha));
  for (let i = 1; i < constants.length; i++) expect(constants[i]).toBeGreaterThan(1.8 * constants[i - 1]);
  expect(constants[4] / constants[0]).toBeGreaterThan(30);
});

test('d·β/log(4/(αβ)) stays between .33 and .37', () => {
  for (const [i, alpha] of alphas.entries()) {
    const constant = (degrees[i] * alpha) / Math.log(4 / alpha ** 2);
    expect(constant).toBeGreaterThan(0.33);
    expect(constant).toBeLessThan(0.37);
  }
});
