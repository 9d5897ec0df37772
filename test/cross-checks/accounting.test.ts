import { describe, expect, test } from '@jest/globals';
import { probabilityAbove, probabilityBelow, wilsonBound } from '../../src/audit/attack.ts';
import { oneRunPValue } from '../../src/audit/audit.ts';
import { deltaAt } from '../../src/privacy/conversion.ts';
import { gdp, pure, zcdp } from '../../src/privacy/guarantee.ts';
import { composeNumeric } from '../../src/privacy/numeric-composition.ts';
import { compose } from '../../src/privacy/totals.ts';
import { composeAdvanced } from '../evidence/shared/printed-accounting.ts';
import { fixture } from './fixture.ts';

const figures = fixture<{
  gaussian: [number, number, number][];
  concentrated: [number, number, number][];
  mixtures: { groups: [number, number][]; mu: number; curve: [number, number][] }[];
  oneRun: [number, number, number, number, number, number][];
  clopperPearson: [number, number, number, number, number][];
}>('accounting');

describe('privacy curves by mpmath', () => {
  test.each(figures.gaussian)(
    'Gaussian, μ = %p at ε = %p: the integral of the difference of densities',
    (mu, eps, delta) => {
      expect(Math.abs(deltaAt(gdp(mu), eps) / delta - 1)).toBeLessThan(1e-12);
      expect(Math.abs(deltaAt(gdp(1.01 * mu), eps) / delta - 1)).toBeGreaterThan(1e-4);
    },
  );

  test('Gaussian releases compose as the root of the sum of squares', () => {
    const [mu, eps, delta] = figures.gaussian[1];
    expect(Math.abs(deltaAt(compose([0.3, 0.4, 1.2].map(gdp)).gdp!, eps) / delta - 1)).toBeLessThan(1e-12);
    expect(mu).toBe(1.3);
    // As if each were (ε, δ) by itself, or as a sum of μ.
    expect(deltaAt(gdp(0.3 + 0.4 + 1.2), eps) / delta).toBeGreaterThan(2);
  });

  test.each(figures.concentrated)('concentrated, ρ = %p at ε = %p: the least over all orders', (rho, eps, delta) => {
    const ours = deltaAt(zcdp(rho), eps);
    expect(ours / delta).toBeGreaterThanOrEqual(1 - 1e-15);
    expect(ours / delta).toBeLessThan(1 + 1e-12);
    // The older conversion of Bun and Steinke, exp(−(ε − ρ)²/4ρ).
    if (eps > rho) expect(Math.exp(-((eps - rho) ** 2) / (4 * rho)) / delta).toBeGreaterThan(1.1);
  });
});

describe('mixed releases, by summing over all their losses with mpmath', () => {
  const sumOf = (groups: [number, number][]): number => groups.reduce((sum, [count, eps]) => sum + count * eps, 0);

  test.each(figures.mixtures)('μ = $mu beside pure releases', ({ groups, mu, curve }) => {
    const parts = groups.map(([, epsilon]) => pure(epsilon));
    const counts = groups.map(([count]) => count);
    const whole = mu > 0 ? composeNumeric([...parts, gdp(mu)], [...counts, 1]) : composeNumeric(parts, counts);
    const fewer = composeNumeric(
      mu > 0 ? [...parts, gdp(0.9 * mu)] : parts.slice(1),
      mu > 0 ? [...counts, 1] : counts.slice(1),
    );
    for (const [epsilon, delta] of curve) {
      // An upper bound whose ε is within 1e-3 of Σε: at that much less ε it is above, and at ε it is not below.
      expect(whole.deltaAt(epsilon) / delta).toBeGreaterThan(1 - 1e-12);
      const least = whole.epsilonAt(delta);
      expect(least).not.toBeNull();
      expect((least ?? Number.NaN) - epsilon).toBeLessThan(1e-3 * sumOf(groups));
      expect(fewer.deltaAt(epsilon) / delta).toBeLessThan(1 - 1e-4);
    }
  });

  test('advanced composition is its closed form', () => {
    // .1·√(200 ln 10⁶) + 10·(e^.1 − 1), computed independently with mpmath.
    const expected = 6.308230950513408;
    const { epsilon, delta } = composeAdvanced({ epsilon: 0.1, delta: 1e-8, count: 100, slack: 1e-6 });
    expect(Math.abs(epsilon - expected)).toBeLessThan(1e-13);
    expect(Math.abs(delta - 2e-6)).toBeLessThan(1e-20);
    expect(Math.abs(0.1 * Math.sqrt(200 * Math.log(1e6)) + 100 * 0.01 - expected)).toBeGreaterThan(1e-2);
  });
});

describe('audits', () => {
  test.each(figures.oneRun)(
    'one run of m = %p, r = %p, v = %p at ε = %p, δ = %p: every term written out with mpmath',
    (m, r, v, epsilon, delta, expected) => {
      const counts = { canaries: m, guesses: r, correct: v };
      expect(Math.abs(oneRunPValue(counts, { epsilon, delta }) / expected - 1)).toBeLessThan(1e-10);
      expect(Math.abs(oneRunPValue({ ...counts, correct: v + 1 }, { epsilon, delta }) / expected - 1)).toBeGreaterThan(
        0.01,
      );
    },
  );

  test.each(figures.clopperPearson)(
    '%p of %p at %p: bounds at which mpmath’s binomial tail is that',
    (k, n, failure, low, high) => {
      expect(Math.abs(probabilityBelow(k, n, failure) - low)).toBeLessThan(1e-12 * (low || 1));
      // 1 − 10⁻⁶ as a double is known to 1e-10 of 10⁻⁶.
      expect(Math.abs(probabilityAbove(k, n, failure) - high)).toBeLessThan(1e-11 * high);
      // Wilson's interval is near, and not the same.
      const quick = wilsonBound(k, n, 2.5, 1);
      if (high < 1) expect(Math.abs(quick / high - 1)).toBeGreaterThan(1e-3);
    },
  );
});
