import { describe, expect, test } from '@jest/globals';
import { signLikelihood } from '../../../../../protocols/user-level-mean/vector/coordinate-round.ts';
import {
  momentsOf,
  posteriorOf,
  quantileOf,
  tempered,
  withSpread,
} from '../../../../../protocols/user-level-mean/vector/posterior.ts';
import { normalCdf } from '../../../../../src/numeric/normal.ts';

const CONTRAST = 0.4;
const TAU = 0.003;
const PRIOR = { spread: 1, halfRange: 2 };

/** Four rounds that leave several places, the likeliest between the last thresholds and those before. */
const SIGNS = {
  thresholds: [-0.7, 0.7, -0.4, 0.1, -0.09, 0.02, 0.031, 0.034],
  below: [3, 8, 5, 14, 12, 25, 30, 28],
  above: [9, 4, 15, 6, 27, 16, 24, 26],
};

/** Mean, deviation, a quartile and the logarithm of the integral by a sum over a grid of a thirtieth of τ. */
function bruteForce(power: number, spread: number) {
  const [step, heights] = [1e-4, [] as number[]];
  for (let theta = -2; theta <= 2; theta += step) {
    let height = -0.5 * (theta / spread) ** 2;
    SIGNS.thresholds.forEach((t, q) => {
      const p = 0.5 + CONTRAST * (normalCdf((theta - t) / TAU) - 0.5);
      height += SIGNS.below[q] * Math.log(1 - p) + SIGNS.above[q] * Math.log(p);
    });
    heights.push(power * height);
  }
  const highest = heights.reduce((most, height) => Math.max(most, height), -Infinity);
  let [total, first, second] = [0, 0, 0];
  heights.forEach((height, i) => {
    const [theta, weight] = [-2 + i * step, Math.exp(height - highest)];
    total += weight;
    first += weight * theta;
    second += weight * theta * theta;
  });
  let [below, at] = [0, 0];
  while (below < 0.25 * total) below += Math.exp(heights[at++] - highest);
  const mean = first / total;
  return {
    ...{ mean, error: Math.sqrt(second / total - mean * mean), quartile: -2 + (at - 0.5) * step },
    logTotal: highest + Math.log(total * step),
  };
}

describe('the posterior of a coordinate on its own grid', () => {
  const found = posteriorOf(signLikelihood(CONTRAST), SIGNS, TAU, PRIOR);

  test.each([1, 0.4])('is that of brute force where several places are left, to the power %d', (power) => {
    const exact = bruteForce(power, 1);
    const part = [power === 1 ? found : tempered(found, power)];
    const { mean, variance } = momentsOf(part, [1]);
    // More than one place: its deviation is many times that of the narrow peak at the last thresholds, and of τ.
    expect(exact.error).toBeGreaterThan(10 * TAU);
    expect(Math.abs(mean - exact.mean)).toBeLessThan(exact.error / 50);
    expect(Math.abs(Math.sqrt(variance) / exact.error - 1)).toBeLessThan(0.02);
    expect(Math.abs(quantileOf(part, [1], 0.25, 2) - exact.quartile)).toBeLessThan(exact.error / 50);
    // Control: the other power is told from it.
    expect(Math.abs(Math.sqrt(variance) / bruteForce(power === 1 ? 0.4 : 1, 1).error - 1)).toBeGreaterThan(0.1);
  });

  test('has its integral, by which deviations are compared, and takes another prior', () => {
    expect(Math.abs(found.logTotal - bruteForce(1, 1).logTotal)).toBeLessThan(0.02);
    const narrower = bruteForce(1, 0.3);
    const { mean, variance } = momentsOf([withSpread(found, 1, 0.3)], [1]);
    expect(Math.abs(mean - narrower.mean)).toBeLessThan(narrower.error / 50);
    expect(Math.abs(Math.sqrt(variance) / narrower.error - 1)).toBeLessThan(0.02);
  });

  test('finds a peak a millionth of the range wide, far from every first node', () => {
    const tau = 1e-6;
    const [a, b] = [0.2371234 - tau, 0.2371234 + tau];
    const [p, q] = [0.5 + CONTRAST * (normalCdf(1) - 0.5), 0.5 + CONTRAST * (normalCdf(-1) - 0.5)];
    const n = 20_000;
    const signs = { thresholds: [a, b], below: [n * (1 - p), n * (1 - q)], above: [n * p, n * q] };
    const { mean, variance } = momentsOf([posteriorOf(signLikelihood(CONTRAST), signs, tau, PRIOR)], [1]);
    // Fisher information of one sign a deviation away: (κφ(1))²/(p(1 − p)).
    const slope = (CONTRAST * Math.exp(-0.5)) / Math.sqrt(2 * Math.PI);
    const expected = tau / Math.sqrt((2 * n * slope * slope) / (p * (1 - p)));
    expect(Math.abs(mean - 0.2371234)).toBeLessThan(0.05 * expected);
    expect(Math.abs(Math.sqrt(variance) / expected - 1)).toBeLessThan(0.05);
  });
});
