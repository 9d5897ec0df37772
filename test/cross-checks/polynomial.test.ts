import { describe, expect, test } from '@jest/globals';
import { chebyshevSeries, gaussLobatto } from '../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial } from '../../src/polynomial/fit.ts';
import { correctedMonomials } from '../../src/polynomial/heat.ts';
import { smoothedHinge } from '../../src/risk/margin-loss.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import { fixture, largestDifference } from './fixture.ts';

const figures = fixture<{
  series: Record<string, { chebyshev: number[]; monomial: number[] }>;
  hermite: [number, number, number[]][];
  lobatto: Record<string, { nodes: number[]; masses: number[] }>;
}>('tables');

const DERIVATIVES: readonly [string, (t: number) => number, (t: number) => number][] = [
  ['smoothed hinge, β = 0.3', smoothedHinge({ beta: 0.3 }).derivative, smoothedHinge({ beta: 0.29 }).derivative],
  ['logistic', logisticLoss().derivative, (t) => logisticLoss().derivative(1.01 * t)],
];

describe('Chebyshev series by numpy.polynomial', () => {
  test.each(DERIVATIVES)('%s', (name, slope, control) => {
    const { chebyshev, monomial } = figures.series[name];
    const series = chebyshevSeries(slope, chebyshev.length - 1);
    expect(largestDifference(series, chebyshev)).toBeLessThan(1e-14 * 10);
    // Coefficients of powers are up to a few hundred times as large.
    expect(largestDifference(chebyshevToMonomial(series), monomial)).toBeLessThan(1e-11);
    expect(largestDifference(chebyshevSeries(control, chebyshev.length - 1), chebyshev)).toBeGreaterThan(1e-4);
  });
});

test('corrected monomials are Hermite polynomials of numpy.polynomial.hermite_e', () => {
  const target = new Float64Array(10);
  const control = new Float64Array(10);
  for (const [u, s, expected] of figures.hermite) {
    correctedMonomials(u, s, target);
    const scale = Math.max(...expected.map(Math.abs));
    expect(largestDifference(target, expected) / scale).toBeLessThan(1e-14);
    // The physicists' polynomials belong to a variance of twice the size.
    correctedMonomials(u, Math.SQRT2 * s, control);
    expect(largestDifference(control, expected) / scale).toBeGreaterThan(0.01);
  }
});

test.each(Object.entries(figures.lobatto))(
  'Gauss–Lobatto with %s nodes: roots by numpy.polynomial.legendre',
  (n, rule) => {
    const { nodes, masses } = gaussLobatto(Number(n));
    expect(largestDifference(nodes, rule.nodes)).toBeLessThan(1e-13);
    expect(largestDifference(masses, rule.masses)).toBeLessThan(1e-13);
    expect(largestDifference(gaussLobatto(Number(n) + 1).nodes.subarray(0, Number(n)), rule.nodes)).toBeGreaterThan(
      0.01,
    );
  },
);
