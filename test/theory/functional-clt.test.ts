import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../src/random/seeded.ts';
import { FAST, runLinear, sandwichOf } from '../unit/inference/linear-sgd.ts';

// Theorem 2 of the inference paper: φ_n(r) = n^(−½) Σ_{i ≤ nr}(θ_i − θ₀) tends to A⁻¹S^½·W(r), so that Cov(φ(r), φ(s)) tends to
// min(r, s)·A⁻¹SA⁻¹. Two coordinates at four times: an 8 × 8 matrix.
const TIMES = 4;
const STEPS = 10_000;
const RUNS = 2000;

function partialSums(): Float64Array[] {
  const random = seededRandom('functional central limit');
  return Array.from({ length: RUNS }, (_, run) => {
    const sums = new Float64Array(2 * TIMES);
    let x = 0;
    let y = 0;
    let next = STEPS / TIMES;
    let place = 0;
    random.seek(run);
    runLinear(FAST, STEPS, random, (iterate, _gradient, _before, step) => {
      x += iterate[0] - FAST.truth[0];
      y += iterate[1] - FAST.truth[1];
      if (step < next) return;
      sums[place++] = x / Math.sqrt(STEPS);
      sums[place++] = y / Math.sqrt(STEPS);
      next += STEPS / TIMES;
    });
    return sums;
  });
}

const [a, b, c] = sandwichOf(FAST);
const limit = [a, b, b, c];
type Law = (r: number, s: number) => number;

// The largest deviation of a sample covariance from law(r, s)·Σ, in standard errors of a normal sample's covariance:
// √((σ_ii σ_jj + σ_ij²)/runs).
function deviation(sums: readonly Float64Array[], law: Law, scale: number): number {
  let worst = 0;
  const entry = (i: number, j: number): number =>
    scale * law((1 + (i >> 1)) / TIMES, (1 + (j >> 1)) / TIMES) * limit[2 * (i & 1) + (j & 1)];
  for (let i = 0; i < 2 * TIMES; i++) {
    for (let j = 0; j <= i; j++) {
      let mean = 0;
      for (const sum of sums) mean += (sum[i] * sum[j]) / RUNS;
      const error = Math.sqrt((entry(i, i) * entry(j, j) + entry(i, j) ** 2) / RUNS);
      worst = Math.max(worst, Math.abs(mean - entry(i, j)) / error);
    }
  }
  return worst;
}

describe('the functional central limit theorem for averaged SGD', () => {
  const sums = partialSums();

  // 36 entries, each beyond 4.4 standard errors with probability 1.1e-5: 4e-4 in all. At n = 10,000 the variances are still
  // about 3 % too large (the remainder is of the order n^(α − 1)/(γa)), one standard error: the bound is 5.5.
  test('the partial sums have the covariance min(r, s)·A⁻¹SA⁻¹', () => {
    expect(deviation(sums, Math.min, 1)).toBeLessThan(5.5);
  });

  test('controls: a variance off by a quarter, independent increments missing, a bridge', () => {
    expect(deviation(sums, Math.min, 1.25)).toBeGreaterThan(5.5);
    expect(deviation(sums, Math.min, 0.8)).toBeGreaterThan(5.5);
    expect(deviation(sums, (r, s) => Math.sqrt(r * s), 1)).toBeGreaterThan(5.5);
    expect(deviation(sums, (r, s) => Math.min(r, s) * (1.001 - Math.max(r, s)), 1)).toBeGreaterThan(5.5);
  });
});
