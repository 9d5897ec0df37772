import { expect, test } from '@jest/globals';
import { positiveMean } from '../../../src/numeric/normal.ts';
import { drawShare, indexFrom, keptFrom, logShrinkageMass } from '../../../src/optimize/class-law.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** The integral of a function over an interval, by the midpoint rule. */
function integral(f: (x: number) => number, from: number, to: number): number {
  const steps = 200_000;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += f(from + ((i + 0.5) * (to - from)) / steps);
  return (sum * (to - from)) / steps;
}

const DRAWS = 40_000;

/** Mean and deviation of B under the posterior density B^{d/2}·exp(−B·z/2) on (0, 1). */
function posterior(d: number, z: number): { readonly mean: number; readonly deviation: number; readonly mass: number } {
  const moment = (power: number): number => integral((b) => b ** (d / 2 + power) * Math.exp((-b * z) / 2), 0, 1);
  const mass = moment(0);
  const mean = moment(1) / mass;
  return { mean, deviation: Math.sqrt(moment(2) / mass - mean * mean), mass };
}

// The mean of 40,000 draws is within five of its standard errors with a false alarm of 6e-7 each; the grid of 128 cells adds below .001.
test.each([
  [1, 2],
  [5, 5],
  [5, 40],
  [54, 60],
  [45, 400],
])('what %d numbers of square %d keep has the law of its posterior', (d, z) => {
  const random = seededRandom(`kept ${d} ${z}`);
  const drawKept = keptFrom(d, z);
  let sum = 0;
  for (let i = 0; i < DRAWS; i++) sum += 1 - drawKept(random);
  const { mean, deviation, mass } = posterior(d, z);
  const tolerance = (5 * deviation) / Math.sqrt(DRAWS) + 0.001;
  expect(Math.abs(sum / DRAWS - mean)).toBeLessThan(tolerance);
  expect(logShrinkageMass(d, z)).toBeCloseTo(Math.log(mass), 8);
  // The controls: a square or a number of them that is a fifth larger.
  const [other, more] = [posterior(d, 1.2 * z), posterior(1.2 * d, z)];
  expect(Math.abs(other.mean - mean) + Math.abs(more.mean - mean)).toBeGreaterThan(2 * tolerance);
  expect(Math.abs(Math.log(other.mass / mass))).toBeGreaterThan(0.05);
});

// A place of probability .3 is drawn 12,000 ± 92 times: five deviations are 458, and a fifth of .3 is 2,400.
test('a place is drawn in proportion to its mass, and never one without', () => {
  const random = seededRandom('places');
  const drawIndex = indexFrom([3, 0, 5, 2].map(Math.log));
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < DRAWS; i++) counts[drawIndex(random)]++;
  expect(counts[1]).toBe(0);
  [3, 0, 5, 2].forEach((mass, i) => {
    expect(Math.abs(counts[i] - (mass / 10) * DRAWS)).toBeLessThan(500);
  });
});

test('a share has a normal law that is cut off at 0 and 1, on the grid and below its cells', () => {
  for (const [mean, deviation] of [
    [0.4, 0.2],
    [-0.1, 0.3],
    [0.5, 0.004],
  ]) {
    const random = seededRandom(`share ${mean}`);
    let sum = 0;
    for (let i = 0; i < DRAWS; i++) sum += drawShare(mean, deviation, random);
    const density = (x: number): number => Math.exp(-0.5 * ((x - mean) / deviation) ** 2);
    const exact = integral((x) => x * density(x), 0, 1) / integral(density, 0, 1);
    // Five standard errors, of a deviation that is at most that of the whole law.
    expect(Math.abs(sum / DRAWS - exact)).toBeLessThan((5 * deviation) / Math.sqrt(DRAWS) + 0.0005);
  }
});

test('the mean of the positive part is that of the normal law cut off at 0', () => {
  for (const value of [-5, -2, 0, 0.5, 3, 7.9]) {
    const density = (x: number): number => Math.exp(-0.5 * (x - value) ** 2);
    const exact = integral((x) => x * density(x), 0, 20) / integral(density, 0, 20);
    expect(positiveMean(3 * value, 3) / (3 * exact)).toBeCloseTo(1, 5);
  }
  // Beyond, the value itself, and far below 0 the mean of an exponential law.
  expect(positiveMean(9, 1)).toBe(9);
  expect(positiveMean(-50, 1)).toBeCloseTo(1 / 50, 12);
});
