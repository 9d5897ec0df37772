// Lemma 6 of Wang, Smith, Xu 2020 (Trefethen 2013, theorems 8.1 and 8.2): the Chebyshev series of a function analytic on an
// ellipse converges geometrically. On the derivative of the smoothed hinge loss it is the validation hinge-lemma-6, with controls in
// test/validations/hinge. Everything is deterministic.
import { describe, expect, test } from '@jest/globals';
import { chebyshevSeries, evaluateChebyshev } from '../../src/polynomial/chebyshev.ts';
import { smoothedHinge } from '../../src/risk/margin-loss.ts';
import { chebyshevCoefficientBound } from '../evidence/hinge/polynomials.ts';
import { lemma6 } from '../evidence/hinge/validations/lemma-6.ts';
import { failing, SEED } from '../validations/claims.ts';
import { runQuick } from '../validations/run.ts';

describe('lemma 6', () => {
  test('bounds errors and coefficients inside the branch points, with the rate that they set', () => {
    const report = runQuick(lemma6, SEED);
    expect(report.claims.length).toBeGreaterThanOrEqual(4);
    expect(failing(report)).toEqual([]);
  });

  test('is about the series itself: its error measured by evaluating P_7', () => {
    const f = smoothedHinge({ beta: 0.2 }).derivative;
    const series = chebyshevSeries(f, 7);
    const setting = { ...lemma6.cells('quick')[0].setting, beta: 0.2, most: 7, points: 3000 };
    const { errors } = lemma6.chunk(setting, 0, SEED);
    let largest = 0;
    for (let i = 0; i <= 3000; i++) {
      const t = Math.cos((Math.PI * i) / 3000);
      largest = Math.max(largest, Math.abs(f(t) - evaluateChebyshev(series, t)));
    }
    expect(Math.abs(largest - errors[7])).toBeLessThan(1e-13);
  });

  test('of a simple pole at x₀: coefficients 2·r^{−k}/√(x₀² − 1), below the bound with M = 1/(x₀ − 1 − ρ) for every ρ < x₀ − 1', () => {
    const x0 = 1.25;
    const series = chebyshevSeries((t) => 1 / (x0 - t), 30);
    let worst = 0;
    let closest = Infinity;
    series.forEach((a, degree) => {
      worst = Math.max(worst, Math.abs(a - ((degree === 0 ? 1 : 2) * 2 ** -degree) / 0.75));
      for (let rho = 0.01; rho < 0.25; rho += 0.01) {
        const bound = 1 / (x0 - 1 - rho);
        closest = Math.min(closest, chebyshevCoefficientBound({ bound, rho, degree }) / a);
      }
    });
    expect(worst).toBeLessThan(1e-12);
    expect(closest).toBeGreaterThan(1);
  });
});
