import { describe, expect, test } from '@jest/globals';
import { randomScalingCoverage, randomScalingCriticalValue } from '../../src/inference/critical-value.ts';
import { type ConfidenceInterval, randomScalingIntervals } from '../../src/inference/interval.ts';
import {
  averageIterate,
  createRandomScaling,
  extendRandomScaling,
  type RandomScaling,
  randomScalingMatrix,
} from '../../src/inference/iterate-average.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { jointScalingCriticalValue, jointScalingLaw } from '../evidence/online-sgd/joint-scaling.ts';
import { coverage } from '../statistics/coverage.ts';
import { kolmogorovStatistic } from '../statistics/kolmogorov.ts';
import { FAST, runLinear } from '../unit/inference/linear-sgd.ts';

// P(D > 2.23/√count) = 1e-4 for the Kolmogorov statistic of a sample from its own law.
const critical = (count: number): number => 2.23 / Math.sqrt(count);

// Distance of the sample of |t|·scale from the computed law of |t|.
const distance = (sample: Float64Array, scale: number): number =>
  kolmogorovStatistic(sample.map((t) => t * scale).sort(), randomScalingCoverage);

describe('independent iterates: the partial sums are a random walk, and only the grid separates t from its limit', () => {
  const runs = 20_000;
  const steps = 400;
  const sample = new Float64Array(runs);
  const random = seededRandom('random walk');
  const iterate = new Float64Array(1);
  for (let run = 0; run < runs; run++) {
    const state = createRandomScaling(1);
    for (let i = 0; i < steps; i++) {
      iterate[0] = 3 + normal(random);
      extendRandomScaling(state, iterate);
    }
    sample[run] = Math.abs((averageIterate(state)[0] - 3) * Math.sqrt(steps / randomScalingMatrix(state)[0]));
  }

  // A sum over 400 places instead of an integral moves the law by about 1/400 of the scale: D by 6e-4.
  test('the statistic has the computed law at every level', () => {
    expect(distance(sample, 1)).toBeLessThan(critical(runs) + 6e-4);
  });

  // A scale off by 10 % moves the law by up to 0.1·max c·f(c) ≈ 0.024.
  test('control: a scale off by 10 % either way is refused', () => {
    expect(distance(sample, 1.1)).toBeGreaterThan(critical(runs) + 6e-4);
    expect(distance(sample, 1 / 1.1)).toBeGreaterThan(critical(runs) + 6e-4);
  });
});

describe('Corollaries 3 and 4 for an averaged linear SGD', () => {
  const runs = 2000;
  const steps = 10_000;
  const random = seededRandom('random scaling of SGD');
  const states: RandomScaling[] = [];
  for (let run = 0; run < runs; run++) {
    const state = createRandomScaling(2);
    random.seek(run);
    runLinear(FAST, steps, random, (iterate) => extendRandomScaling(state, iterate));
    states.push(state);
  }
  // The path of a finite stream is smoother than its limit at the end; measured at this n: D larger by less than 0.015.
  const bound = critical(runs) + 0.015;

  test.each([
    ['the first coordinate', [1, 0]],
    ['the second coordinate', [0, 1]],
    ['a contrast', [1, -2]],
  ])('t has the computed law: %s', (_, [x, y]) => {
    const truth = x * FAST.truth[0] + y * FAST.truth[1];
    const sample = Float64Array.from(states, (state) => {
      const mean = averageIterate(state);
      const matrix = randomScalingMatrix(state);
      const variance = x * x * matrix[0] + 2 * x * y * matrix[1] + y * y * matrix[3];
      return Math.abs(x * mean[0] + y * mean[1] - truth) * Math.sqrt(steps / variance);
    });
    expect(distance(sample, 1)).toBeLessThan(bound);
    // The control: V twice or half as large.
    expect(distance(sample, Math.SQRT2)).toBeGreaterThan(bound);
    expect(distance(sample, Math.SQRT1_2)).toBeGreaterThan(bound);
  });

  // Coverage 0.9 of 2000 runs has a standard error of 0.0067; 4.4 of them (one false alarm in 90,000) and 0.01 for the finite
  // stream make 0.04. The normal critical value, 1.64 instead of 5.32, is the control.
  test('the intervals cover each coordinate, and the ellipsoid both, with the asked probability', () => {
    const tolerance = 4.4 * Math.sqrt(0.09 / runs) + 0.01;
    const intervals = states.map((state) => randomScalingIntervals(state, { level: 0.9 }));
    for (const { share } of coverage(intervals, FAST.truth)) expect(Math.abs(share - 0.9)).toBeLessThan(tolerance);

    const factor = 1.6448536269514722 / randomScalingCriticalValue(0.9);
    const narrow = ({ low, high }: ConfidenceInterval): ConfidenceInterval => ({
      low: (low + high) / 2 - (factor * (high - low)) / 2,
      high: (low + high) / 2 + (factor * (high - low)) / 2,
    });
    const naive = intervals.map((pair) => pair.map(narrow));
    for (const { share } of coverage(naive, FAST.truth)) expect(Math.abs(share - 0.9)).toBeGreaterThan(tolerance);

    const law = jointScalingLaw(2, 2 ** 14, seededRandom('joint'));
    let inside = 0;
    for (const state of states) {
      // n·dᵀV⁻¹d of the error d.
      const [a, b, , c] = randomScalingMatrix(state);
      const [x, y] = averageIterate(state).map((entry, i) => entry - FAST.truth[i]);
      const statistic = (steps * (c * x * x - 2 * b * x * y + a * y * y)) / (a * c - b * b);
      if (statistic <= jointScalingCriticalValue(law, 0.9)) inside++;
    }
    expect(Math.abs(inside / runs - 0.9)).toBeLessThan(tolerance);
    // Both intervals at once cover less than the ellipsoid: that is what it is for.
    const both = intervals.filter((pair) =>
      pair.every(({ low, high }, j) => low <= FAST.truth[j] && FAST.truth[j] <= high),
    );
    expect(both.length).toBeLessThan(inside);
  });
});
