// The curator of Kang, Li, Liu, Wang: the perceptron at points worked out by hand, batches and solvers.

import { describe, expect, test } from '@jest/globals';
import { conjugateGradientSolver } from '../../protocols/influence-sgd/contribution.ts';
import { descendNoisily, gradientPerturbation, logisticRegression } from '../../protocols/influence-sgd/index.ts';
import { accuracy } from '../../protocols/influence-sgd/model.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { perceptron } from '../evidence/influence-sgd/perceptron.ts';

const { exp, log1p, tanh } = Math;

test('definition 1: the perceptron is log(1 + e^(−ys)), s = Σ v_i·tanh⟨w_i, x⟩ + c', () => {
  const model = perceptron({ dimension: 2, hidden: 2, ridge: 0.1, radius: 3 });
  const theta = Float64Array.of(0.5, -1, 2, 0.25, 0.7, -0.4, 0.3);
  const records = { records: 1, dimension: 2, features: Float64Array.of(0.6, 0.2), labels: Int8Array.of(-1) };
  // ⟨w₁, x⟩ = .1 and ⟨w₂, x⟩ = 1.25.
  const s = 0.7 * tanh(0.1) - 0.4 * tanh(1.25) + 0.3;
  expect(model.score(theta, records, 0)).toBeCloseTo(s, 14);
  expect(model.loss(theta, records, 0)).toBeCloseTo(log1p(exp(s)), 14);
  expect(model.score(new Float64Array(7), records, 0)).toBe(0);
  // s is .0306: +1, as a score of 0 is, where the label is −1.
  expect(s).toBeGreaterThan(0);
  expect(accuracy(model, theta, records)).toBe(0);
  expect(
    accuracy(
      model,
      theta.map((x) => -x),
      records,
    ),
  ).toBe(1);
});

describe('batches drawn anew', () => {
  const records = {
    records: 4,
    dimension: 1,
    features: Float64Array.of(0.1, 0.4, -0.9, 0.7),
    labels: Int8Array.of(1, 1, -1, 1),
  };
  const model = logisticRegression({ dimension: 1, ridge: 0, radius: 5 });

  test('a batch of all records is all of them, each once: descent without noise is that on the whole risk', () => {
    const request = {
      accountant: 'moments',
      epsilon: 2,
      delta: 1e-5,
      records: 4,
      lipschitz: 1,
      steps: 25,
      step: 0.5,
    } as const;
    const parameters = { ...gradientPerturbation({ ...request, batch: 4 }), sigma: 0 };
    const [found] = descendNoisily(parameters, model, records, seededRandom('coins'));
    let theta = 0;
    for (let t = 0; t < 25; t++) {
      let sum = 0;
      for (let i = 0; i < 4; i++) {
        const z = records.labels[i] * records.features[i];
        sum -= z / (1 + exp(z * theta));
      }
      theta -= (0.5 * sum) / 4;
    }
    expect(found).toBeCloseTo(theta, 12);
    // Control: batches of two are others.
    const half = { ...gradientPerturbation({ ...request, batch: 2 }), sigma: 0 };
    expect(Math.abs(descendNoisily(half, model, records, seededRandom('coins'))[0] - theta)).toBeGreaterThan(1e-4);
  });
});

test('equation (11): the solution is in proportion to the right side, however short it is', () => {
  const [a, b, c] = [2, 0.5, 1];
  const solve = conjugateGradientSolver((vector, target) => {
    target[0] = a * vector[0] + b * vector[1];
    target[1] = b * vector[0] + c * vector[1];
  }, 2);
  for (const size of [1e-8, 1e-3, 1, 1e5]) {
    const target = Float64Array.of(size, -3 * size);
    solve(target);
    // (c + 3b, −b − 3a)/(ac − b²) = (2.5, −6.5)/1.75.
    expect(target[0] / size).toBeCloseTo(2.5 / 1.75, 7);
    expect(target[1] / size).toBeCloseTo(-6.5 / 1.75, 7);
  }
});
