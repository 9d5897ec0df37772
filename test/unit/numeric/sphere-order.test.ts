import { describe, expect, test } from '@jest/globals';
import { largestSums, sphereMarginal } from '../../../src/numeric/beta.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

describe('the law of |⟨s, u⟩|', () => {
  test.each([2, 3, 4, 11, 66, 1000, 1_000_000])('in dimension %p has mass 1, second moment 1/d and its tails', (d) => {
    const { nodes, masses, tails } = sphereMarginal(d, 4);
    let second = 0;
    let tailMean = 0;
    for (let i = 0; i < nodes.length; i++) {
      second += masses[i] * nodes[i] ** 2;
      tailMean += masses[i] * tails[i];
    }
    expect(Math.abs(second * d - 1)).toBeLessThan(1e-12);
    // A tail probability at its own law is uniform.
    expect(Math.abs(tailMean - 0.5)).toBeLessThan(1e-11);
    expect(nodes.every((t, i) => t > 0 && t <= 1 && (i === 0 || (t >= nodes[i - 1] && tails[i] <= tails[i - 1])))).toBe(
      true,
    );
  });
});

describe('sums of the largest', () => {
  test('on the circle and the 2-sphere are those of closed forms', () => {
    // |cos θ| of one uniform angle has mean 2/π; the largest of n uniform numbers on (0, 1) has mean n/(n + 1), and the
    // second n − 1 over n + 1, with squares n/(n + 2) and n(n − 1)/((n + 1)(n + 2)).
    expect(Math.abs(largestSums(sphereMarginal(2, 1), 1).first[0] * (Math.PI / 2) - 1)).toBeLessThan(1e-13);
    for (const n of [2, 7, 64, 512]) {
      const { first, second } = largestSums(sphereMarginal(3, n), n);
      expect(Math.abs((first[0] * (n + 1)) / n - 1)).toBeLessThan(1e-12);
      expect(Math.abs(((first[1] - first[0]) * (n + 1)) / (n - 1) - 1)).toBeLessThan(1e-11);
      expect(Math.abs((second[0] * (n + 2)) / n - 1)).toBeLessThan(1e-12);
      expect(Math.abs(((second[1] - second[0]) * (n + 1) * (n + 2)) / (n * (n - 1)) - 1)).toBeLessThan(1e-11);
    }
  });

  test('over all of them are n times the mean, in any dimension', () => {
    // E|t| = Γ(d/2)/(√π·Γ((d + 1)/2)), computed independently with mpmath.
    for (const [d, mean] of MEANS) {
      const { first, second } = largestSums(sphereMarginal(d, 128), 128);
      expect(Math.abs(first[127] / (128 * mean) - 1)).toBeLessThan(1e-12);
      expect(Math.abs((second[127] * d) / 128 - 1)).toBeLessThan(1e-12);
    }
  });

  test('do not change when the panels are made for more directions than are asked', () => {
    let worst = 0;
    for (const [d, n] of [
      [2, 128],
      [11, 16],
      [66, 512],
      [1000, 512],
    ]) {
      const coarse = largestSums(sphereMarginal(d, n), n);
      const fine = largestSums(sphereMarginal(d, 4 * n), n);
      for (let k = 0; k < n; k++) {
        worst = Math.max(worst, Math.abs(coarse.first[k] / fine.first[k] - 1));
        worst = Math.max(worst, Math.abs(coarse.second[k] / fine.second[k] - 1));
      }
    }
    expect(worst).toBeLessThan(1e-11);
  });

  test('are what samples have', () => {
    const [dimension, count, samples] = [5, 6, 20_000];
    const random = seededRandom('largest');
    const point = new Float64Array(dimension);
    const values = new Float64Array(count);
    const sums = new Float64Array(count);
    const squares = new Float64Array(count);
    for (let i = 0; i < samples; i++) {
      for (let j = 0; j < count; j++) {
        fillSphere(point, random);
        values[j] = -Math.abs(point[0]);
      }
      values.sort();
      for (let k = 0, sum = 0; k < count; k++) {
        sum -= values[k];
        sums[k] += sum;
        squares[k] += sum * sum;
      }
    }
    const { first } = largestSums(sphereMarginal(dimension, count), count);
    const deviations = [...first].map((claim, k) => {
      const mean = sums[k] / samples;
      return Math.abs(mean - claim) / Math.sqrt((squares[k] / samples - mean * mean) / samples);
    });
    // Six deviations, each beyond 4.5 standard errors with probability 7e-6.
    expect(Math.max(...deviations)).toBeLessThan(4.5);
  });
});

/** Dimensions and E|t|. */
const MEANS: readonly (readonly [number, number])[] = [
  [2, 0.6366197723675814],
  [3, 0.5],
  [11, 0.24609375],
  [66, 0.09858550958759506],
  [1000, 0.02523763383899971],
  [1000000, 0.0007978847602740305],
];
