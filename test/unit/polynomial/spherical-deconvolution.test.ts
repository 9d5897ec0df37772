import { describe, expect, test } from '@jest/globals';
import { randomizeSphericalLaplace, sphericalLaplace } from '../../../src/mechanism/added-noise.ts';
import {
  deconvolvedGradient,
  polynomialDerivatives,
  type SphericalDeconvolution,
  sphericalDeconvolution,
  sphericalGradientMoments,
} from '../../../src/polynomial/spherical-deconvolution.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { type MarginLoss, smoothedHinge, squaredMarginLoss } from '../../../src/risk/margin-loss.ts';
import { exponentialLoss, logisticLoss } from '../../../src/risk/named-loss.ts';

const sphericalGradientSecondMoment = (...all: Parameters<typeof sphericalGradientMoments>): number =>
  sphericalGradientMoments(...all).secondMoment;

function deconvolutionOf(loss: MarginLoss, epsilon: number, dimension: number): SphericalDeconvolution {
  return sphericalDeconvolution({
    noise: sphericalLaplace({ epsilon, dimension }),
    derivatives: loss.analyticDerivatives!,
    growthRate: loss.growthRate ?? 0,
  });
}

/** The polynomial P as a loss, for its derivatives only. */
const polynomial = (...coefficients: number[]): MarginLoss => ({
  ...squaredMarginLoss(),
  analyticDerivatives: polynomialDerivatives(coefficients),
});

describe('derivatives of a polynomial', () => {
  test('by hand: 1 − 2t + 3t³ at 2', () => {
    const target = new Float64Array(6).fill(9);
    polynomialDerivatives([1, -2, 0, 3])(4)(2, target);
    expect([...target]).toEqual([21, 34, 36, 18, 0, 9]);
    polynomialDerivatives([1, -2, 0, 3])(0)(2, target);
    expect(target[0]).toBe(21);
    polynomialDerivatives([])(1)(2, target);
    expect([...target.subarray(0, 3)]).toEqual([0, 0, 36]);
  });
});

describe('by hand', () => {
  test('a straight loss needs no correction: the gradient of ⟨w, v⟩ is the report', () => {
    const line = deconvolutionOf(polynomial(0, 1), 2, 3);
    const target = new Float64Array(3);
    expect(deconvolvedGradient(line, [0.5, 0, -0.5], [2, 1, -3], target)).toBe(2.5);
    expect([...target]).toEqual([2, 1, -3]);
    // E‖Z‖² = ‖v‖² + p(P + 1)/κ² = ¼ + 12 in dimension 3, ¼ + 2·4 in dimension 2.
    const point = { weightNorm: 0.7, along: 0.5, squaredNorm: 0.25 };
    expect(sphericalGradientSecondMoment(line, point)).toBeCloseTo(12.25, 9);
    expect(sphericalGradientSecondMoment(deconvolutionOf(polynomial(0, 1), 2, 2), point)).toBeCloseTo(8.25, 9);
  });

  test('of t² the noise of u² is taken off: u² − 2k·a, gradient 2u·Z − 4k·w/κ²', () => {
    // κ = 1, k = 2 in dimension 3; w = (½, 0, −½) has a = ½, u = 2.5.
    const square = deconvolutionOf(polynomial(0, 0, 1), 2, 3);
    const target = new Float64Array(3);
    expect(deconvolvedGradient(square, [0.5, 0, -0.5], [2, 1, -3], target)).toBe(6.25 - 2);
    expect([...target]).toEqual([10 - 4, 5, -15 + 4]);
  });

  test('in dimension 1 it is Laplace noise, whose correction is f − f″/κ² at w = 1', () => {
    const loss = logisticLoss();
    const target = new Float64Array(1);
    const value = deconvolvedGradient(deconvolutionOf(loss, 3, 1), [1], [0.4], target);
    expect(value).toBeCloseTo(loss.value(0.4) - loss.secondDerivative(0.4) / 2.25, 14);
  });
});

const losses: readonly MarginLoss[] = [
  logisticLoss(),
  smoothedHinge({ beta: 0.5 }),
  exponentialLoss(),
  polynomial(0.2, -1, 0.5, 0.3),
];

describe('the estimate is unbiased:', () => {
  test.each(losses.map((loss) => [loss.name, loss] as const))('%s, along w, by quadrature', (_, loss) => {
    const slopes = new Float64Array(2);
    let worst = 0;
    for (const dimension of [1, 2, 3, 4, 7]) {
      for (const epsilon of [2, 8]) {
        for (const weightNorm of [0.1, 0.4]) {
          for (const along of [-1, 0, 0.5]) {
            const deconvolution = deconvolutionOf(loss, epsilon, dimension);
            const { mean, secondMoment } = sphericalGradientMoments(deconvolution, {
              weightNorm,
              along,
              squaredNorm: 1,
            });
            loss.analyticDerivatives!(1)(weightNorm * along, slopes);
            worst = Math.max(worst, Math.abs(mean - slopes[1] * along) / Math.sqrt(secondMoment));
          }
        }
      }
    }
    expect(worst).toBeLessThan(1e-9);
  });

  /** Largest deviation of the mean gradient from f′(⟨w, v⟩)·v among the coordinates, in standard errors. */
  function bias(dimension: number, epsilon: number, spoil: (parts: Float64Array) => void = () => {}): number {
    const loss = logisticLoss();
    const mechanism = sphericalLaplace({ epsilon, dimension });
    const deconvolution = deconvolutionOf(loss, epsilon, dimension);
    const random = seededRandom(`unbiased ${dimension} ${epsilon}`);
    const w = Float64Array.from({ length: dimension }, (_, i) => [0.6, -0.3, 0.5, 0.4][i]);
    const v = Float64Array.from({ length: dimension }, (_, i) => [0.5, 0.7, 0.1, -0.3][i]);
    const report = new Float64Array(dimension);
    const gradient = new Float64Array(dimension);
    const sums = new Float64Array(dimension);
    const squares = new Float64Array(dimension);
    const reports = 60_000;
    for (let n = 0; n < reports; n++) {
      randomizeSphericalLaplace(mechanism, v, report, random);
      spoil(report);
      deconvolvedGradient(deconvolution, w, report, gradient);
      for (let i = 0; i < dimension; i++) {
        sums[i] += gradient[i];
        squares[i] += gradient[i] ** 2;
      }
    }
    const slope = loss.derivative(w.reduce((sum, x, i) => sum + x * v[i], 0));
    let worst = 0;
    for (let i = 0; i < dimension; i++) {
      const mean = sums[i] / reports;
      const deviation = Math.sqrt((squares[i] / reports - mean * mean) / reports);
      worst = Math.max(worst, Math.abs(mean - slope * v[i]) / deviation);
    }
    return worst;
  }

  // At most nine coordinates in all beyond 4 standard errors: probability 5.7e-4 for some seed.
  test.each([
    [2, 4],
    [3, 2],
    [4, 4],
  ])('logistic, every coordinate, by simulation in dimension %d at ε = %d', (dimension, epsilon) => {
    expect(bias(dimension, epsilon)).toBeLessThan(4);
  });

  test('control: with reports 5 % too long it is not', () => {
    const longer = (report: Float64Array): void => {
      for (let i = 0; i < report.length; i++) report[i] *= 1.05;
    };
    expect(bias(3, 4, longer)).toBeGreaterThan(4);
  });
});

test('the gradient is that of the value, in w, for one and the same report', () => {
  let worst = 0;
  for (const loss of losses) {
    for (const dimension of [2, 3, 5]) {
      const deconvolution = deconvolutionOf(loss, 4, dimension);
      const report = [0.4, -0.9, 1.3, 0.2, -0.6].slice(0, dimension);
      const w = [0.3, 0.5, -0.2, 0.1, 0.4].slice(0, dimension);
      const target = new Float64Array(dimension);
      const gradient = new Float64Array(dimension);
      deconvolvedGradient(deconvolution, w, report, gradient);
      const step = 1e-5;
      for (let i = 0; i < dimension; i++) {
        const at = (change: number): number =>
          deconvolvedGradient(deconvolution, w.with(i, w[i] + change), report, target);
        const slope = (at(step) - at(-step)) / (2 * step);
        worst = Math.max(worst, Math.abs(slope - gradient[i]) / (1 + Math.abs(gradient[i])));
      }
    }
  }
  expect(worst).toBeLessThan(1e-7);
});

describe('E‖g‖² of the logistic loss at ‖w‖ = 1, v = e₁/2', () => {
  const point = { weightNorm: 1, along: 0.5, squaredNorm: 0.25 };
  const moment = (dimension: number, epsilon: number): number =>
    sphericalGradientSecondMoment(deconvolutionOf(logisticLoss(), epsilon, dimension), point);

  // Computed independently with SciPy (adaptive quadrature over the noise along w); to 1e-7.
  test.each([
    [3, 1, 97.07049382],
    [3, 2, 4.98982431],
    [3, 4, 0.679514244],
    [3, 8, 0.145755234],
    [9, 4, 7.476655438],
    [9, 8, 1.049217928],
    [1, 1, 4.204261232],
    [2, 4, 0.462177088],
    [4, 4, 1.514417918],
  ])('p = %d, ε = %d: %d', (dimension, epsilon, expected) => {
    expect(Math.abs(moment(dimension, epsilon) / expected - 1)).toBeLessThan(1e-7);
  });

  /** The mean of ‖g‖² over simulated reports less its claim, in standard errors; `scale` distorts the claim. */
  function deviation(dimension: number, epsilon: number, scale: number): number {
    const mechanism = sphericalLaplace({ epsilon, dimension });
    const deconvolution = deconvolutionOf(logisticLoss(), epsilon, dimension);
    const random = seededRandom('second moment');
    const w = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
    const v = w.map((x) => x / 2);
    const report = new Float64Array(dimension);
    const gradient = new Float64Array(dimension);
    const reports = 100_000;
    let [sum, squares] = [0, 0];
    for (let n = 0; n < reports; n++) {
      randomizeSphericalLaplace(mechanism, v, report, random);
      deconvolvedGradient(deconvolution, w, report, gradient);
      let norm = 0;
      for (let i = 0; i < dimension; i++) norm += gradient[i] ** 2;
      sum += norm;
      squares += norm * norm;
    }
    const mean = sum / reports;
    const error = Math.sqrt((squares / reports - mean * mean) / reports);
    return Math.abs(mean - scale * moment(dimension, epsilon)) / error;
  }

  // Beyond 4 standard errors with probability 6.3e-5 each.
  test.each([
    [3, 4],
    [9, 4],
    [4, 4],
  ])(
    'p = %d, ε = %d: what is simulated agrees with the quadrature, and not with 1.05 times it',
    (dimension, epsilon) => {
      expect(deviation(dimension, epsilon, 1)).toBeLessThan(4);
      expect(deviation(dimension, epsilon, 1.05)).toBeGreaterThan(4);
    },
  );

  test('of the exponential loss in dimension 1 is what the moment generating function of Laplace noise gives', () => {
    // With v = 0: E e^(−2wη)·(Aη + B)², A = −(1 − a), B = −2w/κ², M(s) = κ²/(κ² − s²) and its derivatives at s = −2w.
    const kappa = 1.5;
    const w = 0.6;
    const a = (w / kappa) ** 2;
    const [slope, pull] = [-(1 - a), (-2 * w) / kappa ** 2];
    const s = -2 * w;
    const gap = kappa ** 2 - s ** 2;
    const second = (2 * kappa ** 2 * (kappa ** 2 + 3 * s ** 2)) / gap ** 3;
    const first = (2 * kappa ** 2 * s) / gap ** 2;
    const expected = slope ** 2 * second + 2 * slope * pull * first + (pull ** 2 * kappa ** 2) / gap;
    const deconvolution = deconvolutionOf(exponentialLoss(), 2 * kappa, 1);
    const found = sphericalGradientSecondMoment(deconvolution, { weightNorm: w, along: 0, squaredNorm: 0 });
    expect(Math.abs(found / expected - 1)).toBeLessThan(1e-10);
  });

  test('grows when v turns away from w, and the mean follows', () => {
    const deconvolution = deconvolutionOf(logisticLoss(), 4, 3);
    const across = sphericalGradientMoments(deconvolution, { ...point, along: 0 });
    expect(across.secondMoment).toBeCloseTo(1.1055017451, 8);
    expect(Math.abs(across.mean)).toBeLessThan(1e-12);
  });
});

describe('refuses', () => {
  const noise = sphericalLaplace({ epsilon: 2, dimension: 3 });
  const derivatives = logisticLoss().analyticDerivatives!;

  test('noise of even dimension, of no rate, or with coordinates it has not', () => {
    const build = (change: Partial<typeof noise>) => () =>
      sphericalDeconvolution({ noise: { ...noise, ...change }, derivatives });
    expect(build({ noiseDimension: 4 })).toThrow('"noiseDimension" expected an odd number, got 4');
    expect(build({ rate: 0 })).toThrow('"rate" expected');
    expect(build({ dimension: 1 })).toThrow('"dimension" expected a whole number from 2 to 3, got 1');
  });

  test('more derivatives than are to be had, and takes as many as are', () => {
    const large = (dimension: number) => () => deconvolutionOf(logisticLoss(), 8, dimension);
    expect(large(30)).toThrow('"noiseDimension" expected a whole number from 1 to 30, got 31');
    expect(large(29)().order).toBe(15);
  });

  test('an exponential loss at a w whose estimate has no mean, or no second moment', () => {
    const deconvolution = deconvolutionOf(exponentialLoss(), 2, 3);
    const target = new Float64Array(3);
    expect(() => deconvolvedGradient(deconvolution, [1, 0, 0], [1, 0, 0], target)).toThrow(
      '"‖w‖" expected a number < 1',
    );
    expect(deconvolvedGradient(deconvolution, [0.9, 0, 0], [1, 0, 0], target)).toBeGreaterThan(0);
    const point = { weightNorm: 0.5, along: 0, squaredNorm: 0 };
    expect(() => sphericalGradientSecondMoment(deconvolution, point)).toThrow(
      '"weightNorm" expected a number <= 0.44,',
    );
    expect(sphericalGradientSecondMoment(deconvolution, { ...point, weightNorm: 0.44 })).toBeGreaterThan(0);
  });

  test('a vector shorter than its part along w', () => {
    const deconvolution = deconvolutionOf(logisticLoss(), 2, 3);
    expect(() => sphericalGradientSecondMoment(deconvolution, { weightNorm: 1, along: 0.5, squaredNorm: 0.2 })).toThrow(
      '"squaredNorm" expected at least along² (0.25), got 0.2',
    );
  });
});
