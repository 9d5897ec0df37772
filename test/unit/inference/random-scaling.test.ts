import { describe, expect, test } from '@jest/globals';
import { averageIterate, createRandomScaling, randomScalingMatrix } from '../../../src/inference/iterate-average.ts';
import { fed, relativeGap, reloaded, wanderingPath } from './paths.ts';

// V by its definition in two passes: the mean first, then the partial sums of deviations, everything compensated.
function twoPasses(path: Float64Array, p: number): Float64Array {
  const n = path.length / p;
  const mean = new Float64Array(p);
  const lost = new Float64Array(p);
  const add = (sums: Float64Array, rest: Float64Array, i: number, value: number): void => {
    const corrected = value - rest[i];
    const next = sums[i] + corrected;
    rest[i] = next - sums[i] - corrected;
    sums[i] = next;
  };
  for (let k = 0; k < path.length; k++) add(mean, lost, k % p, path[k] / n);
  const partial = new Float64Array(p);
  const partialLost = new Float64Array(p);
  const products = new Float64Array(p * p);
  const productsLost = new Float64Array(p * p);
  for (let b = 0; b < n; b++) {
    for (let i = 0; i < p; i++) add(partial, partialLost, i, path[b * p + i] - mean[i]);
    for (let k = 0; k < p * p; k++) {
      add(products, productsLost, k, (partial[Math.floor(k / p)] * partial[k % p]) / n / n);
    }
  }
  return products;
}

describe('the online random scaling matrix', () => {
  test('by hand: three iterates 0, 3, 6 have the partial deviations −3, −3, 0 and V = 18/9', () => {
    const state = fed(Float64Array.of(0, 3, 6), 1);
    expect([...averageIterate(state)]).toEqual([3]);
    expect(randomScalingMatrix(state)[0]).toBeCloseTo(2, 14);
  });

  test.each([0, 1e3])('agrees with two compensated passes at every early n, around %d', (offset) => {
    const path = wanderingPath(70, 3, 'early', offset);
    const state = createRandomScaling(3);
    let worst = 0;
    for (let n = 1; n <= 70; n++) {
      fed(path, 3, n - 1, n, state);
      if (n > 3) worst = Math.max(worst, relativeGap(randomScalingMatrix(state), twoPasses(path.slice(0, 3 * n), 3)));
    }
    // An iterate near 1000 is itself rounded to 1e-13.
    expect(worst).toBeLessThan(1e-11);
  });

  test.each([
    [0, 1e-11],
    [1e4, 1e-9],
  ])('agrees with two compensated passes at n = 1,000,000 around %d', (offset, tolerance) => {
    const path = wanderingPath(1_000_000, 2, 'long', offset);
    const matrix = randomScalingMatrix(fed(path, 2));
    expect(relativeGap(matrix, twoPasses(path, 2))).toBeLessThan(tolerance);
  });

  test('the tolerance has teeth: the printed recursion without a reference is off by more than 1e-9 there', () => {
    const path = wanderingPath(1_000_000, 1, 'long', 1e4);
    const n = path.length;
    let sum = 0;
    let products = 0;
    let weighted = 0;
    for (let b = 1; b <= n; b++) {
      sum += path[b - 1];
      products += sum * sum;
      weighted += b * sum;
    }
    const mean = sum / n;
    const printed = (products - 2 * mean * weighted + (mean * mean * n * (n + 1) * (2 * n + 1)) / 6) / n / n;
    expect(relativeGap(Float64Array.of(printed), twoPasses(path, 1))).toBeGreaterThan(1e-9);
  });

  test('is exactly symmetric and does not change the state', () => {
    const state = fed(wanderingPath(50, 3, 'read'), 3);
    const before = reloaded(state);
    const v = randomScalingMatrix(state);
    expect([v[1], v[2], v[5]]).toEqual([v[3], v[6], v[7]]);
    expect(state).toEqual(before);
  });
});

describe('the state', () => {
  test('saved at any point and resumed, ends in the same bits', () => {
    const path = wanderingPath(200, 2, 'resume', 5);
    const whole = fed(path, 2);
    const different: number[] = [];
    for (let cut = 0; cut <= 200; cut++) {
      const resumed = fed(path, 2, cut, 200, reloaded(fed(path, 2, 0, cut)));
      if (JSON.stringify(resumed) !== JSON.stringify(whole)) different.push(cut);
    }
    expect(different).toEqual([]);
  });

  test('refuses to speak before the first iterate, and a dimension that is none', () => {
    expect(() => randomScalingMatrix(createRandomScaling(1))).toThrow('"steps" expected at least 1, got 0');
    expect(() => averageIterate(createRandomScaling(1))).toThrow('"steps"');
    for (const dimension of [0, 1.5, Number.NaN]) expect(() => createRandomScaling(dimension)).toThrow('"dimension"');
  });
});
