import { expect, test } from '@jest/globals';
import { requiredPlayers } from '../../protocols/user-level-erm/descent.ts';
import { descent, type ErmRequest, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { populationOf } from '../evidence/user-level-erm/validations/records.ts';
import { drawRecords } from '../protocols/user-level-erm-cases.ts';

const { hypot, sqrt } = Math;

const RADIUS = 0.5;

/** Root mean square of ‖θ_T − θ‖/R over five runs of least squares with E xxᵀ = I. */
function relativeError(dimension: number, epsilon: number, samples: number, share: number): number {
  const featureBound = sqrt(dimension + 2);
  const asked: Omit<ErmRequest, 'players'> = {
    epsilon,
    samples,
    dimension,
    loss: 'squared',
    featureBound,
    radius: RADIUS,
    strongConvexity: 0.8,
    smoothness: 1.2,
    iterations: 12,
    force: true,
  };
  const { gradientBound } = descent({ ...asked, players: 10_000 }).objective;
  const needed = requiredPlayers({ ...asked, gradientBound });
  const players = Math.ceil(needed * share);
  // Far from the origin, so that saying nothing is an error of .8 of the radius.
  const model = Array.from({ length: dimension }, (_, i) => ((i % 2 === 0 ? 1 : -1) * 0.8 * RADIUS) / sqrt(dimension));
  const truth = model.map((coordinate) => coordinate * featureBound);
  const drawn = drawRecords({ loss: 'squared', players, samples, truth, seed: `condition ${dimension}` });
  const records = { features: drawn.features.map((x) => x * featureBound), responses: drawn.responses };
  const plan = descent({ ...asked, players });
  let sum = 0;
  for (let run = 0; run < 5; run++) {
    const { theta } = conduct(userLevelErm, plan, populationOf(records, players), { seed: run }).estimate;
    sum += hypot(...theta.map((coordinate, i) => coordinate - model[i])) ** 2 / 5;
  }
  return sqrt(sum) / RADIUS;
}

// Measured: .08, .04, .05 and .02 of the radius, and 1.4 for the control. A root mean square of 5 runs in d dimensions has a relative deviation of
// 1/√(10d) ≤ .22, so that .4 is far beyond five deviations.
test.each([
  [2, 1, 10],
  [4, 1, 10],
  [4, 0.5, 40],
  [8, 2, 40],
])(
  'players as the condition asks for are enough in dimension %i at ε = %p with %i samples',
  (dimension, epsilon, samples) => {
    const error = relativeError(dimension, epsilon, samples, 1);
    expect(error).toBeLessThan(0.4);
  },
);

test('control: a hundredth of them are not', () => {
  const error = relativeError(4, 0.5, 40, 0.01);
  expect(error).toBeGreaterThan(0.4);
});
