// Figure 1 of both papers: clipping gradients biases logistic regression, however many players there are; Mallows weights do not. Where the
// averages settle is measured by the validation online-clipping.

import { expect, test } from '@jest/globals';
import type { OnlinePlan } from '../../protocols/online-sgd/index.ts';
import { nonPrivate } from '../../protocols/online-sgd/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillGradient } from '../../src/risk/regression/gradient.ts';
import { logisticPopulation } from '../evidence/online-sgd/reproductions/population.ts';

const { abs, max, sqrt } = Math;

const weighted = nonPrivate({ model: { kind: 'logistic', features: 3 }, inference: [] });
const clipped = nonPrivate({ model: { kind: 'logistic', features: 3, clip: 0.3 }, inference: [] });
const TRUTH = Float64Array.of(1, 1, 1, 1);

/** E Ψ at the true parameter, coordinate by coordinate, and the largest standard error. */
function meanGradient({ model }: OnlinePlan): { mean: Float64Array; error: number } {
  const population = logisticPopulation(3);
  const random = seededRandom('mean gradient');
  const datum = population.create();
  const [mean, squares, psi] = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  const trials = 300_000;
  for (let n = 0; n < trials; n++) {
    population.draw(datum, random);
    fillGradient(model, TRUTH, datum, psi);
    for (let i = 0; i < 4; i++) {
      mean[i] += psi[i] / trials;
      squares[i] += psi[i] ** 2 / trials;
    }
  }
  return { mean, error: sqrt(max(...squares) / trials) };
}

test('the weighted gradient has mean 0 at the truth, and the clipped one has not', () => {
  const ofWeights = meanGradient(weighted);
  const ofClipping = meanGradient(clipped);
  // 5 standard errors in each of 4 coordinates: a false alarm of 2e-6.
  for (const entry of ofWeights.mean) expect(abs(entry)).toBeLessThan(5 * ofWeights.error);
  // Every coordinate pulls the estimate up, by tens of standard errors: the positive bias of the figure.
  for (const entry of ofClipping.mean) expect(entry).toBeLessThan(-20 * ofClipping.error);
});
