import { expect, test } from '@jest/globals';
import { randomScalingCriticalValue, randomScalingExceedance } from '../../src/inference/critical-value.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { jointScalingExceedance, jointScalingLaw } from '../evidence/online-sgd/joint-scaling.ts';
import { fixture } from './fixture.ts';

const figures = fixture<{
  randomScaling: Record<string, [number, number]>;
  jointScaling: Record<string, [number, number]>;
}>('laws');

// Abadir and Paruolo (1997), Two mixed normal densities from cointegration analysis, table 1: quantiles .9, .95, .975 and .99 of
// W(1)/√A, to three digits after the point.
const PUBLISHED = [
  [0.8, 3.875],
  [0.9, 5.323],
  [0.95, 6.747],
  [0.98, 8.613],
] as const;

test.each(PUBLISHED)('the critical value at level %p is the published %p', (level, quantile) => {
  expect(Math.abs(randomScalingCriticalValue(level) - quantile)).toBeLessThan(5.0001e-4);
  // Another level, by a thousandth, is distinguished.
  expect(Math.abs(randomScalingCriticalValue(level + 0.001) - quantile)).toBeGreaterThan(5.0001e-4);
});

// Walks of NumPy's generator, by the definition of the statistic. 200,000 paths: 4.5 standard errors are exceeded with probability
// 7e-6; a walk of 1000 steps in the place of a Wiener process moves a probability by about 1/1000 of it, which is added.
test.each(Object.entries(figures.randomScaling))('of NumPy’s random walks the right share exceeds %s', (c, figure) => {
  const [share, paths] = figure;
  const away = (probability: number): number =>
    Math.abs(share - probability) - 1e-3 * probability - 4.5 * Math.sqrt((probability * (1 - probability)) / paths);
  expect(away(randomScalingExceedance(Number(c)))).toBeLessThan(0);
  expect(away(randomScalingExceedance(1.05 * Number(c)))).toBeGreaterThan(0);
});

// For two coordinates 100,000 walks of 500 steps (1/500 is added), and our own simulated law with an error of its own.
test('so do two coordinates together', () => {
  const law = jointScalingLaw(2, 1 << 15, seededRandom('two coordinates'));
  for (const [x, [share, paths]] of Object.entries(figures.jointScaling)) {
    const away = (place: number): number => {
      const { probability, standardError } = jointScalingExceedance(law, place);
      const error = Math.hypot(standardError, Math.sqrt((probability * (1 - probability)) / paths));
      return Math.abs(share - probability) - 4.5 * error - 2e-3 * probability;
    };
    expect(away(Number(x))).toBeLessThan(0);
    expect(away(1.1 * Number(x))).toBeGreaterThan(0);
  }
});
