// Lemma 9 of Wang, Smith, Xu 2020: what the smoothed hinge loss f_β inherits from the hinge loss f. Everything here is
// deterministic; every item has a control that the same check must reject.
import { describe, expect, test } from '@jest/globals';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { hingeLoss, smoothedHinge } from '../../src/risk/hinge.ts';

const BETAS = [1, 0.3, 0.05, 0.002];
const hinge = hingeLoss();

/** Points of [−8, 9], uniform and crowded around the kink at ½. */
const POINTS = [
  ...Array.from({ length: 3001 }, (_, i) => -8 + (17 * i) / 3000),
  ...Array.from({ length: 801 }, (_, i) => 0.5 + Math.sign(i - 400) * 10 ** (-6 + Math.abs(i - 400) / 80)),
  0.5,
].sort((a, b) => a - b);

describe('lemma 9, item 1: f_β is analytic on the real line', () => {
  /**
   * The largest |a_n|·rⁿ for n ≤ 16 of the Chebyshev series of f on [x − β, x + β]. The singularities nearest to the real
   * line are ½ ± iβ, so an analytic f_β has coefficients below a constant times r⁻ⁿ, r = 2 < 1 + √2, on every such interval.
   */
  function growth(f: (t: number) => number, x: number, beta: number): number {
    const series = chebyshevSeries(f, 16, { lower: x - beta, upper: x + beta, tolerance: 1e-7 });
    return Math.max(...series.map((a, n) => (Math.abs(a) * 2 ** n) / beta));
  }

  const centres = [-3, 0, 0.4, 0.5, 0.6, 1, 4];

  test('its Chebyshev coefficients on an interval of length 2β fall at least like 2⁻ⁿ, wherever it lies', () => {
    for (const beta of BETAS) {
      const f = smoothedHinge({ beta });
      // Relative to β, once the linear part (which is large away from ½) is taken out by looking at f′.
      expect(Math.max(...centres.map((x) => growth((t) => beta * f.derivative(t), x, beta)))).toBeLessThan(3);
    }
  });

  test('control: those of the hinge loss do not at its kink', () => {
    for (const beta of BETAS) expect(growth(hinge.value, 0.5, beta)).toBeGreaterThan(30);
  });
});

describe('lemma 9, item 2: |f_β − f| ≤ β/2', () => {
  const gap = (beta: number): number => {
    const f = smoothedHinge({ beta });
    return Math.max(...POINTS.map((t) => Math.abs(f.value(t) - hinge.value(t))));
  };

  test('holds everywhere and is met at the kink', () => {
    for (const beta of BETAS) expect(Math.abs(gap(beta) - beta / 2)).toBeLessThan(1e-15);
  });

  test('f_β lies above f', () => {
    for (const beta of BETAS) {
      const f = smoothedHinge({ beta });
      expect(POINTS.every((t) => f.value(t) >= hinge.value(t))).toBe(true);
    }
  });

  test('control: 0.95·β/2 is not a bound', () => {
    for (const beta of BETAS) expect(gap(beta)).toBeGreaterThan((0.95 * beta) / 2);
  });
});

describe('lemma 9, item 3: f_β is 1-Lipschitz', () => {
  const steepest = (f: (t: number) => number): number => {
    let largest = 0;
    for (let i = 1; i < POINTS.length; i++) {
      if (POINTS[i] - POINTS[i - 1] < 1e-4) continue;
      largest = Math.max(largest, Math.abs(f(POINTS[i]) - f(POINTS[i - 1])) / (POINTS[i] - POINTS[i - 1]));
    }
    return largest;
  };

  test('|f_β′| ≤ 1, for the derivative and for difference quotients, with f_β′ in (−1, 0)', () => {
    for (const beta of BETAS) {
      const f = smoothedHinge({ beta });
      expect(f.lipschitz).toBe(1);
      expect(POINTS.every((t) => f.derivative(t) < 0 && f.derivative(t) >= -1)).toBe(true);
      expect(steepest(f.value)).toBeLessThanOrEqual(1 + 1e-11);
    }
  });

  test('control: it is not 0.95-Lipschitz', () => {
    for (const beta of BETAS) expect(steepest(smoothedHinge({ beta }).value)).toBeGreaterThan(0.95);
  });
});

describe('lemma 9, item 4: f_β is convex and 1/β-smooth', () => {
  const curvatures = (beta: number): number[] => POINTS.map(smoothedHinge({ beta }).secondDerivative);

  test('0 ≤ f_β″ ≤ 1/β', () => {
    for (const beta of BETAS) {
      expect(Math.min(...curvatures(beta))).toBeGreaterThanOrEqual(0);
      expect(Math.max(...curvatures(beta))).toBeLessThanOrEqual(1 / beta);
    }
  });

  test('the sharp constant is 1/(2β), met at the kink: the lemma has a factor 2 to spare', () => {
    for (const beta of BETAS) {
      const largest = Math.max(...curvatures(beta));
      expect(Math.abs(largest * 2 * beta - 1)).toBeLessThan(1e-12);
      expect(smoothedHinge({ beta }).smoothness).toBe(1 / (2 * beta));
    }
  });

  test('the f″ printed in the proof, β²/((x − ½)² + β²)^{3/2}, is twice the second derivative', () => {
    let worst = 0;
    for (const beta of BETAS) {
      const f = smoothedHinge({ beta });
      for (const x of [-1, 0, 0.3, 0.5, 0.9]) {
        const printed = beta ** 2 / ((x - 0.5) ** 2 + beta ** 2) ** 1.5;
        worst = Math.max(worst, Math.abs(printed / f.secondDerivative(x) - 2));
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('the slopes of chords grow (convexity without derivatives), and never faster than 1/(2β)', () => {
    for (const beta of BETAS) {
      const f = smoothedHinge({ beta });
      const step = beta / 4;
      let [least, most] = [Infinity, 0];
      for (let t = 0.5 - 20 * beta; t < 0.5 + 20 * beta; t += step) {
        const second = (f.value(t + step) - 2 * f.value(t) + f.value(t - step)) / (step * step);
        least = Math.min(least, second * beta);
        most = Math.max(most, second * beta);
      }
      expect(least).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(0.5 + 1e-9);
      expect(most).toBeGreaterThan(0.475);
    }
  });

  test('control: 0.95/(2β) is not a bound of f_β″, and −f_β is not convex', () => {
    for (const beta of BETAS) {
      expect(Math.max(...curvatures(beta))).toBeGreaterThan(0.95 / (2 * beta));
      expect(Math.min(...curvatures(beta).map((value) => -value))).toBeLessThan(0);
    }
  });
});
