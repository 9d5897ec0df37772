// docs/errata.md, condition 4 of the inference paper. Printed: the Hessian of the loss of one record is positive definite, of the
// form m·mᵀ. What holds: m·mᵀ has rank one, so that for p ≥ 2 it never is; and under the Huber loss it is 0 beyond the threshold.
// The factor is what the mechanism needs, and the mean over records is what has to be positive definite.
// Conditions 1 and 2 of both papers: gradients of norm at most B, and a risk that is m-strongly convex for all θ. What holds:
// m‖a − b‖ ≤ ‖∇F(a) − ∇F(b)‖ ≤ 2B, so that no risk has both beyond a ball of radius B/m. The theorems hold on such a ball.

import { expect, test } from '@jest/globals';
import { nonPrivate } from '../../protocols/online-sgd/parameters.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillHessianFactor } from '../../src/risk/regression/gradient.ts';
import type { IndexModel } from '../../src/risk/regression/model.ts';
import { linearPopulation, logisticPopulation } from '../evidence/online-sgd/reproductions/population.ts';

const { max, min } = Math;
const TRUTH = Float64Array.of(1, 1, 1);
const RECORDS = 2000;

/** m·mᵀ, added to `sum`. */
function addProduct(m: Float64Array, sum: Float64Array): void {
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) sum[3 * i + j] += m[i] * m[j];
}

test.each([
  ['huber', linearPopulation(2, 1)],
  ['logistic', logisticPopulation(2)],
] as const)('%s: no record has a positive definite Hessian, and their mean has one', (kind, population) => {
  const model = nonPrivate({ model: { kind, features: 2 } }).model as IndexModel;
  const random = seededRandom(`rank ${kind}`);
  const datum = population.create();
  const m = new Float64Array(3);
  const mean = new Float64Array(9);
  let zero = 0;
  let second = 0;
  let first = Infinity;
  for (let k = 0; k < RECORDS; k++) {
    population.draw(datum, random);
    fillHessianFactor(model, TRUTH, datum, m);
    const own = new Float64Array(9);
    addProduct(m, own);
    addProduct(m, mean);
    const values = [...symmetricEigen(own, 3).values].sort((a, b) => b - a);
    if (values[0] === 0) zero++;
    else first = min(first, values[0]);
    second = max(second, Math.abs(values[1]));
  }
  // Two of three eigenvalues are 0 for every record, up to rounding.
  expect(second).toBeLessThan(1e-12);
  const least = min(
    ...symmetricEigen(
      mean.map((entry) => entry / RECORDS),
      3,
    ).values,
  );
  expect(least).toBeGreaterThan(0.03);
  // |Z| > 1.345 with probability .179: RECORDS times that is 357 ± 17. Logistic regression is curved everywhere.
  if (kind === 'huber') expect(Math.abs(zero - 357)).toBeLessThan(5 * 17);
  else expect(zero).toBe(0);
  expect(first).toBeGreaterThan(0);
});

test('a bounded gradient and strong convexity everywhere exclude each other: the curvature goes away from the truth', () => {
  const population = logisticPopulation(2);
  const { model } = nonPrivate({ model: { kind: 'logistic', features: 2 } });
  const drawn = Array.from({ length: RECORDS }, () => population.create());
  const random = seededRandom('curvature');
  for (const datum of drawn) population.draw(datum, random);
  /** The least eigenvalue of the mean Hessian at `times` the truth. */
  const curvature = (times: number): number => {
    const theta = TRUTH.map((entry) => times * entry);
    const m = new Float64Array(3);
    const mean = new Float64Array(9);
    for (const datum of drawn) {
      fillHessianFactor(model as IndexModel, theta, datum, m);
      addProduct(m, mean);
    }
    return min(
      ...symmetricEigen(
        mean.map((entry) => entry / RECORDS),
        3,
      ).values,
    );
  };
  const m = curvature(1);
  expect(m).toBeGreaterThan(0.04);
  // A strongly convex risk would keep it; no farther than 2B/m can it do so: within 57 for B = √2.
  expect((2 * model.gradientBound) / m).toBeLessThan(57);
  expect(curvature(10) / m).toBeLessThan(0.01);
  expect(curvature(100) / m).toBeLessThan(1e-4);
});
