// Wang, Smith, Xu 2020: bounds, constants and budgets at points where they can be worked out by hand or by enumeration.
import { describe, expect, test } from '@jest/globals';
import {
  copies,
  generalizedLinear,
  type ReportTally,
  sphericalLaplace,
} from '../../protocols/generalized-linear/index.ts';
import { gradientVariance, transcriptMu } from '../../protocols/generalized-linear/margin/channels.ts';
import { chebyshevCoefficients, copies as hingeCopies } from '../../protocols/hinge/index.ts';
import { averageCopies, printedCopies } from '../../src/mechanism/added-noise.ts';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial } from '../../src/polynomial/fit.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { smoothedHinge } from '../../src/risk/margin-loss.ts';
import {
  chebyshevCoefficientBound,
  chebyshevPolynomial,
  chebyshevTruncationBound,
  ellipseRate,
  ellipseThrough,
} from '../evidence/hinge/polynomials.ts';
import { oracleQuality, printedBudget, printedMu } from '../evidence/shared/oracle-quality.ts';
import { composeAdvanced } from '../evidence/shared/printed-accounting.ts';

const { abs, exp, hypot, sqrt } = Math;

describe('lemma 6 by hand', () => {
  test.each([
    // 1 + ρ = (r + 1/r)/2 with rates 2, 3 and 4.
    [0.25, 2],
    [2 / 3, 3],
    [1.125, 4],
  ])('ρ = %p has the rate %p, whose half-axes are (r ± 1/r)/2', (rho, rate) => {
    expect(ellipseRate(rho)).toBeCloseTo(rate, 13);
    // A point of the ellipse at every angle leads back to ρ.
    for (const angle of [0, 0.4, 1.5, 2.9]) {
      const [re, im] = [((rate + 1 / rate) / 2) * Math.cos(angle), ((rate - 1 / rate) / 2) * Math.sin(angle)];
      expect(ellipseThrough(re, im)).toBeCloseTo(rho, 13);
    }
  });

  test('the bounds at r = 3, M = 5: 2·5/27, 5, and 2·5/(2·9)', () => {
    expect(chebyshevCoefficientBound({ bound: 5, rho: 2 / 3, degree: 3 })).toBeCloseTo(10 / 27, 13);
    expect(chebyshevCoefficientBound({ bound: 5, rho: 2 / 3, degree: 0 })).toBe(5);
    expect(chebyshevTruncationBound({ bound: 5, rho: 2 / 3, degree: 2 })).toBeCloseTo(5 / 9, 13);
  });

  test('the truncation bound is the sum of the coefficient bounds that are left out', () => {
    const given = { bound: 1.7, rho: 0.3 };
    let sum = 0;
    for (let k = 5; k < 200; k++) sum += chebyshevCoefficientBound({ ...given, degree: k });
    expect(chebyshevTruncationBound({ ...given, degree: 4 })).toBeCloseTo(sum, 12);
  });
});

describe('Chebyshev polynomials on another interval', () => {
  test('T₃ of (2t − (a + b))/(b − a) for [a, b] = [1, 4], by its powers', () => {
    const monomial = chebyshevToMonomial(Float64Array.of(0, 0, 0, 1), { lower: 1, upper: 4 });
    for (const t of [1, 1.7, 2.5, 4, 6]) {
      const x = (2 * t - 5) / 3;
      expect(monomial.reduceRight((sum, c) => sum * t + c, 0)).toBeCloseTo(4 * x ** 3 - 3 * x, 10);
      expect(chebyshevPolynomial(3, x)).toBeCloseTo(4 * x ** 3 - 3 * x, 10);
    }
  });

  test('the series of t² on [1, 4]: t = 2.5 + 1.5x, so 6.25 + 2.25/2, 7.5 and 1.125', () => {
    const series = chebyshevSeries((t) => t * t, 3, { lower: 1, upper: 4 });
    [7.375, 7.5, 1.125, 0].forEach((expected, k) => {
      expect(series[k]).toBeCloseTo(expected, 12);
    });
  });
});

describe('budgets', () => {
  test('advanced composition: ε√(2k·ln(1/δ′)) + kε(e^ε − 1) and kδ + δ′: .1·√32 + .8·.1051709 at ε = .1, k = 8, δ′ = e⁻²', () => {
    const { epsilon, delta } = composeAdvanced({ epsilon: 0.1, delta: 1e-3, count: 8, slack: exp(-2) });
    expect(epsilon).toBeCloseTo(0.5656854 + 0.0841367, 6);
    expect(delta).toBeCloseTo(0.008 + 0.1353353, 6);
  });

  test('the printed copies: σ₀² = 32·ln(1.25/δ)/ε², σ² = 8·ln(1.25/δ)·d²(d + 1)²/ε², and d(d + 1)/2 further ones', () => {
    // ln(1.25·10⁶) = 14.0386; √(32·14.0386)/2 = 10.5977, √(8·14.0386)·12/2 = 63.5856.
    const copies = printedCopies({ epsilon: 2, delta: 1e-6, dimension: 3, degree: 3 });
    expect(copies.further).toBe(6);
    expect(copies.length).toBe(28);
    for (const noise of [copies.firstNoise.features, copies.firstNoise.label]) expect(noise).toBeCloseTo(10.5977, 3);
    for (const noise of [copies.furtherNoise.features, copies.furtherNoise.label])
      expect(noise).toBeCloseTo(63.5856, 3);
  });

  test('a transcript is as private as all of its Gaussian releases, each of sensitivity 2: features and label, copy by copy', () => {
    const noise = { firstNoise: { features: 4, label: 5 }, furtherNoise: { features: 8, label: 10 } };
    // No, one and three further copies: (¼ + 4/25) + 3·(1/16 + 1/25).
    for (const [degree, further] of [
      [0, 0],
      [1, 1],
      [2, 3],
    ]) {
      const copies = { ...printedCopies({ epsilon: 2, delta: 1e-6, dimension: 3, degree }), ...noise };
      expect(copies.further).toBe(further);
      expect(transcriptMu(copies) ** 2).toBeCloseTo(0.41 + further * 0.1025, 12);
    }
  });
});

describe('what the printed noise spends', () => {
  test('of algorithms 1 and 2: 2ε and (d(d + 1) + 2)δ by basic composition, μ² = ε²/(4c) + ε²/(2c·d(d + 1)), c = ln(1.25/δ)', () => {
    const found = printedBudget({ epsilon: 2, delta: 1e-6, degree: 3 });
    expect(found.basicEpsilon).toBe(4);
    expect(found.basicDelta).toBeCloseTo(14e-6, 15);
    // 4/56.1546 + 4/336.927.
    expect(found.mu).toBeCloseTo(0.288278, 5);
    // The same from the copies themselves.
    const copies = printedCopies({ epsilon: 2, delta: 1e-6, dimension: 5, degree: 3 });
    expect(transcriptMu(copies)).toBeCloseTo(found.mu, 12);
    const none = printedBudget({ epsilon: 2, delta: 1e-6, degree: 0 });
    expect([none.basicEpsilon, none.basicDelta]).toEqual([2, 2e-6]);
    expect(none.mu).toBeCloseTo(2 / sqrt(4 * 14.0386), 5);
  });

  test('of algorithm 3: ε/√(d(d + 1)·ln(1.25/δ)) = 2/√(12·14.0386)', () => {
    expect(printedMu({ epsilon: 2, delta: 1e-6, degree: 3 })).toBeCloseTo(0.15409, 5);
  });
});

describe('the smoothed hinge by hand, β = .3 and margin ½', () => {
  const loss = smoothedHinge({ beta: 0.3 });

  test('its higher derivatives are differences of the ones below, of orders 1 to 6', () => {
    const fill = loss.analyticDerivatives?.(6);
    const [left, right, at] = [new Float64Array(7), new Float64Array(7), new Float64Array(7)];
    for (const t of [-0.3, 0.2, 0.5, 0.77, 1.4]) {
      const h = 1e-5;
      fill?.(t - h, left);
      fill?.(t + h, right);
      fill?.(t, at);
      for (let order = 1; order <= 6; order++) {
        const difference = (right[order - 1] - left[order - 1]) / (2 * h);
        expect(abs(difference - at[order])).toBeLessThan(1e-4 * (1 + abs(at[order])));
      }
    }
  });

  test('the largest curvature on [−R, R] is at the end beside the margin, or at the margin', () => {
    expect(loss.smoothnessOn?.(0.1)).toBeCloseTo(0.36, 13);
    expect(loss.smoothnessOn?.(2)).toBeCloseTo(1 / 0.6, 13);
  });
});

describe('theorem 10: what an oracle of the smoothed hinge leaves', () => {
  test.each([
    [1, 0.5, 1],
    [2, 0.3, 1],
    [3, 0.4, 2],
    [2, 1, 3],
  ])(
    'degree %p, β = %p, R = %p: 2R times the largest |P − f′| on [−R, R], its ends included',
    (degree, beta, radius) => {
      const parameters = hingeCopies({ epsilon: 30, delta: 1e-3, degree, dimension: 2 });
      const setting = { w: [0.3, -0.2], features: [0.6, 0.5], label: -1 };
      const coefficients = chebyshevCoefficients(degree, beta, radius);
      let gap = 0;
      for (let i = -5000; i <= 5000; i++) {
        const t = (radius * i) / 5000;
        const value = coefficients.reduce((sum, c, k) => sum + c * t ** k, 0);
        // f′(t) = −½(1 − (t − ½)/√((t − ½)² + β²)).
        gap = Math.max(gap, abs(value + 0.5 * (1 - (t - 0.5) / hypot(t - 0.5, beta))));
      }
      const quality = oracleQuality(parameters, 'averaged', { ...setting, beta, radius });
      expect(quality.inexactness / (2 * radius * gap)).toBeCloseTo(1, 5);
      expect(quality.smoothness).toBeCloseTo(1 / (2 * beta), 12);
      const variance = gradientVariance(parameters, 'averaged', { ...setting, coefficients });
      expect(quality.deviation).toBeCloseTo(sqrt(variance), 12);
    },
  );
});

test('algorithm 2 on averaged copies: the step of one report is 1/(L + σ/D), L = |c₁| + 2|c₂|R, σ² = 1 + the variance on the sphere', () => {
  const parameters = copies({ epsilon: 40, delta: 1e-3, degree: 2, dimension: 2 });
  const tally = generalizedLinear.server.empty(parameters) as ReportTally;
  const datum = { features: [0.6, -0.5], label: -1 };
  generalizedLinear.server.add(
    parameters,
    tally,
    generalizedLinear.player.randomize(parameters, datum, seededRandom('one')),
  );
  const coefficients = [-0.8, 0.5, -0.3];
  const query = { decoder: 'averaged', server: 'average', coefficients, start: 0 } as const;
  const features = new Float64Array(2);
  const label = averageCopies(parameters.copies, tally.values, 0, features);
  for (const [radius, distance] of [
    [3, 2],
    [5, 40],
  ]) {
    const { w } = generalizedLinear.server.estimate(parameters, tally, { ...query, radius, distance });
    const direction = 1 / sqrt(2);
    const along = { w: [radius * direction, radius * direction], features: [direction, direction], label: 1 };
    const deviation = sqrt(1 + gradientVariance(parameters, 'averaged', { coefficients, ...along }));
    const step = 1 / (0.5 + 0.6 * radius + deviation / distance);
    // At w = 0 the estimate is c₀·Y·X.
    for (let i = 0; i < 2; i++) expect(w[i]).toBeCloseTo(0.8 * step * label * features[i], 10);
  }
});

test('the report v = y·x with spherical noise is one release, and ε in all', () => {
  const { releases, totals } = generalizedLinear.theory.certificate(sphericalLaplace({ epsilon: 1.5, dimension: 3 }));
  expect(releases).toMatchObject([{ count: 1, sensitivity: 2, scale: expect.closeTo(2 / 1.5, 12) }]);
  const basic = totals.find(({ accounting }) => accounting === 'basic');
  expect(basic?.guarantee).toEqual({ kind: 'pure', epsilon: expect.closeTo(1.5, 12) });
});
