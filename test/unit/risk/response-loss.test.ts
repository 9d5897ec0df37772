import { describe, expect, test } from '@jest/globals';
import { RESPONSE_LOSS_NAMES, responseLossByName } from '../../../src/risk/named-loss.ts';
import { absoluteResponseLoss, squaredLoss } from '../../../src/risk/response-loss.ts';

describe('losses of an inner product and a response', () => {
  test('by hand: ½(0.5 + 0.3)² and |0.5 + 0.3|', () => {
    const squared = squaredLoss();
    expect([squared.value(0.5, -0.3), squared.derivative(0.5, -0.3), squared.secondDerivative(0.5, -0.3)]).toEqual([
      0.32000000000000006, 0.8, 1,
    ]);
    const absolute = absoluteResponseLoss();
    expect([absolute.value(0.5, -0.3), absolute.derivative(0.5, -0.3)]).toEqual([0.8, 1]);
    expect(absolute.derivative(-0.5, -0.3)).toBe(-1);
    // From the right.
    expect(absolute.derivative(0.25, 0.25)).toBe(1);
    expect([squared.kinked, absolute.kinked]).toEqual([false, true]);
  });

  test.each(RESPONSE_LOSS_NAMES)('%s: its constants hold on |⟨w, x⟩| ≤ R, |y| ≤ 1 and are met', (name) => {
    const loss = responseLossByName(name);
    expect(loss.name).toBe(name);
    for (const radius of [1, 2.5]) {
      let steepest = 0;
      for (let i = -20; i <= 20; i++) {
        for (let j = -20; j <= 20; j++) {
          steepest = Math.max(steepest, Math.abs(loss.derivative((radius * i) / 20, j / 20)));
        }
      }
      expect(loss.constantsOn(radius).lipschitz).toBeCloseTo(steepest, 14);
    }
    expect(loss.constantsOn()).toEqual(loss.constantsOn(1));
    expect(loss.constantsOn().smoothness).toBe(name === 'squared' ? 1 : Infinity);
  });

  test('refuse a radius that is none and a name that is none', () => {
    expect(() => squaredLoss().constantsOn(0)).toThrow('"radius" expected');
    expect(() => absoluteResponseLoss().constantsOn(Number.NaN)).toThrow('"radius" expected');
    expect(() => responseLossByName('logistic')).toThrow('"loss" expected one of squared, absolute, got "logistic"');
  });
});
