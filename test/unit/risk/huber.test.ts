import { describe, expect, test } from '@jest/globals';
import {
  HUBER_THRESHOLD,
  huberLoss,
  huberScore,
  huberScoreBound,
  huberValue,
  MALLOWS_CURVATURE,
  MALLOWS_NORM,
  mallowsWeight,
} from '../../../src/risk/response-loss.ts';

const { abs, max, sqrt } = Math;

describe('the Huber loss', () => {
  test('has the values computed by hand', () => {
    // c = 2: ρ(1) = ½, ρ(2) = 2, ρ(−5) = 2·5 − 2 = 8.
    expect([1, 2, -5].map((u) => huberValue(u, 2))).toEqual([0.5, 2, 8]);
    expect([1, 2, -5, 2.5].map((u) => huberScore(u, 2))).toEqual([1, 2, -2, 2]);
    // σ = ½, c = 2, y − ⟨w, x⟩ = 3 is u = 6: σ(2·6 − 2) = 5, slope −2; u = −1: σ·½ = ¼, slope 1, curvature 1/σ.
    const loss = huberLoss({ threshold: 2, scale: 0.5 });
    expect([loss.value(1, 4), loss.derivative(1, 4), loss.secondDerivative(1, 4)]).toEqual([5, -2, 0]);
    expect([loss.value(1, 0.5), loss.derivative(1, 0.5), loss.secondDerivative(1, 0.5)]).toEqual([0.25, 1, 2]);
    expect(loss.constantsOn(1)).toEqual({ lipschitz: 2, smoothness: 2 });
    // A response from −1 to 1 and |⟨w, x⟩| ≤ ¼ leave |u| ≤ 1.25/½ > 2; at σ = 4 only 1.25/4.
    expect(huberLoss({ scale: 4 }).constantsOn(0.25).lipschitz).toBe(0.3125);
  });

  test('is differentiable, and its derivatives are those of its values, on both sides of the threshold', () => {
    const loss = huberLoss({ threshold: 1.3, scale: 0.7 });
    const h = 1e-5;
    let worst = 0;
    for (let i = -40; i <= 40; i++) {
      const inner = i / 10 + 0.003;
      const slope = (loss.value(inner + h, 0.4) - loss.value(inner - h, 0.4)) / (2 * h);
      const curvature = (loss.derivative(inner + h, 0.4) - loss.derivative(inner - h, 0.4)) / (2 * h);
      worst = max(worst, abs(slope - loss.derivative(inner, 0.4)), abs(curvature - loss.secondDerivative(inner, 0.4)));
    }
    expect(worst).toBeLessThan(1e-9);
  });

  test('is called by its parameters, 1.345 and 1 where none are given', () => {
    expect(huberLoss().name).toBe('Huber (threshold 1.345, scale 1)');
    expect(HUBER_THRESHOLD).toBe(1.345);
  });

  test.each([0, -1, NaN, Infinity])('refuses threshold and scale %p by name', (value) => {
    expect(() => huberLoss({ threshold: value })).toThrow(/^"threshold" expected a finite number > 0/);
    expect(() => huberLoss({ scale: value })).toThrow(/^"scale" expected a finite number > 0/);
    expect(() => huberScoreBound(value)).toThrow(/^"threshold" expected/);
  });
});

describe('the Mallows weight', () => {
  test('bounds ‖w(x)·x‖ by √2 and w(x)·‖x‖² by 2, and reaches both', () => {
    let norm = 0;
    let curvature = 0;
    for (let i = 1; i <= 4000; i++) {
      const squared = i / 500;
      norm = max(norm, mallowsWeight(squared) * sqrt(squared));
      curvature = max(curvature, mallowsWeight(squared) * squared);
    }
    expect(norm).toBe(MALLOWS_NORM);
    expect(abs(norm - sqrt(2))).toBeLessThan(1e-15);
    expect(curvature).toBe(MALLOWS_CURVATURE);
    expect(curvature).toBe(2);
    expect([0, 1, 2, 8].map(mallowsWeight)).toEqual([1, 1, 1, 0.25]);
  });

  test('with the score it bounds the gradient by √2·c: no record pulls harder', () => {
    expect(huberScoreBound(1.345)).toBeCloseTo(1.9021172, 7);
    // A record far out, and a far response: ψ = c, ‖w·x‖ = 2/‖x‖.
    expect(huberScore(1e9, 1.345) * mallowsWeight(1e8) * 1e4).toBeLessThan(huberScoreBound(1.345));
  });
});
