// docs/errata.md, Ω of the Laplace mechanism. Printed: O(d³(ln d)²/ε²). What holds: d coordinates of variance 2·(2√d/ε)² are
// exactly 8d²/ε², so that the printed rate is an upper bound that is never attained, too large by d(ln d)²/8.

import { expect, test } from '@jest/globals';
import { laplace } from '../../protocols/online-sgd/parameters.ts';
import { player } from '../../protocols/online-sgd/player.ts';
import { server } from '../../protocols/online-sgd/server.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillGradient } from '../../src/risk/regression/gradient.ts';
import { omega, printedLaplaceRate } from '../evidence/online-sgd/bounds.ts';

/** E‖ω‖² of the noise B₀·ω, from reports. */
function measured(dimension: number, epsilon: number, trials: number): number {
  const plan = laplace({ model: { kind: 'huber', features: dimension - 1 }, epsilon });
  const random = seededRandom(`laplace ${dimension}`);
  const datum = { features: new Float64Array(dimension - 1), response: 1 };
  const step = server.step(plan, server.start(plan));
  const gradient = new Float64Array(dimension);
  fillGradient(plan.model, step.iterate, datum, gradient);
  const report = player.randomize(step, datum, random);
  let sum = 0;
  for (let n = 0; n < trials; n++) {
    player.randomizeInto(step, datum, random, report);
    for (let i = 0; i < dimension; i++) sum += (report.values[i] - gradient[i]) ** 2;
  }
  expect(omega(plan)).toBeCloseTo((8 * dimension * dimension) / epsilon ** 2, 6);
  return sum / trials / plan.model.gradientBound ** 2;
}

test('Ω grows with the square of the dimension, and not with d³(ln d)²', () => {
  const [small, large] = [5, 80];
  const growth = measured(large, 2, 4000) / measured(small, 2, 40_000);
  // A square of a Laplace number has relative deviation √5: 320 000 and 200 000 of them, an error of .6 %; 4 % is above 6 of these.
  expect(Math.abs(growth / (large / small) ** 2 - 1)).toBeLessThan(0.04);
  const printed = printedLaplaceRate(large, 2) / printedLaplaceRate(small, 2);
  expect(printed / growth).toBeGreaterThan(100);
});
