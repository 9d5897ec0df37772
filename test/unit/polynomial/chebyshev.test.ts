import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chebyshevSeries, evaluateChebyshev } from '../../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial, evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import { hingeLoss, smoothedHinge } from '../../../src/risk/margin-loss.ts';
import { chebyshevPolynomial } from '../../evidence/hinge/polynomials.ts';

// The same cases on every run; the properties were also run over 4000 cases of other seeds.
fc.configureGlobal({ seed: 6 });

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let largest = 0;
  for (let k = 0; k < a.length; k++) largest = Math.max(largest, Math.abs(a[k] - b[k]));
  return largest;
}

// Computed independently with SciPy and mpmath.
const REFERENCE = [
  {
    name: 'smoothed hinge, β = 0.5, degree 3',
    f: smoothedHinge({ beta: 0.5 }).derivative,
    chebyshev: [-0.672754667203213, 0.43334912230030204, 0.14412495579836188, -0.010193455028057907],
    monomial: [-0.8168796230015749, 0.46392948738447576, 0.28824991159672375, -0.04077382011223163],
  },
  {
    name: 'smoothed hinge, β = 0.1, degree 6',
    f: smoothedHinge({ beta: 0.1 }).derivative,
    chebyshev: [
      -0.668944648979515, 0.5384589134406553, 0.2601569029630262, 0.0006998460920243088, -0.11615770119392974,
      -0.08717739856843768, 0.00020396141287040096,
    ],
    monomial: [
      -1.0454632145493412, 0.10047238232239403, 1.4532467209091575, 1.7463473557368507, -0.9390517573692173,
      -1.3948383770950028, 0.006526765211852831,
    ],
  },
  {
    name: 'logistic, degree 5',
    f: (t: number): number => -1 / (1 + Math.exp(t)),
    chebyshev: [-0.5, 0.23557141392402087, 0, -0.004620091735270393, 0, 0.00010983983882206783],
    monomial: [-0.5, 0.24998088832394239, 0, -0.02067716371752293, 0, 0.0017574374211530852],
  },
];

describe('the Chebyshev series', () => {
  test.each(REFERENCE)('$name: the coefficients agree with the reference to 1e-12', ({ f, chebyshev, monomial }) => {
    const series = chebyshevSeries(f, chebyshev.length - 1);
    expect(largestDifference(series, chebyshev)).toBeLessThan(1e-12);
    expect(largestDifference(chebyshevToMonomial(series), monomial)).toBeLessThan(1e-12);
  });

  test('of a low-degree polynomial is the polynomial: t³ = (3T₁ + T₃)/4', () => {
    expect(
      largestDifference(
        chebyshevSeries((t) => t ** 3, 4),
        [0, 0.75, 0, 0.25, 0],
      ),
    ).toBeLessThan(1e-15);
  });

  test('agrees with Simpson quadrature of the defining integral, on [−1, 1] and elsewhere', () => {
    const f = smoothedHinge({ beta: 0.2 }).derivative;
    for (const [lower, upper] of [
      [-1, 1],
      [-0.3, 2.4],
    ]) {
      const series = chebyshevSeries(f, 12, { lower, upper });
      const steps = 4000;
      const expected = Array.from({ length: 13 }, (_, k) => {
        let sum = 0;
        for (let i = 0; i <= steps; i++) {
          const theta = (Math.PI * i) / steps;
          const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
          sum += weight * f((lower + upper) / 2 + ((upper - lower) / 2) * Math.cos(theta)) * Math.cos(k * theta);
        }
        return (((k === 0 ? 1 : 2) / Math.PI) * sum * Math.PI) / (3 * steps);
      });
      expect(largestDifference(series, expected)).toBeLessThan(1e-12);
    }
  });

  test('refuses the kinked hinge at full accuracy and gives it at a coarser tolerance', () => {
    const f = hingeLoss().derivative;
    expect(() => chebyshevSeries(f, 3)).toThrow(/"f" expected a function smooth enough for 65536 nodes/);
    const coarse = chebyshevSeries(f, 1, { tolerance: 1e-4 });
    // a_0 = −(π − π/3)/π and a_1 = (2/π)·sin(π/3), since f(cos θ) = −1 for θ > π/3.
    expect(Math.abs(coarse[0] + 2 / 3)).toBeLessThan(1e-3);
    expect(Math.abs(coarse[1] - Math.sqrt(3) / Math.PI)).toBeLessThan(1e-3);
  });

  test('refuses a degree that is not a whole number, an empty interval and a function that is not finite', () => {
    expect(() => chebyshevSeries(Math.exp, 1.5)).toThrow(RangeError);
    expect(() => chebyshevSeries(Math.exp, 1001)).toThrow(RangeError);
    expect(() => chebyshevSeries(Math.exp, 2, { lower: 1, upper: 1 })).toThrow('"upper" expected a number > lower (1)');
    expect(() => chebyshevSeries((t) => Math.log(t), 2)).toThrow('"f(t)" expected a finite number, got NaN');
  });
});

describe('Chebyshev polynomials', () => {
  test('T_5(x) = 16x⁵ − 20x³ + 5x inside and outside [−1, 1]', () => {
    for (const x of [-3, -1, -0.4, 0, 0.7, 1, 2.5]) {
      const direct = 16 * x ** 5 - 20 * x ** 3 + 5 * x;
      expect(Math.abs(chebyshevPolynomial(5, x) - direct)).toBeLessThan(1e-12 * Math.max(1, Math.abs(direct)));
    }
    expect(chebyshevPolynomial(0, -4)).toBe(1);
    expect(chebyshevPolynomial(4, -2)).toBeCloseTo(97, 9);
  });

  test('T_n(cos θ) = cos nθ', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.double({ min: 0, max: Math.PI, noNaN: true }), (n, theta) => {
        return Math.abs(chebyshevPolynomial(n, Math.cos(theta)) - Math.cos(n * theta)) < 1e-11;
      }),
    );
  });

  test('the monomial coefficients of T_20 sum to 1, and in absolute value to T_20(i) = ((1+√2)²⁰ + (1−√2)²⁰)/2', () => {
    const unit = new Float64Array(21);
    unit[20] = 1;
    const monomial = chebyshevToMonomial(unit);
    expect(monomial.reduce((sum, c) => sum + c, 0)).toBe(1);
    const growth = ((1 + Math.SQRT2) ** 20 + (1 - Math.SQRT2) ** 20) / 2;
    expect(monomial.reduce((sum, c) => sum + Math.abs(c), 0)).toBeCloseTo(growth, 4);
  });
});

describe('a Chebyshev series', () => {
  const interval = fc
    .record({ lower: fc.double({ min: -3, max: 1, noNaN: true }), width: fc.double({ min: 0.1, max: 4, noNaN: true }) })
    .map(({ lower, width }) => ({ lower, upper: lower + width }));
  const series = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 });

  test('has the same value by Clenshaw and as a sum of T_k', () => {
    fc.assert(
      fc.property(series, interval, fc.double({ min: 0, max: 1, noNaN: true }), (a, { lower, upper }, share) => {
        const t = lower + share * (upper - lower);
        const s = (2 * t - lower - upper) / (upper - lower);
        const direct = a.reduce((sum, value, k) => sum + value * chebyshevPolynomial(k, s), 0);
        return Math.abs(evaluateChebyshev(a, t, { lower, upper }) - direct) < 1e-12;
      }),
    );
  });

  test('keeps its values when converted to monomials', () => {
    fc.assert(
      fc.property(series, fc.double({ min: 0.2, max: 3, noNaN: true }), (a, radius) => {
        const interval = { lower: -radius, upper: radius };
        const monomial = chebyshevToMonomial(a, interval);
        let worst = 0;
        for (const share of [-1, -0.6, 0, 0.3, 0.9, 1]) {
          const t = share * radius;
          worst = Math.max(worst, Math.abs(evaluatePolynomial(monomial, t) - evaluateChebyshev(a, t, interval)));
        }
        return worst < 1e-11;
      }),
    );
  });

  test('converts on an interval that is not centred: T_2 on [0, 1] is 1 − 8t + 8t²', () => {
    expect(largestDifference(chebyshevToMonomial([0, 0, 1], { lower: 0, upper: 1 }), [1, -8, 8])).toBeLessThan(1e-14);
  });
});
