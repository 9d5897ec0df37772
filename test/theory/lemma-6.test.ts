// Lemma 6 of Wang, Smith, Xu 2020 (Trefethen 2013, theorems 8.1 and 8.2): the Chebyshev series of a function analytic on an
// ellipse converges geometrically. Checked on the derivative of the smoothed hinge loss. Everything is deterministic.
import { describe, expect, test } from '@jest/globals';
import { chebyshevSeries, evaluateChebyshev } from '../../src/polynomial/chebyshev.ts';
import { smoothedHinge } from '../../src/risk/hinge.ts';
import {
  chebyshevCoefficientBound,
  chebyshevTruncationBound,
  ellipseRate,
  ellipseThrough,
} from '../evidence/hinge/polynomials.ts';

const BETAS = [1, 0.5, 0.2, 0.1, 0.05];

/** |f_β′(z)| at a complex z = ½ + (re + i·im): ½·|−1 + s/√(s² + β²)|, cut along the imaginary direction from ±iβ. */
function modulus(beta: number, re: number, im: number): number {
  const [a, b] = [re * re - im * im + beta * beta, 2 * re * im];
  const root = Math.sqrt(Math.hypot(a, b));
  const angle = Math.atan2(b, a) / 2;
  const [c, d] = [root * Math.cos(angle), root * Math.sin(angle)];
  const squared = c * c + d * d;
  return Math.hypot((re * c + im * d) / squared - 1, (im * c - re * d) / squared) / 2;
}

/** M: the largest |f_β′| on the ellipse of ρ, on 20,000 points. */
function largestOnEllipse(beta: number, rho: number): number {
  const [major, minor] = [1 + rho, Math.sqrt(rho * (2 + rho))];
  let largest = 0;
  for (let i = 0; i < 20_000; i++) {
    const angle = (2 * Math.PI * i) / 20_000;
    largest = Math.max(largest, modulus(beta, major * Math.cos(angle) - 0.5, minor * Math.sin(angle)));
  }
  return largest;
}

/** The measured max |f_β′ − P_n| on [−1, 1] for every n up to `most`, from one long series. */
function truncationErrors(beta: number, most: number): Float64Array {
  const f = smoothedHinge({ beta }).derivative;
  const series = chebyshevSeries(f, most);
  const errors = new Float64Array(most + 1);
  const points = 3000;
  for (let i = 0; i <= points; i++) {
    const theta = (Math.PI * i) / points;
    const t = Math.cos(theta);
    let rest = f(t);
    for (let n = 0; n <= most; n++) {
      rest -= series[n] * Math.cos(n * theta);
      errors[n] = Math.max(errors[n], Math.abs(rest));
    }
  }
  return errors;
}

/** ρ* of the ellipse through the branch points ½ ± iβ, the largest one inside which f_β′ is analytic. */
const limit = (beta: number): number => ellipseThrough(0.5, beta);

/** Rounding of the measured error itself, which no bound below it can be compared with. */
const FLOOR = 1e-13;

describe('the ellipse', () => {
  test('through a point of the real axis x > 1 has 1 + ρ = x, and rate x + √(x² − 1)', () => {
    expect(ellipseThrough(1.25, 0)).toBeCloseTo(0.25, 15);
    expect(ellipseRate(0.25)).toBeCloseTo(2, 15);
  });

  test('through i has 1 + ρ = √2 and rate 1 + √2', () => {
    expect(ellipseThrough(0, 1)).toBeCloseTo(Math.SQRT2 - 1, 15);
    expect(ellipseRate(ellipseThrough(0, 1))).toBeCloseTo(1 + Math.SQRT2, 14);
  });
});

describe('lemma 6: the error of the truncated series', () => {
  test('is below the bound for every β, every ρ < ρ* and every degree up to 60', () => {
    let closest = Infinity;
    for (const beta of BETAS) {
      const errors = truncationErrors(beta, 60);
      for (const share of [0.1, 0.3, 0.6, 0.9, 0.99]) {
        const rho = share * limit(beta);
        const bound = largestOnEllipse(beta, rho);
        for (let degree = 0; degree <= 60; degree++) {
          if (errors[degree] < FLOOR) break;
          closest = Math.min(closest, chebyshevTruncationBound({ bound, rho, degree }) / errors[degree]);
        }
      }
    }
    expect(closest).toBeGreaterThan(1);
    // The bound is not vacuous: somewhere it is within a factor 20 of what is measured.
    expect(closest).toBeLessThan(20);
  });

  test('control: beyond the branch points (ρ = 3·ρ*) the formula is violated', () => {
    for (const beta of BETAS) {
      const rho = 3 * limit(beta);
      const bound = largestOnEllipse(beta, rho);
      const errors = truncationErrors(beta, 120);
      const violated = errors.some(
        (error, degree) => error > FLOOR && chebyshevTruncationBound({ bound, rho, degree }) < error,
      );
      expect(violated).toBe(true);
    }
  });

  test('the error measured is that of the series: evaluating P_n gives the same', () => {
    const f = smoothedHinge({ beta: 0.2 }).derivative;
    const series = chebyshevSeries(f, 7);
    let largest = 0;
    for (let i = 0; i <= 3000; i++) {
      const t = Math.cos((Math.PI * i) / 3000);
      largest = Math.max(largest, Math.abs(f(t) - evaluateChebyshev(series, t)));
    }
    expect(Math.abs(largest - truncationErrors(0.2, 7)[7])).toBeLessThan(1e-13);
  });
});

describe('lemma 6: the coefficients', () => {
  test('|a_0| ≤ M and |a_k| ≤ 2M·r^{−k} for every β and ρ < ρ*', () => {
    let closest = Infinity;
    for (const beta of BETAS) {
      const series = chebyshevSeries(smoothedHinge({ beta }).derivative, 60);
      for (const share of [0.1, 0.3, 0.6, 0.9, 0.99]) {
        const rho = share * limit(beta);
        const bound = largestOnEllipse(beta, rho);
        series.forEach((a, degree) => {
          if (Math.abs(a) < FLOOR) return;
          closest = Math.min(closest, chebyshevCoefficientBound({ bound, rho, degree }) / Math.abs(a));
        });
      }
    }
    expect(closest).toBeGreaterThan(1);
    expect(closest).toBeLessThan(20);
  });

  test('control: with ρ = 3·ρ* some coefficient exceeds the formula', () => {
    for (const beta of BETAS) {
      const rho = 3 * limit(beta);
      const bound = largestOnEllipse(beta, rho);
      const series = chebyshevSeries(smoothedHinge({ beta }).derivative, 120);
      expect(
        series.some(
          (a, degree) => Math.abs(a) > FLOOR && chebyshevCoefficientBound({ bound, rho, degree }) < Math.abs(a),
        ),
      ).toBe(true);
    }
  });

  test('of a simple pole at x₀ are 2·r^{−k}/√(x₀² − 1), below the bound with M = 1/(x₀ − 1 − ρ) for every ρ < x₀ − 1', () => {
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

describe('lemma 6: the rate', () => {
  /** Least-squares slope of log(error·√n) in n: the branch points are of order −½, which adds the factor n^{−½}. */
  function slope(beta: number): number {
    const most = Math.ceil(27 / Math.log(ellipseRate(limit(beta))));
    const errors = truncationErrors(beta, most);
    const [ns, logs]: [number[], number[]] = [[], []];
    for (let n = Math.ceil(most / 5); n <= most; n++) {
      if (errors[n] < FLOOR) break;
      ns.push(n);
      logs.push(Math.log(errors[n] * Math.sqrt(n)));
    }
    const [meanN, meanLog] = [ns, logs].map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
    const [cross, square] = [
      ns.reduce((sum, n, i) => sum + (n - meanN) * (logs[i] - meanLog), 0),
      ns.reduce((sum, n) => sum + (n - meanN) ** 2, 0),
    ];
    return cross / square;
  }

  const rate = (beta: number): number => -Math.log(ellipseRate(limit(beta)));

  test('is −log(1 + ρ* + √(2ρ* + ρ*²)) to 1 %, ρ* set by the branch points ½ ± iβ', () => {
    for (const beta of BETAS) expect(Math.abs(slope(beta) / rate(beta) - 1)).toBeLessThan(0.01);
  });

  test('control: the rate of a β 5 % larger is rejected, and so is a rate without regard to β', () => {
    for (const beta of BETAS) {
      expect(Math.abs(slope(beta) / rate(1.05 * beta) - 1)).toBeGreaterThan(0.01);
    }
    expect(slope(1) / slope(0.05)).toBeGreaterThan(10);
  });
});
