// docs/errata.md, example 2 of the inference paper. Printed: Y ∈ {−1, 1} with the update (σ(xᵀθ) − Y)x. What holds: that is the
// gradient of the logistic likelihood for Y ∈ {0, 1} only; with signs its mean at the truth is not 0.
import { expect, test } from '@jest/globals';
import { nonPrivate, onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import { fillGradient } from '../../src/protocol/online/gradient.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { binaryLogisticLoss } from '../../src/risk/binary-logistic.ts';
import { mallowsWeight } from '../../src/risk/huber.ts';
import { logisticPopulation } from '../theory/online-streams.ts';

const { abs, sqrt } = Math;
const TRUTH = Float64Array.of(1, 1, 1);
const loss = binaryLogisticLoss();

test('the printed update with labels −1 and 1 does not have mean 0 at the truth; with 0 and 1, or as a margin, it has', () => {
  const binary = nonPrivate({ model: { kind: 'logistic', features: 2 } }).model;
  const margin = onlineSgdPlan({ maker: 'nonPrivate', model: { kind: 'margin', loss: 'logistic', features: 2 } }).model;
  const population = logisticPopulation(2);
  const random = seededRandom('labels');
  const datum = population.create();
  const psi = new Float64Array(3);
  const sums = { binary: 0, margin: 0, printed: 0 };
  const trials = 200_000;
  for (let n = 0; n < trials; n++) {
    population.draw(datum, random);
    const { features, response } = datum;
    fillGradient(binary, TRUTH, datum, psi);
    sums.binary += psi[0] / trials;
    const sign = 2 * response - 1;
    fillGradient(margin, TRUTH, { features, response: sign }, psi);
    sums.margin += psi[0] / trials;
    const inner = 1 + features[0] + features[1];
    const weight = mallowsWeight(1 + features[0] ** 2 + features[1] ** 2);
    sums.printed += (loss.derivative(inner, sign) * weight) / trials;
  }
  // Gradients are below 1 in absolute value: 5 standard errors are at most .011.
  const error = 1 / sqrt(trials);
  expect(abs(sums.binary)).toBeLessThan(5 * error);
  expect(abs(sums.margin)).toBeLessThan(5 * error);
  expect(sums.printed).toBeGreaterThan(50 * error);
});

test('the model refuses the labels −1 and 1 rather than fit something else', () => {
  const { model } = nonPrivate({ model: { kind: 'logistic', features: 2 } });
  const psi = new Float64Array(3);
  expect(() => fillGradient(model, TRUTH, { features: [0, 0], response: -1 }, psi)).toThrow(
    '"response" expected 0 or 1',
  );
});
