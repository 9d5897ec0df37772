// docs/errata.md, example 2 of the inference paper. Printed: Y ∈ {−1, 1} with the update (σ(xᵀθ) − Y)x. What holds: that is the
// gradient of the logistic likelihood for Y ∈ {0, 1} only; with signs its mean at the truth is not 0, which the validation
// online-examples measures. The loss printed above it,
// −y·log(1/(1 + e^t)) + (1 − y)·log(e^t/(1 + e^t)) with t = xᵀθ, has two wrong signs and is not the loss of that update either.

import { describe, expect, test } from '@jest/globals';
import { nonPrivate } from '../../protocols/online-sgd/parameters.ts';
import { binaryLogisticLoss } from '../../src/risk/named-loss.ts';
import { fillGradient } from '../../src/risk/regression/gradient.ts';

const { abs, exp, log } = Math;
const TRUTH = Float64Array.of(1, 1, 1);
const loss = binaryLogisticLoss();

test('the model refuses the labels −1 and 1 rather than fit something else', () => {
  const { model } = nonPrivate({ model: { kind: 'logistic', features: 2 } });
  const psi = new Float64Array(3);
  expect(() => fillGradient(model, TRUTH, { features: [0, 0], response: -1 }, psi)).toThrow(
    '"response" expected 0 or 1',
  );
});

describe('the printed loss', () => {
  const printed = (t: number, y: number): number => -y * log(1 / (1 + exp(t))) + (1 - y) * log(exp(t) / (1 + exp(t)));
  // As the non-asymptotic paper has it, Section 5.3.
  const corrected = (t: number, y: number): number =>
    -y * log(1 / (1 + exp(-t))) - (1 - y) * log(exp(-t) / (1 + exp(-t)));
  const slope = (of: (t: number, y: number) => number, t: number, y: number): number =>
    (of(t + 1e-5, y) - of(t - 1e-5, y)) / 2e-5;

  test('grows in xᵀθ for both labels, so that no θ minimises it', () => {
    for (let t = -6; t <= 6; t += 0.5) {
      for (const y of [0, 1]) expect(slope(printed, t, y)).toBeGreaterThan(0.002);
    }
    // In the mean over y at the truth t = 1 it grows by σ² + (1 − σ)² = .607, where a minimum would have 0.
    const share = 1 / (1 + exp(-1));
    expect(share * slope(printed, 1, 1) + (1 - share) * slope(printed, 1, 0)).toBeCloseTo(0.607, 3);
  });

  test('does not have the slope of the printed update, which the corrected loss and the library have', () => {
    for (let t = -6; t <= 6; t += 0.5) {
      for (const y of [0, 1]) {
        const update = 1 / (1 + exp(-t)) - y;
        expect(slope(corrected, t, y)).toBeCloseTo(update, 6);
        expect(loss.derivative(t, y)).toBeCloseTo(update, 12);
      }
      expect(abs(slope(printed, t, 1) - (1 / (1 + exp(-t)) - 1))).toBeCloseTo(1, 6);
    }
  });
});
