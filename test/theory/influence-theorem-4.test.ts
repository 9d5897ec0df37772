// Theorem 4 of Kang, Li, Liu, Wang: the influence c_z misses θ*₋z − θ* by at most (2LG + CG²/ζ)/(ζ²n²).
import { describe, expect, test } from '@jest/globals';
import {
  influence,
  logisticRegression,
  optimum,
  printed,
  remainderBound,
  selectRecords,
  splitBudget,
} from '../../protocols/influence-sgd/index.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { labelled, sizeOf } from '../protocols/influence-sgd-data.ts';

const { exp, log, max } = Math;

const ridge = 0.1;
const radius = 5;
const model = logisticRegression({ dimension: 3, ridge, radius });

/** The root mean square and the largest error of the influence over 24 records of n, by refitting without each. */
function influenceErrors(n: number): { typical: number; largest: number; withoutCorrection: number } {
  const records = labelled(n, 3, `theorem 4, ${n}`);
  const { theta } = optimum(model, records, { tolerance: 1e-13 });
  const parameters = printed({
    ...splitBudget({ epsilon: 1, delta: 1e-5 }),
    records: n,
    ...model.constants,
    radius,
    localRounds: 1,
    globalRounds: 1,
  });
  const contributionOf = influence(parameters, model, records, theta, seededRandom('unused'));
  const c = new Float64Array(3);
  let squares = 0;
  let movedSquares = 0;
  let largest = 0;
  for (let z = 0; z < 24; z++) {
    const rows = Array.from({ length: n }, (_, i) => i).filter((i) => i !== z);
    const left = optimum(model, selectRecords(records, rows), { start: theta, tolerance: 1e-13 });
    contributionOf(z, c);
    const moved = left.theta.map((x, j) => x - theta[j]);
    const error = sizeOf(moved.map((x, j) => x - c[j]));
    squares += error * error;
    movedSquares += sizeOf(moved) ** 2;
    largest = max(largest, error);
  }
  return { typical: Math.sqrt(squares / 24), largest, withoutCorrection: Math.sqrt(movedSquares / 24) };
}

/** The least-squares slope of log y against log x. */
function slopeOf(x: readonly number[], y: readonly number[]): number {
  const u = x.map(log);
  const v = y.map(log);
  const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
  const [a, b] = [mean(u), mean(v)];
  return u.reduce((sum, x, i) => sum + (x - a) * (v[i] - b), 0) / u.reduce((sum, x) => sum + (x - a) ** 2, 0);
}

describe('the error of the influence approximation', () => {
  const sizes = [50, 100, 200, 400, 800];
  const found = sizes.map(influenceErrors);

  test('falls like n⁻², while what it approximates falls like n⁻¹', () => {
    // Measured: −2.0; that of the whole difference, the control, −1.0.
    const slope = slopeOf(
      sizes,
      found.map(({ typical }) => typical),
    );
    expect(slope).toBeGreaterThan(-2.2);
    expect(slope).toBeLessThan(-1.8);
    const control = slopeOf(
      sizes,
      found.map(({ withoutCorrection }) => withoutCorrection),
    );
    expect(control).toBeGreaterThan(-1.2);
    expect(control).toBeLessThan(-0.8);
  });

  test('is below E for every record, every n', () => {
    const over = sizes.filter((n, i) => {
      const bound = remainderBound({ records: n, ...model.constants, curvature: ridge });
      return !(found[i].largest <= bound);
    });
    expect(over).toEqual([]);
    // The fit is finer than what is measured.
    expect(found[4].typical).toBeGreaterThan(exp(-25));
  });
});
