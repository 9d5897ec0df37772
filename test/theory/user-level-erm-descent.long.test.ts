import { expect, test } from '@jest/globals';
import { fillGradient, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { expectedGradientError } from '../../protocols/user-level-erm/protocol.ts';
import { conduct } from '../../src/simulation/runner.ts';
import {
  distance,
  drawRecords,
  gradientUsed,
  minimiser,
  populationOf,
  squaresPlan,
} from '../evidence/user-level-erm/validations/records.ts';

// Slopes, the bound on every iterate and the error of a gradient that is located anew are measured by the validations
// user-level-erm-error and user-level-gradient-error.
const REQUEST = { epsilon: 1, players: 8000, samples: 8, dimension: 3, iterations: 15 };
const records = drawRecords(REQUEST.players * REQUEST.samples, [0.2, -0.15, 0.1], 'descent');
const population = populationOf(records, REQUEST.players);
const run = (plan: ReturnType<typeof squaresPlan>, seed: string) =>
  conduct(userLevelErm, plan, population, { seed }).estimate;

test('the distance that an estimate states is never below the true one', () => {
  const plan = squaresPlan(REQUEST, { step: 0.3 });
  const best = minimiser(plan.objective, records);
  // Stated: an upper bound by strong convexity from the gradient and one standard error.
  const ratios = Array.from({ length: 10 }, (_, i) => {
    const { theta, distance: stated } = run(plan, `bound ${i}`);
    return distance(theta, best) / stated;
  });
  expect(Math.max(...ratios)).toBeLessThan(1);
});

/** Root mean square of ‖ĝ_t − g(θ_t)‖ from iteration 8 on. */
function gradientError(plan: ReturnType<typeof squaresPlan>, runs: number): number {
  const gradient = new Float64Array(3);
  let sum = 0;
  for (let i = 0; i < runs; i++) {
    const { iterates } = run(plan, `gradient ${i}`);
    for (let t = 8; t < plan.iterations; t++) {
      fillGradient(plan.objective, iterates[t], records, gradient);
      sum += distance(gradientUsed(iterates[t], iterates[t + 1], plan.step), gradient) ** 2;
    }
  }
  return Math.sqrt(sum / (runs * (plan.iterations - 8)));
}

test('a gradient that is predicted from the one before has less error than the closed form, and half of what it has anew', () => {
  const plan = squaresPlan(REQUEST);
  const predicted = gradientError(plan, 10);
  // Deviation of a coordinate of a record's gradient at the minimum: a residual uniform on [−½, ½], E x_j² = 1.
  expect(predicted).toBeLessThan(0.7 * expectedGradientError(plan, Math.sqrt(1 / 12)));
  expect(predicted).toBeLessThan(0.5 * gradientError(squaresPlan(REQUEST, { predict: false }), 3));
});
