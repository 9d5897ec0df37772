import { describe, expect, test } from '@jest/globals';
import { binaryLogisticLoss, logisticLoss } from '../../../src/risk/named-loss.ts';
import {
  expectileLoss,
  huberLoss,
  huberScaleConstant,
  jointHuberBounds,
  sigmoid,
  smoothedQuantileLoss,
} from '../../../src/risk/response-loss.ts';

const { abs, exp, log, max, sqrt } = Math;

describe.each([
  ['expectile', expectileLoss({ tau: 0.8, threshold: 1.2, scale: 0.5 }), 0.8 * 1.2, 0.8 / 0.5],
  ['smoothed quantile', smoothedQuantileLoss({ tau: 0.3, bandwidth: 0.2 }), 0.7, 1.25],
  ['logistic with a response 0 or 1', binaryLogisticLoss(), 1, 0.25],
])('the %s loss', (_, loss, lipschitz, smoothness) => {
  test('has derivatives that are those of its values, and the constants it says', () => {
    const h = 1e-5;
    let [apart, steepest, most] = [0, 0, 0];
    for (const y of [0, 1]) {
      // Points beside the threshold and the kink at 0 of a second derivative.
      for (let t = -6.0123; t < 6; t += 0.037) {
        const slope = (loss.value(t + h, y) - loss.value(t - h, y)) / (2 * h);
        const curvature = (loss.derivative(t + h, y) - loss.derivative(t - h, y)) / (2 * h);
        apart = max(apart, abs(slope - loss.derivative(t, y)), abs(curvature - loss.secondDerivative(t, y)));
        steepest = max(steepest, abs(loss.derivative(t, y)));
        most = max(most, loss.secondDerivative(t, y));
      }
    }
    expect(apart).toBeLessThan(1e-5);
    expect(steepest).toBeLessThanOrEqual(lipschitz);
    expect(steepest).toBeGreaterThan(0.97 * lipschitz);
    expect(most).toBeLessThanOrEqual(smoothness);
    expect(most).toBeGreaterThan(0.97 * smoothness);
    expect(loss.constantsOn(1e3)).toEqual({ lipschitz, smoothness });
    expect(() => loss.constantsOn(0)).toThrow(/^"radius" expected/);
  });

  test('is finite where exponentials are not', () => {
    for (const t of [-1e4, 1e4]) {
      for (const y of [0, 1]) {
        expect([loss.value(t, y), loss.derivative(t, y), loss.secondDerivative(t, y)].every(Number.isFinite)).toBe(
          true,
        );
      }
    }
  });
});

describe('the expectile loss', () => {
  test('at τ = ½ is half the Huber loss, and weighs the two sides by hand', () => {
    const half = expectileLoss({ tau: 0.5, threshold: 2, scale: 0.5 });
    const whole = huberLoss({ threshold: 2, scale: 0.5 });
    for (const t of [-3, -0.2, 0.4, 5]) expect(2 * half.derivative(t, 0)).toBe(whole.derivative(t, 0));
    // τ = .9: a residual of 1 pulls with .9, one of −1 with .1.
    const loss = expectileLoss({ tau: 0.9 });
    expect(loss.derivative(0, 1)).toBe(-0.9);
    expect(loss.derivative(0, -1)).toBeCloseTo(0.1, 15);
    expect(loss.value(0, 1)).toBe(0.45);
  });

  test.each([0, 1, NaN, '0.5', undefined])('refuses τ = %p', (tau) => {
    expect(() => expectileLoss({ tau: tau as number })).toThrow(/^"tau" expected a number strictly/);
    expect(() => smoothedQuantileLoss({ tau: tau as number, bandwidth: 1 })).toThrow(
      /^"tau" expected a number strictly/,
    );
  });
});

test('the smoothed quantile loss tends to the check loss with its bandwidth, and is above it by h·log 2 at most', () => {
  const check = (r: number): number => r * (0.3 - (r < 0 ? 1 : 0));
  for (const bandwidth of [1, 0.1, 1e-3]) {
    const loss = smoothedQuantileLoss({ tau: 0.3, bandwidth });
    for (const r of [-2, -0.1, 0, 0.05, 3]) {
      const more = loss.value(-r, 0) - check(r);
      expect(more).toBeGreaterThanOrEqual(-1e-15);
      expect(more).toBeLessThanOrEqual(bandwidth * log(2) * (1 + 1e-12));
    }
  }
  expect(() => smoothedQuantileLoss({ tau: 0.5, bandwidth: 0 })).toThrow(/^"bandwidth" expected/);
});

test('the logistic loss of 0 or 1 is the loss of the margin of −1 or 1', () => {
  const [binary, margin] = [binaryLogisticLoss(), logisticLoss()];
  for (const t of [-30, -1, 0, 0.5, 20]) {
    expect(abs(binary.value(t, 1) - margin.value(t))).toBeLessThan(1e-14);
    expect(abs(binary.value(t, 0) - margin.value(-t))).toBeLessThan(1e-14);
    expect(sigmoid(t)).toBeCloseTo(1 / (1 + exp(-t)), 15);
  }
});

describe('the joint loss of coefficients and scale', () => {
  // Computed independently with SciPy: integrals of min(u², c²) against the normal density.
  test.each([
    [0.5, 0.18512836514672026],
    [1.345, 0.7101645482690486],
    [2.5, 0.9775599834528068],
  ])('κ at c = %f is E ψ²', (threshold, kappa) => {
    expect(abs(huberScaleConstant(threshold) - kappa)).toBeLessThan(1e-12);
  });

  test('has the printed sensitivity √(8c² + c⁴/4), and a norm below it', () => {
    const { sensitivity, norm } = jointHuberBounds(1.345);
    expect(sensitivity).toBeCloseTo(sqrt(8 * 1.345 ** 2 + 1.345 ** 4 / 4), 14);
    expect(norm).toBeGreaterThan(sqrt(2) * 1.345);
    expect(2 * norm).toBeGreaterThan(sensitivity);
    expect(() => jointHuberBounds(0)).toThrow(/^"threshold" expected/);
  });
});
