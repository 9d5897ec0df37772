// docs/errata.md, algorithm 2. Printed: an independent s_k ~ Q in each factor of t_j = ∏(y_k⟨w, x_k⟩ − s_k)/2. Then
// E t_j = ((t − E s)/2)^j, and the gradient is that of one smoothed step at E s, whatever the loss. What holds: one s per
// gradient, shared by all factors (variant `copies`, decoder `product`). And "+ f′(−1)", a number added to a vector, is to be
// read as f′(−1)·y₀x₀.
import { describe, expect, test } from '@jest/globals';
import type { MixtureDecoding } from '../../protocols/generalized-linear/algorithm-2.ts';
import {
  copies,
  generalizedLinear,
  mixtureGradients,
  mixtureSlope,
  mixtureVariance,
  printed,
  type ReportTally,
  smoothedStepCoefficients,
} from '../../protocols/generalized-linear/index.ts';
import { largestGap } from '../../src/optimize/corrected-risk.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import type { MarginLoss } from '../../src/risk/margin-loss.ts';
import { lossByName } from '../../src/risk/named-loss.ts';

const features = [0.6, -0.5];
const label = -1;
const v = features.map((entry) => label * entry);
const w = Float64Array.of(-0.9, 0.4);
const margin = 0.9 * 0.6 + 0.4 * 0.5;
// Noise of the order of the record: E‖G‖² can then be measured. Degree 3 is the first whose factors interact (c_2 = 0).
const parameters = printed({ epsilon: 300, delta: 1e-3, degree: 3, dimension: 2 });
const step = smoothedStepCoefficients(3, 0.1);
const REPORTS = 60_000;

/** Mean of the gradient estimates of many reports of one record. */
function meanGradient(loss: MarginLoss, decoding: MixtureDecoding): number[] {
  const random = seededRandom(`algorithm 2 ${loss.name} ${decoding}`);
  const tally = generalizedLinear.server.empty(parameters) as ReportTally;
  const gradients = mixtureGradients(parameters, convexMixture(loss), step, decoding, tally, random);
  const report = generalizedLinear.player.randomize(parameters, { features, label }, random);
  const gradient = new Float64Array(2);
  const mean = [0, 0];
  generalizedLinear.server.add(parameters, tally, report);
  for (let i = 0; i < REPORTS; i++) {
    generalizedLinear.player.randomizeInto(parameters, { features, label }, random, report);
    tally.values.set(report.values);
    gradients.gradient(0, w, gradient);
    for (let j = 0; j < 2; j++) mean[j] += gradient[j] / REPORTS;
  }
  return mean;
}

/** How far the mean is from P(t)·v, in standard errors √(V/n). */
function distance(loss: MarginLoss, decoding: MixtureDecoding, claimed: MixtureDecoding): number {
  const mixture = convexMixture(loss);
  const slope = evaluatePolynomial(mixtureSlope(mixture, step, claimed), margin);
  const variance = mixtureVariance(parameters, mixture, decoding, { coefficients: step, w, features, label });
  const apart = meanGradient(loss, decoding).map((entry, j) => entry - slope * v[j]);
  return Math.hypot(...apart) / Math.sqrt(variance / REPORTS);
}

describe.each(['logistic', 'squared', 'hinge-1', 'exponential'])(
  'the gradient of algorithm 2 under the %s loss',
  (name) => {
    const loss = lossByName(name);
    // hinge-1 has its kink at the end of [−1, 1] and is a straight line there: nothing to get wrong.
    const curved = name !== 'hinge-1';

    test('with one s per gradient is unbiased for the smoothed mixture, as printed it is not', () => {
      // Beyond 5 with probability 6e-7 at most (one χ²₁), eight such tests.
      expect(distance(loss, 'shared', 'shared')).toBeLessThan(5);
      expect(distance(loss, 'independent', 'independent')).toBeLessThan(5);
      // The printed form fails what the corrected one passes.
      if (curved) expect(distance(loss, 'independent', 'shared')).toBeGreaterThan(10);
    });

    test('approaches f′ as the degree grows with one s, and never as printed', () => {
      const mixture = convexMixture(loss);
      const gap = (decoding: MixtureDecoding, degree: number, beta: number): number =>
        largestGap(mixtureSlope(mixture, smoothedStepCoefficients(degree, beta), decoding), loss.derivative, 0.999);
      const size = mixture.highest - mixture.lowest;
      expect(gap('shared', 19, 0.05)).toBeLessThan(0.07 * size + 1e-12);
      expect(gap('shared', 19, 0.05)).toBeLessThanOrEqual(0.5 * gap('shared', 3, 0.1) + 1e-12);
      // At degree 3 the printed step is still so blurred that it happens to look like the nearly straight f′ of these losses.
      if (curved) for (const degree of [9, 19]) expect(gap('independent', degree, 0.05)).toBeGreaterThan(0.25 * size);
    });
  },
);

test('as printed, the gradient is that of one smoothed step at E s: the loss enters by three numbers only', () => {
  const mixture = convexMixture(lossByName('logistic'));
  const centre = mixture.nodes.reduce((sum, node, i) => sum + mixture.weights[i] * node, 0);
  const slope = mixtureSlope(mixture, step, 'independent');
  let apart = 0;
  for (const t of [-1, -0.4, 0.1, 0.9]) {
    const single = (mixture.highest - mixture.lowest) * evaluatePolynomial(step, (t - centre) / 2) + mixture.lowest;
    apart = Math.max(apart, Math.abs(evaluatePolynomial(slope, t) - single));
  }
  expect(apart).toBeLessThan(1e-14);
});

test('"+ f′(−1)" is read as f′(−1)·y₀x₀: under a straight line nothing else is left', () => {
  const line: MarginLoss = {
    name: 'line',
    value: (t) => -0.7 * t,
    derivative: () => -0.7,
    secondDerivative: () => 0,
    lipschitz: 0.7,
    smoothness: 0,
    kinks: [],
  };
  const random = seededRandom('line');
  const tally = generalizedLinear.server.empty(parameters) as ReportTally;
  const report = generalizedLinear.player.randomize(parameters, { features, label }, random);
  generalizedLinear.server.add(parameters, tally, report);
  const gradient = new Float64Array(2);
  mixtureGradients(parameters, convexMixture(line), step, 'shared', tally, random).gradient(0, w, gradient);
  const expected = [0, 1].map((j) => -0.7 * report.values[2] * report.values[j]);
  expect(Array.from(gradient)).toEqual(expected);
});

test('an estimate of `printed` states the bias of its own decoding, which `copies` does not have', () => {
  // The bias that an estimate states is that of its own decoding. Measured: .017 and .13.
  const request = { epsilon: 4000, delta: 1e-3, degree: 9, dimension: 2 };
  const biasOf = (made: ReturnType<typeof copies>): number => {
    const tally = generalizedLinear.server.empty(made);
    const random = seededRandom('bias');
    for (let i = 0; i < 50; i++) {
      generalizedLinear.server.add(made, tally, generalizedLinear.player.randomize(made, { features, label }, random));
    }
    return generalizedLinear.server.estimate(made, tally, {
      loss: 'logistic',
      decoder: 'product',
      beta: 0.05,
      degree: made.degree,
    }).bias;
  };
  expect(biasOf(printed(request))).toBeGreaterThan(3 * biasOf(copies(request)));
});
