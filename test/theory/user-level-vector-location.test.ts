import { describe, expect, test } from '@jest/globals';
import { locationPlayers } from '../../src/protocol/user-level/vector/theory.ts';
import { makeVector, play } from './user-level-vector.ts';

const RUNS = 12;
const TAU = 0.05;

/** How often the root mean squared error of a coordinate is below 3τ. */
function successes(dimension: number, epsilon: number, players: number): number {
  const plan = makeVector({ epsilon, players, samples: 25, dimension, form: 'sign' });
  let found = 0;
  for (let run = 0; run < RUNS; run++) {
    const { squaredError } = play(plan, TAU, 0.5 * Math.sqrt(dimension), `find ${run}`);
    if (squaredError < dimension * (3 * TAU) ** 2) found++;
  }
  return found;
}

// One sign a player is worth κ² ≈ ε²/4 of a sign without noise, and D groups share the players: the number that locates is
// proportional to D/κ². (The slides' n = Ω̃(√d/ε) is for ε of order 1; no pure mechanism finds one bin of many with n ≪ 1/ε².)
describe('players that locate every coordinate', () => {
  const cases = [
    [4, 1],
    [4, 0.5],
    [16, 1],
    [16, 0.5],
  ] as const;

  // Above: at most 2 of 12 runs fail where one fails with probability 1 % at most: false alarm 2e-4. Below: control.
  test.each(cases)('are a constant times D/κ² in %i dimensions at ε = %d', (dimension, epsilon) => {
    const plan = makeVector({ epsilon, players: 1000, samples: 25, dimension, form: 'sign' });
    const enough = Math.ceil(locationPlayers(plan));
    expect(successes(dimension, epsilon, enough)).toBeGreaterThanOrEqual(RUNS - 2);
    expect(successes(dimension, epsilon, Math.ceil(enough / 10))).toBeLessThanOrEqual(RUNS / 4);
  });
});
